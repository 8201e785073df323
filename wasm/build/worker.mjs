// How the engine's worker is made: the same bytes wherever it is built.

import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const WASM = fileURLToPath(new URL("..", import.meta.url));
const NODE_ONLY = ["fs", "fs/promises", "path", "url", "crypto", "vm", "ws", "child_process", "module"];
export const COMMON = {
  bundle: true,
  format: "esm",
  minify: true,
  target: "es2022",
  resolveExtensions: [".ts", ".mjs", ".js"],
  external: ["node:*", ...NODE_ONLY],
  logLevel: "warning",
  absWorkingDir: WASM,
};
export const IN_BROWSER = { ...COMMON, platform: "browser" };

/** The text of the worker. */
export async function workerSource() {
  const made = await build({ ...IN_BROWSER, entryPoints: [`${WASM}runtime/worker/browser.ts`], write: false });
  return made.outputFiles[0].text;
}
