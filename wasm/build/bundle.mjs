// Builds what is JavaScript and WebAssembly of the engine into a folder: the worker, for a browser and for Node, and
// DuckDB without the exports that nobody uses.

import { readFileSync, writeFileSync, copyFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { stripped } from "./strip.mjs";

const WASM = fileURLToPath(new URL("..", import.meta.url));
const DUCKDB = `${WASM}node_modules/@duckdb/duckdb-wasm/dist/`;
const PYODIDE = `${WASM}node_modules/pyodide/`;
const MOST_EXPORTS = 1_000;
const NODE_ONLY = [
  "fs",
  "fs/promises",
  "path",
  "url",
  "crypto",
  "vm",
  "ws",
  "child_process",
  "module",
  "worker_threads",
];

const [, , folder] = process.argv;

/** DuckDB's build for browsers takes itself for one in Node too: tests run what browsers run. */
const asInBrowser = {
  name: "as-in-browser",
  setup: ({ onLoad }) =>
    onLoad({ filter: /duckdb-browser-blocking\.mjs$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll("process.versions.node", "process.versions.none"),
    })),
};

const common = {
  bundle: true,
  format: "esm",
  minify: true,
  target: "es2022",
  resolveExtensions: [".ts", ".mjs", ".js"],
  external: ["node:*", ...NODE_ONLY],
  logLevel: "warning",
};
await build({
  ...common,
  entryPoints: [`${WASM}runtime/worker/browser.ts`],
  platform: "browser",
  outfile: `${folder}/worker.js`,
});
await build({
  ...common,
  entryPoints: [`${WASM}runtime/worker/node.ts`],
  platform: "neutral",
  mainFields: ["module", "main"],
  plugins: [asInBrowser],
  outfile: `${folder}/worker.node.mjs`,
});

const glue = readFileSync(`${DUCKDB}duckdb-browser-blocking.mjs`, "utf8");
const { module, kept } = stripped(readFileSync(`${DUCKDB}duckdb-eh.wasm`), glue);
if (kept > MOST_EXPORTS || !WebAssembly.validate(module)) throw new Error(`DuckDB has ${kept} exports after stripping`);
writeFileSync(`${folder}/duckdb.wasm`, module);

copyFileSync(`${WASM}node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm`, `${folder}/ort.wasm`);
for (const name of ["pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"])
  copyFileSync(PYODIDE + name, `${folder}/${name}`);
