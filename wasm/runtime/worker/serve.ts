// The worker: boots the engine, runs the calls of its page, asks the page for what it can't do itself.
//
// 1. Words first: Python and DuckDB are opened at the start, the model with the first question that wants it.
// 2. Nothing is kept that a new worker could not make again: whoever ends this one loses no work that was done.
// 3. An engine that trapped can't be trusted any more: the page is told, and starts another.

import type { PyodideAPI } from "pyodide";
import { type AssetManifest, type Chunks, readAsset, type Streamed, streamAsset } from "../assets";
import { failureOf } from "../failure";
import type { Failure, ServiceName, StartOptions, ToPage, ToWorker } from "../messages";
import { Database } from "./database";
import { Encoder } from "./encoder";
import { compiled, DECODERS, dropDecoder, type EngineFiles } from "./files";
import { bootPython } from "./python";

/** One end of the wire. */
export interface Port {
  post(message: ToPage, transfer?: ArrayBuffer[]): void;
  listen(handler: (message: ToWorker) => void): void;
}

/** `okf_edge_wasm/worker.py`. */
interface PythonSide {
  run(id: number, name: string, argument: string, data: Uint8Array | undefined): Promise<string>;
  cancel(id: number): void;
}

interface Answered {
  value?: unknown;
  failure?: Failure;
}

export interface Surroundings {
  /** Where the engine's files lie on a host that reads files itself (Node). */
  folder?: string;
  /** Told of Python once it is there: for tests that run in it. */
  opened?: (python: PyodideAPI) => void;
}

export function serve(port: Port, surroundings: Surroundings = {}): void {
  const worker = new Worker(port, surroundings);
  port.listen((message) => worker.hear(message));
}

class Worker {
  private readonly asked = new Map<number, (answer: Answered) => void>();
  private nextId = 1;
  private python: PythonSide | null = null;
  private manifest: Promise<AssetManifest> | null = null;
  private readonly chunks: Chunks = {
    chunk: async (file) => (await this.ask("chunk", { file })) as Uint8Array,
  };

  constructor(
    private readonly port: Port,
    private readonly surroundings: Surroundings,
  ) {}

  hear(message: ToWorker): void {
    switch (message.type) {
      case "start":
        void this.start(message.options);
        return;
      case "call":
        void this.call(message.id, message.name, message.argument);
        return;
      case "cancel":
        return this.python?.cancel(message.id);
      case "reply":
        this.asked.get(message.id)?.(message);
        this.asked.delete(message.id);
        return;
      case "ping":
        return this.port.post({ type: "pong", id: message.id });
    }
  }

  private async start(options: StartOptions): Promise<void> {
    try {
      this.python = await this.boot(options);
      this.port.post({ type: "ready", ready: "words", model: "" });
    } catch (error) {
      this.port.post({ type: "unstarted", failure: failureOf(error) });
    }
  }

  private async boot(options: StartOptions): Promise<PythonSide> {
    const files: EngineFiles = { read: (name) => this.read(name), stream: (name) => this.stream(name) };
    this.stage("Opening the engine");
    const [python, database] = await Promise.all([
      bootPython(files, this.surroundings.folder),
      options.safe ? null : Database.open((name) => compiled(files, name)),
    ]);
    dropDecoder();
    const encoder = new Encoder(files, this.surroundings.folder, (model) => {
      dropDecoder();
      this.port.post({ type: "ready", ready: "meaning", model });
    });
    python.registerJsModule("okf_edge_bridge", {
      ask: this.askFromPython.bind(this),
      tell: this.tell.bind(this),
      database,
      encoder,
    });
    this.stage("Reading the words");
    this.surroundings.opened?.(python);
    return composed(python, options);
  }

  private async call(id: number, name: string, argument: unknown): Promise<void> {
    if (!this.python) return;
    const { data, ...rest } = argument as { data?: Uint8Array };
    try {
      const outcome = JSON.parse(await this.python.run(id, name, JSON.stringify(rest), data)) as Answered;
      if (outcome.failure) this.port.post({ type: "failed", id, failure: outcome.failure });
      else this.port.post({ type: "result", id, value: outcome.value });
    } catch (error) {
      this.port.post({ type: "crash", message: lastLine(error) });
    }
  }

  /** One of the engine's files, whole and proved. */
  private async read(name: string): Promise<Uint8Array> {
    return readAsset(this.chunks, await this.listed(), name, DECODERS);
  }

  private async stream(name: string): Promise<Streamed> {
    return streamAsset(this.chunks, await this.listed(), name, DECODERS);
  }

  private listed(): Promise<AssetManifest> {
    this.manifest ??= this.ask("manifest", {}) as Promise<AssetManifest>;
    return this.manifest;
  }

  private async ask(service: ServiceName, argument: unknown, transfer: ArrayBuffer[] = []): Promise<unknown> {
    const id = this.nextId++;
    const answer = await new Promise<Answered>((resolve) => {
      this.asked.set(id, resolve);
      this.port.post({ type: "ask", id, service, argument }, transfer);
    });
    if (answer.failure) throw Object.assign(new Error(answer.failure.message), answer.failure);
    return answer.value;
  }

  /** What Python asks of the page: JSON and bytes each way, and failures as values. */
  private async askFromPython(service: ServiceName | "asset", argument: string, data?: Uint8Array): Promise<unknown> {
    const asked = JSON.parse(argument) as Record<string, unknown>;
    try {
      if (service === "asset") return { data: await this.read(String(asked["name"])) };
      const value = await this.ask(
        service,
        data ? { ...asked, data } : asked,
        data ? [data.buffer as ArrayBuffer] : [],
      );
      if (value instanceof Uint8Array) return { data: value };
      const { data: bytes, ...rest } = (value ?? {}) as { data?: Uint8Array };
      return bytes instanceof Uint8Array
        ? { data: bytes, json: JSON.stringify(rest) }
        : { json: JSON.stringify(value ?? null) };
    } catch (error) {
      return { failure: JSON.stringify(failureOf(error)) };
    }
  }

  private tell(message: string): void {
    this.port.post(JSON.parse(message) as ToPage);
  }

  private stage(label: string): void {
    this.port.post({ type: "stage", label });
  }
}

function composed(python: PyodideAPI, options: StartOptions): PythonSide {
  const module = python.pyimport("okf_edge_wasm.worker") as { opened(options: string): PythonSide };
  return module.opened(JSON.stringify(options));
}

/** Of a Python traceback, what went wrong. */
function lastLine(error: unknown): string {
  const lines = String(error instanceof Error ? error.message : error)
    .trim()
    .split("\n");
  return lines.at(-1) ?? "";
}
