// The engine under Node for tests: one JSON object a line comes in (an operation), one goes out (its value or error).
// Argument: `wasm/dist`.

import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { Worker as Thread } from "node:worker_threads";
import { type AssetSource, MANIFEST_NAME, parseManifest } from "../assets";
import type { CallName, TreeName } from "../messages";
import { Bench } from "./bench";

interface Operation {
  do: "open" | "call" | "python" | "put" | "terminate" | "states" | "kill" | "crashes";
  options?: object;
  /** Another folder of chunks. */
  assets?: string;
  crashes?: number;
  name: CallName;
  argument: object;
  file?: string;
  code: string;
  tree: TreeName;
  path: string;
}

const dist = process.argv[2] ?? "";
let bench: Bench | null = null;

const chunksIn = (folder: string): AssetSource => ({
  manifest: async () => parseManifest(await readFile(`${folder}/${MANIFEST_NAME}`, "utf8")),
  chunk: async (file) => new Uint8Array(await readFile(`${folder}/${file}`)),
});

async function done(operation: Operation): Promise<unknown> {
  if (operation.do === "open") {
    bench?.runtime.terminate();
    const assets = chunksIn(operation.assets ?? `${dist}/assets`);
    bench = new Bench({ assets, worker: threadOf }, operation.options);
    bench.crashes = operation.crashes ?? 0;
    return null;
  }
  if (!bench) throw new Error("open an engine first");
  const data = operation.file ? new Uint8Array(await readFile(operation.file)) : null;
  switch (operation.do) {
    case "call":
      return bench.call(operation.name, data ? { ...operation.argument, data } : operation.argument);
    case "python":
      return bench.python(operation.code);
    case "put":
      return bench.trees[operation.tree].write(operation.path, data ?? new Uint8Array());
    case "kill":
      return bench.worker?.terminate();
    case "crashes":
      return bench.crashes;
    case "states":
      return bench.states;
    case "terminate":
      return bench.runtime.terminate();
  }
}

/** A thread with the face of a browser's Worker, as far as the runtime and the bench look. */
function threadOf(): Worker {
  const options = { workerData: { folder: `${dist}/engine` }, stdout: true };
  const thread = new Thread(`${dist}/testing/worker_node.mjs`, options);
  thread.stdout.pipe(process.stderr); // what libraries say there is no answer
  const face = {
    onmessage: null as ((event: { data: unknown }) => void) | null,
    onerror: null as ((event: { message: string }) => void) | null,
    postMessage: (message: unknown, transfer: ArrayBuffer[]) => thread.postMessage(message, transfer),
    addEventListener: (_: string, heard: (event: { data: unknown }) => void) =>
      void thread.on("message", (data) => heard({ data })),
    terminate: () => void thread.terminate(),
  };
  thread.on("message", (data) => face.onmessage?.({ data }));
  thread.on("error", (error) => face.onerror?.({ message: String(error) }));
  return face as unknown as Worker;
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    const value = await done(JSON.parse(line) as Operation);
    process.stdout.write(`${JSON.stringify({ value: value ?? null })}\n`);
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ error: error instanceof Error ? error.message : String(error) })}\n`);
  }
}
process.exit(0);
