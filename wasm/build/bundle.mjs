// Builds what is JavaScript and WebAssembly of the engine: the worker, and DuckDB and Python without the exports that
// nobody uses, into the first folder; what tests run into the second. The third has what Python links while it runs.

import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { hollowed } from "./hollow.mjs";
import { stripped } from "./strip.mjs";
import { COMMON, IN_BROWSER, workerSource } from "./worker.mjs";

const WASM = fileURLToPath(new URL("..", import.meta.url));
const DUCKDB = `${WASM}node_modules/@duckdb/duckdb-wasm/dist/`;
const PYODIDE = `${WASM}node_modules/pyodide/`;
const MOST_EXPORTS = 1_000;
const LEAST_EMPTIED = 10_000;
/** What Python's glue says of every function that is exported: that there is a variable for it, and that it is set. */
const DECLARED = /\bvar (?:[\w$]+,){9,}[\w$]+|[\w$]+=Module\["[\w$]+"\]=wasmExports\["[\w$]+"\](?!\.value)/g;

const [, , engine, testing, linkedFolder] = process.argv;

/** DuckDB's build for browsers takes itself for one in Node too: tests run what browsers run. */
const asInBrowser = {
  name: "as-in-browser",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^stream\/web$/ }, ({ path }) => ({ path, namespace: "nothing" }));
    onLoad({ filter: /./, namespace: "nothing" }, () => ({ contents: "" }));
    onLoad({ filter: /duckdb-browser-blocking\.mjs$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll("process.versions.node", "process.versions.none"),
    }));
  },
};
const inNode = { ...COMMON, platform: "neutral", mainFields: ["module", "main"], plugins: [asInBrowser] };

writeFileSync(`${engine}/worker.js`, await workerSource());
for (const name of ["worker_browser", "page"]) {
  await build({ ...IN_BROWSER, entryPoints: [`${WASM}runtime/testing/${name}.ts`], outfile: `${testing}/${name}.js` });
}
for (const name of ["worker_node", "node", "parts"]) {
  await build({ ...inNode, entryPoints: [`${WASM}runtime/testing/${name}.ts`], outfile: `${testing}/${name}.mjs` });
}

const glue = readFileSync(`${DUCKDB}duckdb-browser-blocking.mjs`, "utf8");
const { module: lean, kept } = stripped(readFileSync(`${DUCKDB}duckdb-eh.wasm`), glue);
const { module, emptied } = hollowed(lean);
if (kept > MOST_EXPORTS || emptied < LEAST_EMPTIED || !WebAssembly.validate(module)) {
  throw new Error(`DuckDB has ${kept} exports and ${emptied} empty functions after stripping`);
}
writeFileSync(`${engine}/duckdb.wasm`, module);

copyFileSync(`${WASM}node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm`, `${engine}/ort.wasm`);
copyFileSync(`${PYODIDE}pyodide.asm.mjs`, `${engine}/pyodide.asm.mjs`);
const linked = readdirSync(linkedFolder).map((name) => readFileSync(`${linkedFolder}/${name}`));
const pythonGlue = `${readFileSync(`${PYODIDE}pyodide.asm.mjs`, "utf8").replace(DECLARED, "")}
${readFileSync(`${PYODIDE}pyodide.mjs`, "utf8")}`;
const python = hollowed(stripped(readFileSync(`${PYODIDE}pyodide.asm.wasm`), pythonGlue, linked).module);
if (!WebAssembly.validate(python.module)) throw new Error("Python's module is no module after stripping");
writeFileSync(`${engine}/pyodide.asm.wasm`, python.module);
