// ONNX Runtime Web in the worker: one model at a time, one thread, from local bytes.

import * as ort from "onnxruntime-web/wasm";
import { type EngineFiles, release } from "./files";
import { lean } from "./network";
import { ORIGIN, provide, withdraw } from "./origin";

const MODULE = "ort.wasm";
const NETWORK = "model.onnx";
const INPUT = "input_ids";
const OUTPUT = "embedding";

export class Encoder {
  private session: ort.InferenceSession | null = null;
  private model = "";
  private opened = false;

  /** Args: folder: where the files lie on a host that reads files itself (Node). */
  constructor(
    private readonly files: EngineFiles,
    private readonly folder: string | undefined,
    private readonly loaded: (model: string) => void,
  ) {}

  /** Make the model the one that is loaded; the one before it gives its memory back first. */
  async load(model: string): Promise<void> {
    if (this.model === model) return;
    await this.unload();
    const failed = this.opened ? [] : await this.provideModule();
    const network = await this.files.read(`${model}/${NETWORK}`);
    this.session = await Promise.race([session(network), ...failed]);
    release(network);
    withdraw(MODULE);
    this.opened = true;
    this.model = model;
    this.loaded(model);
  }

  /** What rejects when the module turns out to be damaged. */
  private async provideModule(): Promise<Promise<never>[]> {
    Object.assign(ort.env.wasm, { numThreads: 1, proxy: false });
    if (this.folder) {
      Object.assign(ort.env.wasm, { wasmBinary: await this.files.read(MODULE) });
      return [];
    }
    const { body, failed } = await this.files.stream(MODULE);
    provide(MODULE, body);
    Object.assign(ort.env.wasm, { wasmPaths: { wasm: ORIGIN + MODULE } });
    return [failed];
  }

  async unload(): Promise<void> {
    const session = this.session;
    this.session = null;
    this.model = "";
    await session?.release();
  }

  /** The vector of one text, by its ids, from the model that is loaded. */
  async embed(ids: Int32Array): Promise<Float32Array> {
    if (!this.session) throw new Error("no model is loaded");
    const input = new ort.Tensor("int32", ids, [1, ids.length]);
    const result = await this.session.run({ [INPUT]: input });
    const vector = result[OUTPUT]?.data;
    if (!(vector instanceof Float32Array)) throw new Error(`expected a float32 ${OUTPUT}, found none`);
    return vector;
  }
}

function session(network: Uint8Array): Promise<ort.InferenceSession> {
  return ort.InferenceSession.create(lean(network, NETWORK), {
    executionProviders: ["wasm"],
    externalData: [{ path: NETWORK, data: network }],
    graphOptimizationLevel: "disabled", // folding would keep the weights as floats: four times the memory
  });
}
