// ONNX Runtime Web in the worker: one model at a time, one thread, from local bytes.

import * as ort from "onnxruntime-web/wasm";
import { type EngineFiles, release } from "./files";
import { lean } from "./network";

const MODULE = "ort.wasm";
const NETWORK = "model.onnx";
const INPUT = "input_ids";
const OUTPUT = "embedding";

export class Encoder {
  private session: ort.InferenceSession | null = null;
  private model = "";
  private opened = false;

  constructor(
    private readonly files: EngineFiles,
    private readonly loaded: (model: string) => void,
  ) {}

  /** Make the model the one that is loaded; the one before it gives its memory back first. */
  async load(model: string): Promise<void> {
    if (this.model === model) return;
    await this.unload();
    const binary = this.opened ? null : await this.files.read(MODULE);
    if (binary) Object.assign(ort.env.wasm, { numThreads: 1, proxy: false, wasmBinary: binary });
    const network = await this.files.read(`${model}/${NETWORK}`);
    this.session = await session(network);
    release(network);
    this.opened = true;
    delete ort.env.wasm.wasmBinary; // it is compiled: 14 MB that nobody reads again
    if (binary) release(binary);
    this.model = model;
    this.loaded(model);
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
