// Rewrites the export section of a WebAssembly module so that only what its glue uses is exported.
//
// DuckDB-Wasm exports 75,011 names for extensions that it would load from the network. Walking them at start costs WebKit
// eight seconds and more than 100 MB. Kept are names that the module itself resolves at start (its imports of GOT.mem and
// GOT.func), and names that the glue mentions, with or without Emscripten's underscore.

import { encoded, EXPORTS, exportsOf, IMPORTS, importsOf, joined, rewritten, sectionsOf } from "./sections.mjs";

/** The module with fewer exports, and how many are left. */
export function stripped(module, glue) {
  const body = (id) => sectionsOf(module).find((each) => each.id === id).body;
  const wanted = new Set([...glue.matchAll(/[A-Za-z_$][\w$]*/g)].map(([name]) => name));
  for (const each of importsOf(body(IMPORTS))) if (each.module.startsWith("GOT.")) wanted.add(each.name);
  const left = [...exportsOf(body(EXPORTS))].filter(({ name }) => wanted.has(name) || wanted.has(`_${name}`));
  const kept = joined([encoded(left.length), ...left.map((each) => each.bytes)]);
  return { module: rewritten(module, new Map([[EXPORTS, kept]])), kept: left.length };
}
