// What a page gives to the runtime: where files lie, how a URL is fetched, where the engine's files are.

import type { AssetSource } from "./assets";
import type { Entry, Fetched, TreeName } from "./messages";

/** A folder that a page can read and write. Each verb does what `Services` in `messages.ts` says; it throws HostError. */
export interface HostTree {
  list(folders: string[]): Promise<Entry[]>;
  stat(path: string): Promise<Entry | null>;
  read(path: string): Promise<Uint8Array>;
  write(path: string, data: Uint8Array): Promise<void>;
  create(path: string, data: Uint8Array): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  replace(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
}

export interface Host {
  assets: AssetSource;
  trees: Record<TreeName, HostTree>;
  /** A web address, as far as a person asked for it. Rejects when there is no answer. */
  fetch(url: string, method: "GET" | "HEAD", maxBytes: number): Promise<Fetched>;
  /** Makes the worker. Left out: a module worker from the asset `worker.js`. */
  worker?: (source: Uint8Array) => Worker | Promise<Worker>;
  /** Remembers, beyond the life of the page, how often in a row the engine died. */
  crashes: CrashCount;
}

export interface CrashCount {
  read(): Promise<number>;
  write(count: number): Promise<void>;
}
