// Empties the functions of a WebAssembly module that nothing can reach: neither an export, nor a table, nor a function
// that is reached. They keep their numbers, so nothing else changes; a call of one would trap.
//
// Once DuckDB's exports are stripped, a quarter of its functions are such. What a device unpacks, compiles and keeps is
// the less.

import {
  CODE,
  decoded,
  ELEMENTS,
  encoded,
  EXPORTS,
  exportsOf,
  FUNCTION,
  IMPORTS,
  importsOf,
  joined,
  rewritten,
  sectionsOf,
  START,
} from "./sections.mjs";

/** No locals, `unreachable`, `end`. */
const EMPTY = Uint8Array.of(3, 0, 0, 11);

/** The module without unreachable code, and how many functions were emptied. */
export function hollowed(module) {
  const bodies = new Map(sectionsOf(module).map(({ id, body }) => [id, body]));
  const functions = [...functionsOf(bodies.get(CODE))];
  const imported = [...importsOf(bodies.get(IMPORTS))].filter(({ kind }) => kind === FUNCTION).length;
  const reached = reachedFrom(rootsOf(bodies), functions, imported);
  const made = functions.map((each, number) => (reached.has(imported + number) ? each.whole : EMPTY));
  const code = joined([encoded(made.length), ...made]);
  return { module: rewritten(module, new Map([[CODE, code]])), emptied: made.filter((each) => each === EMPTY).length };
}

function reachedFrom(roots, functions, imported) {
  const reached = new Set(roots);
  for (const number of reached) {
    const found = functions[number - imported];
    if (found) for (const called of calledBy(found.body)) reached.add(called);
  }
  return reached;
}

function* functionsOf(code) {
  const count = decoded(code, 0);
  for (let at = count.next, n = 0; n < count.value; n++) {
    const size = decoded(code, at);
    const end = size.next + size.value;
    yield { body: code.subarray(size.next, end), whole: code.subarray(at, end) };
    at = end;
  }
}

function* rootsOf(bodies) {
  for (const each of exportsOf(bodies.get(EXPORTS))) if (each.kind === FUNCTION) yield each.number;
  if (bodies.has(START)) yield decoded(bodies.get(START), 0).value;
  yield* tabled(bodies.get(ELEMENTS));
}

/** The functions in tables. Only segments of numbers are known, which are all that compilers write. */
function* tabled(body) {
  const count = decoded(body, 0);
  for (let at = count.next, n = 0; n < count.value; n++) {
    if (body[at] !== 0) throw new Error(`expected an active segment of functions, found kind ${body[at]}`);
    const offset = decoded(body, at + 2); // after the instruction that tells where the segment begins
    const size = decoded(body, offset.next + 1);
    at = size.next;
    for (let left = size.value; left > 0; left--) {
      const found = decoded(body, at);
      yield found.value;
      at = found.next;
    }
  }
}

/** The functions that a function calls, or whose reference it takes. */
function* calledBy(body) {
  let at = afterLocals(body);
  while (at < body.length) {
    const instruction = body[at++];
    if (instruction === 0x10 || instruction === 0x12 || instruction === 0xd2) yield decoded(body, at).value;
    at = afterImmediates(instruction, body, at);
  }
}

function afterLocals(body) {
  const groups = decoded(body, 0);
  let at = groups.next;
  for (let left = groups.value; left > 0; left--) at = decoded(body, at).next + 1;
  return at;
}

function afterImmediates(instruction, body, at) {
  if (instruction === 0x0e) return afterNumbers(body, at, decoded(body, at).value + 2); // br_table
  if (instruction === 0x1c) return decoded(body, at).next + decoded(body, at).value; // select with types
  if (instruction === 0x43) return at + 4;
  if (instruction === 0x44) return at + 8;
  if (instruction === 0xfc) return afterNumbers(body, decoded(body, at).next, bulkNumbers(decoded(body, at).value));
  return afterNumbers(body, at, numbersOf(instruction));
}

/** How many numbers follow an instruction. */
function numbersOf(instruction) {
  const within = (first, last) => instruction >= first && instruction <= last;
  if (within(0x28, 0x3e) || instruction === 0x11 || instruction === 0x13) return 2;
  if (within(0x02, 0x04) || within(0x06, 0x09) || within(0x0c, 0x0d) || within(0x20, 0x26)) return 1;
  if (within(0x3f, 0x42) || within(0x10, 0x12) || instruction === 0x18 || instruction === 0xd0) return 1;
  if (instruction === 0xd2) return 1;
  if (within(0x00, 0x01) || within(0x0a, 0x0b) || within(0x19, 0x1b) || within(0x45, 0xc4)) return 0;
  if (instruction === 0x05 || instruction === 0x0f || instruction === 0xd1) return 0;
  throw new Error(`expected a known instruction, found 0x${instruction.toString(16)}`);
}

/** The same for those of memory and tables. */
function bulkNumbers(instruction) {
  if (instruction <= 7) return 0;
  return [8, 10, 12, 14].includes(instruction) ? 2 : 1;
}

function afterNumbers(body, at, count) {
  let next = at;
  for (let left = count; left > 0; left--) next = decoded(body, next).next;
  return next;
}
