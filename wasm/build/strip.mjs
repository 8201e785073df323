// Rewrites the export section of a WebAssembly module so that only what its glue uses is exported.
//
// DuckDB-Wasm exports 75,011 names for extensions that it would load from the network. Walking them at start costs WebKit
// eight seconds and more than 100 MB; Python's 7,415 cost their part. Kept are names that the module itself resolves at
// start (its imports of GOT.mem and GOT.func), names that the glue mentions, with or without Emscripten's underscore, and
// names that modules import which are linked to it while it runs.

import { encoded, EXPORTS, exportsOf, IMPORTS, importsOf, joined, rewritten, sectionsOf } from "./sections.mjs";

/** The module with fewer exports, and how many are left. */
export function stripped(module, glue, linked = []) {
  const wanted = new Set([...glue.matchAll(/[A-Za-z_$][\w$]*/g)].map(([name]) => name));
  for (const each of importsOf(bodyOf(module, IMPORTS))) if (each.module.startsWith("GOT.")) wanted.add(each.name);
  for (const each of linked.flatMap((library) => [...importsOf(bodyOf(library, IMPORTS))])) wanted.add(each.name);
  const left = [...exportsOf(bodyOf(module, EXPORTS))].filter(({ name }) => wanted.has(name) || wanted.has(`_${name}`));
  const kept = joined([encoded(left.length), ...left.map((each) => each.bytes)]);
  return { module: rewritten(module, new Map([[EXPORTS, kept]])), kept: left.length };
}

function bodyOf(module, id) {
  return sectionsOf(module).find((each) => each.id === id).body;
}
