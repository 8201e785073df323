// The page of the browser tests: `window.okf` is an engine whose files come from this server, with a test's worker.

import { type AssetSource, MANIFEST_NAME, parseManifest } from "../assets";
import type { RuntimeOptions } from "../client";
import { Bench } from "./bench";

const bytesAt = async (path: string): Promise<Uint8Array> => {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`HTTP ${answer.status} for ${path}`);
  return new Uint8Array(await answer.arrayBuffer());
};

const served: AssetSource = {
  manifest: async () => parseManifest(new TextDecoder().decode(await bytesAt(`/assets/${MANIFEST_NAME}`))),
  chunk: (file) => bytesAt(`/assets/${file}`),
};

/** Args: shipped: run the worker as it is shipped, not that of tests. */
async function open(options: Partial<RuntimeOptions> = {}, shipped = false): Promise<void> {
  const testing = await bytesAt("/testing/worker_browser.js");
  const bench = new Bench(
    {
      assets: served,
      worker: (source) => moduleWorker(shipped ? source : testing),
    },
    options,
  );
  Object.assign(window, { okf: bench });
}

function moduleWorker(source: Uint8Array): Worker {
  const url = URL.createObjectURL(new Blob([source as Uint8Array<ArrayBuffer>], { type: "text/javascript" }));
  return new Worker(url, { type: "module" });
}

Object.assign(window, { openEngine: open, bytesAt });
