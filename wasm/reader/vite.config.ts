import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { build } from "esbuild";
import { defineConfig, type Plugin } from "vite";

import { workerSource } from "../build/worker.mjs";

const version = /__version__ = "([^"]+)"/.exec(
  readFileSync(join(import.meta.dirname, "../../core/okf_edge/__init__.py"), "utf8"),
)?.[1];

/** What the site offers: each site has its own, so it is no part of the page. */
const OFFERS = "site.json";

/** Writes `worker.js`, for sites that allow no other worker, and `sw.js`, which knows every file of the page. */
function serviceWorker(): Plugin {
  return {
    name: "service-worker",
    apply: "build",
    async generateBundle(_, bundle) {
      const files = readdirSync(join(import.meta.dirname, "public")).filter((name) => name !== OFFERS);
      const shell = [...Object.keys(bundle), ...files].sort();
      const digest = createHash("sha256");
      const engineWorker = await workerSource();
      this.emitFile({ type: "asset", fileName: "worker.js", source: engineWorker });
      digest.update(engineWorker);
      for (const name of Object.keys(bundle).sort()) {
        const output = bundle[name];
        digest.update(name).update(output?.type === "chunk" ? output.code : (output?.source ?? ""));
      }
      for (const name of files) digest.update(readFileSync(join(import.meta.dirname, "public", name)));
      const made = await build({
        entryPoints: [join(import.meta.dirname, "service_worker.ts")],
        bundle: true,
        write: false,
        minify: true,
        format: "iife",
        target: "es2022",
        define: {
          __SHELL__: JSON.stringify(shell),
          __SHELL_DIGEST__: JSON.stringify(
            digest
              .update(version ?? "")
              .digest("hex")
              .slice(0, 16),
          ),
        },
      });
      this.emitFile({ type: "asset", fileName: "sw.js", source: made.outputFiles[0]?.text ?? "" });
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  define: { __VERSION__: JSON.stringify(version) },
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: { outDir: "../dist/reader", emptyOutDir: true, target: "es2022", modulePreload: false, sourcemap: false },
  plugins: [serviceWorker()],
});
