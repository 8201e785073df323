// Reading and writing the binary format of WebAssembly, as far as its sections go.

export const IMPORTS = 2;
export const EXPORTS = 7;
export const START = 8;
export const ELEMENTS = 9;
export const CODE = 10;
export const FUNCTION = 0;

/** Every section: its number, what is in it, and the whole of it. */
export function sectionsOf(module) {
  const found = [];
  for (let at = 8; at < module.length;) {
    const size = decoded(module, at + 1);
    const end = size.next + size.value;
    found.push({ id: module[at], body: module.subarray(size.next, end), whole: module.subarray(at, end) });
    at = end;
  }
  return found;
}

/** The module with another body for some of its sections. `bodies` is by their numbers. */
export function rewritten(module, bodies) {
  const parts = sectionsOf(module).map(({ id, whole }) => (bodies.has(id) ? section(id, bodies.get(id)) : whole));
  return joined([module.subarray(0, 8), ...parts]);
}

function section(id, body) {
  return joined([Uint8Array.of(id), encoded(body.length), body]);
}

export function* exportsOf(body) {
  const count = decoded(body, 0);
  for (let at = count.next, n = 0; n < count.value; n++) {
    const { text: name, next } = textAt(body, at);
    const number = decoded(body, next + 1);
    yield { name, kind: body[next], number: number.value, bytes: body.subarray(at, number.next) };
    at = number.next;
  }
}

export function* importsOf(body) {
  const count = decoded(body, 0);
  for (let at = count.next, n = 0; n < count.value; n++) {
    const module = textAt(body, at);
    const field = textAt(body, module.next);
    yield { module: module.text, name: field.text, kind: body[field.next] };
    at = afterDescription(body, field.next);
  }
}

/** Where the description of an import ends: function, table, memory, global or tag. */
function afterDescription(body, at) {
  switch (body[at]) {
    case FUNCTION:
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

/** An unsigned number of variable length, and where it ends. */
export function decoded(bytes, at) {
  let value = 0;
  for (let shift = 1, next = at; ; shift *= 128) {
    const byte = bytes[next++];
    value += (byte & 127) * shift;
    if (byte < 128) return { value, next };
  }
}

export function encoded(value) {
  const bytes = [];
  for (let left = value; bytes.length === 0 || left > 0; left = Math.floor(left / 128)) {
    bytes.push((left % 128) | (left >= 128 ? 128 : 0));
  }
  return Uint8Array.from(bytes);
}

export function joined(parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
