// A host in Node: the engine's files from a folder of chunks, the worker as a thread, trees in memory, no network.

import { readFile } from "node:fs/promises";
import { Worker as Thread } from "node:worker_threads";
import { type AssetSource, MANIFEST_NAME, parseManifest } from "../assets";
import type { Host } from "../host";
import { HostError, type ToPage, type ToWorker } from "../messages";
import { MemoryTree } from "./memory_tree";

export interface NodeHost extends Host {
  trees: Record<"base" | "spare" | "device", MemoryTree>;
}

/** Args: dist: `wasm/dist`, as `build/assets.py` makes it. */
export function nodeHost(dist: string): NodeHost {
  let crashes = 0;
  return {
    assets: folderAssets(`${dist}/assets`),
    trees: { base: new MemoryTree(), spare: new MemoryTree(), device: new MemoryTree() },
    fetch: async (url) => {
      throw new HostError("unavailable", `there is no network: ${url}`);
    },
    worker: () => threadOf(dist),
    crashes: {
      read: async () => crashes,
      write: async (count) => {
        crashes = count;
      },
    },
  };
}

export function folderAssets(folder: string): AssetSource {
  return {
    manifest: async () => parseManifest(await readFile(`${folder}/${MANIFEST_NAME}`, "utf8")),
    chunk: async (file) => new Uint8Array(await readFile(`${folder}/${file}`)),
  };
}

/** A thread with the face of a browser's Worker, as far as the runtime looks. */
function threadOf(dist: string): Worker {
  const thread = new Thread(`${dist}/engine/worker.node.mjs`, { workerData: { folder: `${dist}/engine` } });
  const face = {
    onmessage: null as ((event: { data: ToPage }) => void) | null,
    onerror: null as ((event: { message: string }) => void) | null,
    postMessage: (message: ToWorker, transfer: ArrayBuffer[]) => thread.postMessage(message, transfer),
    terminate: () => void thread.terminate(),
  };
  thread.on("message", (data: ToPage) => face.onmessage?.({ data }));
  thread.on("error", (error) => face.onerror?.({ message: String(error) }));
  return face as unknown as Worker;
}
