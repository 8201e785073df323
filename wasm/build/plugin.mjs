// Builds the Obsidian plugin into dist/obsidian, and the page that stands in for the app in tests into dist/host.
//
// main.js pins the engine's files: the sha256 of their list, which has the sha256 of every chunk, is built into it.
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const SHARED = { bundle: true, minify: true, legalComments: "none", target: "es2022", logLevel: "warning" };

/** Builds the plugin into `out`. `engine` is the folder with the engine's files; without it nothing is pinned. */
export async function buildPlugin(out, engine) {
  mkdirSync(out, { recursive: true });
  await build({
    ...SHARED,
    entryPoints: [join(ROOT, "obsidian/main.ts")],
    outfile: join(out, "main.js"),
    format: "cjs",
    external: ["obsidian"],
    define: { ENGINE_SHA256: JSON.stringify(digestOfList(engine)) },
  });
  writeFileSync(join(out, "manifest.json"), manifestText());
  cpSync(join(ROOT, "obsidian/styles.css"), join(out, "styles.css"));
}

/** Builds the host model for tests into `out`. */
export async function buildHost(out) {
  mkdirSync(out, { recursive: true });
  await build({ ...SHARED, entryPoints: [join(ROOT, "host/main.ts")], outfile: join(out, "host.js"), format: "esm" });
  for (const name of ["index.html", "host.css"]) cpSync(join(ROOT, "host", name), join(out, name));
}

function manifestText() {
  return readFileSync(join(ROOT, "obsidian/manifest.json"), "utf8");
}

function digestOfList(engine) {
  const list = engine && join(engine, "manifest.json");
  return list && existsSync(list) ? createHash("sha256").update(readFileSync(list)).digest("hex") : "";
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildPlugin(join(ROOT, "dist/obsidian"), process.argv[2]);
  await buildHost(join(ROOT, "dist/host"));
}
