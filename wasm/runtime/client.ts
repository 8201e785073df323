// The engine as a page sees it: started when first needed, cancelled, ended when idle, started again after it died.
//
// 1. A call starts the engine when it is off. What a call needs is in its argument: a new worker continues where the old one was.
// 2. A worker that died is noticed by its error, or by its silence; its calls fail with `worker-crashed`, the next starts anew.
// 3. An engine that died CRASHES_COUNT times in a row starts in safe mode, until a person or an update asks otherwise.

import { type AssetManifest, readAsset } from "./assets";
import { failureOf } from "./failure";
import type { Host } from "./host";
import {
  type Argument,
  type CallName,
  type Failure,
  type Ready,
  type Result,
  type ServiceName,
  type Services,
  type ToPage,
  type ToWorker,
} from "./messages";
import { served } from "./serving";

export { failureOf };

export const WORKER_ASSET = "worker.js";
const CRASHES_COUNT = 2;
const PING_MS = 5_000;

export interface RuntimeOptions {
  folderName: string;
  /** An engine without a call is ended after this time, and its memory given back. 0: never. */
  idleMs?: number;
  /** An engine that says nothing for so long is taken for dead. The longest step is the boot on a slow phone. */
  silenceMs?: number;
  /** Start by words only, whatever happened before. */
  safe?: boolean;
}

/** `off`: no memory is used; the next call starts it. */
export interface RuntimeState {
  phase: "off" | "starting" | "ready";
  /** What is ready now; null until something is. */
  ready: Ready | null;
  /** The step at work, in words; empty when idle. */
  stage: string;
  safe: boolean;
  /** Why the engine ended last, when it was no one's wish. */
  crash: string;
}

export interface Progress {
  label: string;
  done: number;
  total: number | null;
}

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  onNote?: (text: string) => void;
}

/** What a call rejects with. */
export class CallError extends Error implements Failure {
  readonly code: string;
  readonly hint: string;
  readonly issues: string[];

  constructor(failure: Failure) {
    super(failure.message);
    this.name = "CallError";
    this.code = failure.code;
    this.hint = failure.hint;
    this.issues = failure.issues;
  }
}

interface Pending {
  resolve: (value: never) => void;
  reject: (error: CallError) => void;
  options: CallOptions;
}

export class Runtime {
  private worker: Worker | null = null;
  private starting: Promise<void> | null = null;
  private manifest: Promise<AssetManifest> | null = null;
  private readonly pending = new Map<number, Pending>();
  private readonly listeners = new Set<(state: RuntimeState) => void>();
  private nextId = 1;
  private idleTimer: ReturnType<typeof setTimeout> | undefined;
  private pingTimer: ReturnType<typeof setInterval> | undefined;
  private heardAt = 0;
  private settled: ((error?: CallError) => void) | null = null;
  private current: RuntimeState = { phase: "off", ready: null, stage: "", safe: false, crash: "" };

  constructor(
    private readonly host: Host,
    private readonly options: RuntimeOptions,
  ) {}

  get state(): RuntimeState {
    return this.current;
  }

