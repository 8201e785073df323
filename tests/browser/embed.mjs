// Embeds token ids as a browser would: ONNX Runtime Web, one thread, casts left in the graph to save memory.
// Arguments: path of the model, JSON file of lists of ids, file for the float32 vectors.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const [, , model, idsFile, vectorsFile] = process.argv;
const ort = createRequire(new URL("../../wasm/package.json", import.meta.url))("onnxruntime-web/wasm");

ort.env.wasm.numThreads = 1;
const session = await ort.InferenceSession.create(readFileSync(model), {
  executionProviders: ["wasm"],
  graphOptimizationLevel: "disabled",
});
const vectors = [];
for (const ids of JSON.parse(readFileSync(idsFile, "utf8"))) {
  const input = new ort.Tensor("int32", Int32Array.from(ids), [1, ids.length]);
  const { embedding } = await session.run({ input_ids: input });
  vectors.push(Buffer.from(embedding.data.slice().buffer));
}
writeFileSync(vectorsFile, Buffer.concat(vectors));
