// What the reader gives to the runtime.

import type { CrashCount, Host } from "../../runtime/host";
import { EngineFiles } from "./engine_files";
import { StoredTree } from "../../runtime/stored_tree";
import { keep, kept } from "../words_kept";
import { STORE } from "./database";
import { fetchUrl } from "./web";
import { startedWorker } from "./worker";

export interface ReaderHost extends Host {
  assets: EngineFiles;
}

export function readerHost(): ReaderHost {
  return {
    assets: new EngineFiles(document.baseURI),
    trees: {
      base: new StoredTree(STORE, "base"),
      spare: new StoredTree(STORE, "spare"),
      device: new StoredTree(STORE, "device"),
    },
    fetch: fetchUrl,
    worker: startedWorker,
    crashes: CRASHES,
  };
}

const CRASH_KEY = "okf-edge-crashes";

/** In local storage: it is written at once, also when the page is killed next. */
const CRASHES: CrashCount = {
  read: async () => Number(kept(CRASH_KEY) ?? 0) || 0,
  write: async (count) => keep(CRASH_KEY, String(count)),
};