  /** Tells every change of state; returns how to stop that. */
  onState(listener: (state: RuntimeState) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Ready to answer by words. Rejects with CallError, e.g. `asset-missing`, `asset-damaged`, `worker-crashed`. */
  start(): Promise<void> {
    this.starting ??= this.boot().catch((error: unknown) => {
      this.end();
      throw error instanceof CallError ? error : new CallError(failureOf(error));
    });
    return this.starting;
  }

  /** Run a use case; the engine is started first when it is off. Rejects with CallError; `cancelled` when aborted. */
  async call<Name extends CallName>(
    name: Name,
    argument: Argument<Name>,
    options: CallOptions = {},
  ): Promise<Result<Name>> {
    if (options.signal?.aborted) throw cancelled();
    await this.start();
    if (options.signal?.aborted) throw cancelled();
    const id = this.nextId++;
    const result = new Promise<Result<Name>>((resolve, reject) => {
      this.pending.set(id, { resolve, reject, options });
    });
    clearTimeout(this.idleTimer);
    options.signal?.addEventListener("abort", () => this.cancel(id), { once: true });
    this.post({ type: "call", id, name, argument }, buffersOf(argument));
    return result;
  }

  /** End the engine and give its memory back, e.g. when the page is hidden. Calls that run are cancelled. */
  terminate(): void {
    this.end(cancelled());
  }

  /** Leave safe mode at the next start, e.g. after an update. */
  async forgetCrashes(): Promise<void> {
    await this.host.crashes.write(0);
    if (this.current.safe) this.terminate();
  }

  private async boot(): Promise<void> {
    const crashes = await this.host.crashes.read();
    const safe = this.options.safe === true || crashes >= CRASHES_COUNT;
    this.tell({ phase: "starting", ready: null, stage: "Opening the engine", safe });
    const manifest = await this.assetManifest();
    const source = await readAsset(this.host.assets, manifest, WORKER_ASSET);
    if (!safe) await this.host.crashes.write(crashes + 1); // taken back once it answers: a killed page writes nothing
    this.worker = await (this.host.worker ?? moduleWorker)(source);
    this.worker.onmessage = (event: MessageEvent<ToPage>) => this.hear(event.data);
    this.worker.onerror = (event) => this.crash(event.message || "the worker could not be started");
    this.watch();
    const models = manifest.assets.map((asset) => asset.part).filter((part) => part.startsWith("model:"));
    const ids = [...new Set(models)].map((part) => part.slice("model:".length));
    const ready = new Promise<void>((resolve, reject) => {
      this.settled = (error) => (error ? reject(error) : resolve());
    });
    this.post({ type: "start", options: { safe, folderName: this.options.folderName, models: ids } });
    await ready;
  }

  private assetManifest(): Promise<AssetManifest> {
    this.manifest ??= this.host.assets.manifest().catch((error: unknown) => {
      this.manifest = null;
      throw error;
    });
    return this.manifest;
  }

  private hear(message: ToPage): void {
    this.heardAt = Date.now();
    switch (message.type) {
      case "stage":
        return this.tell({ stage: message.label });
      case "ready":
        return this.becomeReady(message.ready);
      case "progress":
        return this.pending.get(message.id)?.options.onProgress?.(message);
      case "note":
        return this.pending.get(message.id)?.options.onNote?.(message.text);
      case "result":
        this.take(message.id)?.resolve(message.value as never);
        if (!this.current.safe) void this.host.crashes.write(0);
        return;
      case "failed":
        this.take(message.id)?.reject(new CallError(message.failure));
        return;
      case "ask":
        void this.serve(message.id, message.service, message.argument);
        return;
      case "unstarted":
        return this.end(new CallError(message.failure));
      case "crash":
        return this.crash(message.message);
      case "pong":
    }
  }

  private becomeReady(ready: Ready): void {
    this.tell({ phase: "ready", ready, stage: "" });
    this.settled?.();
    this.settled = null;
    this.rest();
  }

  /** The page does not wait: what the worker still does for this call goes nowhere. */
  private cancel(id: number): void {
    const found = this.take(id);
    if (!found) return;
    this.post({ type: "cancel", id });
    found.reject(cancelled());
  }

  private take(id: number): Pending | undefined {
    const found = this.pending.get(id);
    this.pending.delete(id);
    this.rest();
    return found;
  }

  /** Answer what the worker asked; the reply of a worker that is gone goes nowhere. */
  private async serve(id: number, service: ServiceName, argument: unknown): Promise<void> {
    const asking = this.worker;
    try {
      const value = await this.value(service, argument);
      if (asking === this.worker) this.post({ type: "reply", id, value }, buffersOf(value));
    } catch (error) {
      if (asking === this.worker) this.post({ type: "reply", id, failure: failureOf(error) });
    }
  }

  private async value(service: ServiceName, argument: unknown): Promise<unknown> {
    if (service === "manifest") return this.assetManifest();
    if (service === "chunk") return this.host.assets.chunk((argument as Services["chunk"][0]).file);
    return served(this.host, service, argument);
  }

  private crash(reason: string): void {
    this.tell({ crash: reason });
    this.end(
      new CallError({
        code: "worker-crashed",
        message: `the search engine stopped: ${reason}`,
        hint: "Try again; it starts anew. If it stops again, it starts by words only, with less memory.",
        issues: [],
      }),
    );
  }

  /** Whoever hears nothing for too long while something is at work takes the worker for dead. */
  private watch(): void {
    const silenceMs = this.options.silenceMs ?? 120_000;
    this.heardAt = Date.now();
    clearInterval(this.pingTimer);
    this.pingTimer = setInterval(
      () => {
        if (Date.now() - this.heardAt > silenceMs) this.crash("it did not answer any more");
        else this.post({ type: "ping", id: 0 });
      },
      Math.min(PING_MS, silenceMs / 2),
    );
  }

  private rest(): void {
    clearTimeout(this.idleTimer);
    const idleMs = this.options.idleMs ?? 0;
    if (idleMs && this.pending.size === 0) this.idleTimer = setTimeout(() => this.end(), idleMs);
  }

  /** Whoever ends it in order did not crash: the count of crashes starts again. */
  private end(error: CallError = cancelled()): void {
    if (this.worker && !this.current.safe && error.code !== "worker-crashed") void this.host.crashes.write(0);
    this.worker?.terminate();
    this.worker = null;
    this.starting = null;
    clearInterval(this.pingTimer);
    clearTimeout(this.idleTimer);
    const settled = this.settled;
    this.settled = null;
    const lost = [...this.pending.values()];
    this.pending.clear();
    this.tell({ phase: "off", ready: null, stage: "" });
    settled?.(error);
    for (const each of lost) each.reject(error);
  }

  private post(message: ToWorker, transfer: ArrayBuffer[] = []): void {
    this.worker?.postMessage(message, transfer);
  }

  private tell(change: Partial<RuntimeState>): void {
    this.current = { ...this.current, ...change };
    for (const listener of this.listeners) listener(this.current);
  }
}

/** A worker of these bytes. Throws CallError `worker-refused`: no worker may be made of a blob here. */
export function moduleWorker(source: Uint8Array): Worker {
  const url = URL.createObjectURL(new Blob([source as Uint8Array<ArrayBuffer>], { type: "text/javascript" }));
  try {
    return new Worker(url, { type: "module" });
  } catch (error) {
    const message = `the worker could not be started: ${error instanceof Error ? error.message : String(error)}`;
    throw new CallError({ code: "worker-refused", message, hint: "", issues: [] });
  }
}

function cancelled(): CallError {
  return new CallError({ code: "cancelled", message: "it was cancelled", hint: "", issues: [] });
}

/** The buffers of bytes that a message carries: they move, they are not copied. A view of a larger buffer is copied. */
function buffersOf(value: unknown): ArrayBuffer[] {
  const bytes = value instanceof Uint8Array ? value : (value as { data?: unknown } | null)?.data;
  if (!(bytes instanceof Uint8Array) || bytes.byteLength !== bytes.buffer.byteLength) return [];
  return bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
}
