// An engine under test with all that a test may do to it, the same in a page and in Node.

import type { AssetSource } from "../assets";
import { type CallOptions, type Progress, Runtime, type RuntimeOptions, type RuntimeState } from "../client";
import type { Host } from "../host";
import { fetchUrl } from "../../reader/host/web";
import { type CallName, HostError, type TreeName } from "../messages";
import type { Told } from "./laboratory";
import { MemoryTree } from "./memory_tree";

export interface Made {
  assets: AssetSource;
  /** Makes the worker; in a page a module worker from this source. */
  worker: (source: Uint8Array) => Worker;
}

const fromThisMachine: Host["fetch"] = async (url, method, maxBytes) => {
  if (new URL(url).hostname !== "127.0.0.1") throw new HostError("unavailable", `there is no network: ${url}`);
  return fetchUrl(url, method, maxBytes);
};

export class Bench {
  readonly trees: Record<TreeName, MemoryTree> = {
    base: new MemoryTree(),
    spare: new MemoryTree(),
    device: new MemoryTree(),
  };
  readonly states: RuntimeState[] = [];
  readonly progress: Progress[] = [];
  readonly runtime: Runtime;
  crashes = 0;
  worker: Worker | null = null;
  private readonly waiting = new Map<number, (told: Told) => void>();
  private nextId = 1;

  constructor(made: Made, options: Partial<RuntimeOptions> = {}) {
    const host: Host = {
      assets: made.assets,
      trees: this.trees,
      fetch: fromThisMachine,
      worker: (source) => this.watched(made.worker(source)),
      crashes: {
        read: async () => this.crashes,
        write: async (count) => {
          this.crashes = count;
        },
      },
    };
    this.runtime = new Runtime(host, { folderName: "base", ...options });
    this.runtime.onState((state) => this.states.push(state));
  }

  /** A call, and how long it took. Failures are values too. */
  async call(name: CallName, argument: object, options: CallOptions = {}): Promise<object> {
    const start = performance.now();
    const onProgress = (progress: Progress): unknown => this.progress.push(progress);
    try {
      const value = await this.runtime.call(name, argument as never, { onProgress, ...options });
      return { value, ms: performance.now() - start };
    } catch (error) {
      const { code, message, hint } = error as { code: string; message: string; hint: string };
      return { failure: { code, message, hint }, ms: performance.now() - start };
    }
  }

  /** The value of the last expression of a piece of Python in the worker: a text, a number or nothing. */
  async python(code: string): Promise<unknown> {
    await this.runtime.start();
    const id = this.nextId++;
    const told = await new Promise<Told>((resolve) => {
      this.waiting.set(id, resolve);
      this.worker?.postMessage({ type: "python", id, code });
    });
    if (told.error) throw new Error(told.error);
    return told.value;
  }

  private watched(worker: Worker): Worker {
    this.worker = worker;
    worker.addEventListener("message", ({ data }: MessageEvent<Told>) => {
      if (data.type !== "python") return;
      this.waiting.get(data.id)?.(data);
      this.waiting.delete(data.id);
    });
    return worker;
  }
}
