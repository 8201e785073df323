// Rewrites the export section of a WebAssembly module so that only what its glue uses is exported.
//
// DuckDB-Wasm exports 75,011 names for extensions that it would load from the network. Walking them at start costs WebKit
// eight seconds and more than 100 MB. Kept are names that the module itself resolves at start (its imports of GOT.mem and
// GOT.func), and names that the glue mentions, with or without Emscripten's underscore.

const EXPORTS = 7;
const IMPORTS = 2;

/** The module with fewer exports. `kept` and `dropped` count them. */
export function stripped(module, glue) {
  const sections = sectionsOf(module);
  const wanted = new Set([...glue.matchAll(/[A-Za-z_$][\w$]*/g)].map(([name]) => name));
  const resolved = new Set(globalOffsetNames(sections.find((each) => each.id === IMPORTS).body));
  const parts = [module.subarray(0, 8)];
  const counts = { kept: 0, dropped: 0 };
  for (const { id, body, whole } of sections) {
    if (id !== EXPORTS) {
      parts.push(whole);
      continue;
    }
    const all = exportsOf(body);
    const left = all.filter(({ name }) => resolved.has(name) || wanted.has(name) || wanted.has(`_${name}`));
    const kept = joined([encoded(left.length), ...left.map((each) => each.bytes)]);
    parts.push(Uint8Array.of(EXPORTS), encoded(kept.length), kept);
    counts.kept = left.length;
    counts.dropped = all.length - left.length;
  }
  return { module: joined(parts), ...counts };
}

function sectionsOf(module) {
  const found = [];
  for (let at = 8; at < module.length;) {
    const size = decoded(module, at + 1);
    const end = size.next + size.value;
    found.push({ id: module[at], body: module.subarray(size.next, end), whole: module.subarray(at, end) });
    at = end;
  }
  return found;
}

function exportsOf(body) {
  const count = decoded(body, 0);
  const found = [];
  for (let at = count.next, n = 0; n < count.value; n++) {
    const { text: name, next } = textAt(body, at);
    const end = decoded(body, next + 1).next;
    found.push({ name, bytes: body.subarray(at, end) });
    at = end;
  }
  return found;
}

/** Names that the module imports from its own exports at start. */
function* globalOffsetNames(body) {
  const count = decoded(body, 0);
  for (let at = count.next, n = 0; n < count.value; n++) {
    const module = textAt(body, at);
    const field = textAt(body, module.next);
    if (module.text === "GOT.mem" || module.text === "GOT.func") yield field.text;
    at = afterDescription(body, field.next);
  }
}

/** Where the description of an import ends: function, table, memory, global or tag. */
function afterDescription(body, at) {
  switch (body[at]) {
    case 0:
      return decoded(body, at + 1).next;
    case 1:
      return afterLimits(body, at + 2);
    case 2:
      return afterLimits(body, at + 1);
    case 3:
      return at + 3;
    case 4:
      return decoded(body, at + 2).next;
    default:
      throw new Error(`expected an import of a known kind, found ${body[at]}`);
  }
}

function afterLimits(body, at) {
  const least = decoded(body, at + 1);
  return body[at] & 1 ? decoded(body, least.next).next : least.next;
}

function textAt(bytes, at) {
  const size = decoded(bytes, at);
  const next = size.next + size.value;
  return { text: new TextDecoder().decode(bytes.subarray(size.next, next)), next };
}

function decoded(bytes, at) {
  let value = 0;
  for (let shift = 1, next = at; ; shift *= 128) {
    const byte = bytes[next++];
    value += (byte & 127) * shift;
    if (byte < 128) return { value, next };
  }
}

function encoded(value) {
  const bytes = [];
  for (let left = value; bytes.length === 0 || left > 0; left = Math.floor(left / 128)) {
    bytes.push((left % 128) | (left >= 128 ? 128 : 0));
  }
  return Uint8Array.from(bytes);
}

function joined(parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
