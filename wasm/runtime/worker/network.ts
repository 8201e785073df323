// An ONNX network as it takes least memory, which in ONNX Runtime never shrinks. The vectors stay the same.
//
// 1. Its weights are left where they lie in the file: read whole, the file, its parts and its tensors are three copies.
// 2. Operators on weights alone come first in the list: of what an operator needs, ONNX Runtime runs last what comes
//    first, so that a matrix is unpacked when it is multiplied, and not all of them before anything else.
//
// Only as much of the format is known as that needs: a model has a graph; a graph has nodes, which have names of inputs,
// and initializers, which have a name and bytes that can be said to lie elsewhere.

const GRAPH = 7;
const NODE = 1;
const INPUT = 1;
const INITIALIZER = 5;
const NAME = 8;
const RAW_DATA = 9;
const EXTERNAL_DATA = 13;
/** The field `data_location`, and in it: external. */
const IS_EXTERNAL = Uint8Array.of(14 << 3, 1);
const LEAST_BYTES = 1024;

/** Where a value begins and ends. */
interface Span {
  value: number;
  to: number;
}

interface Field extends Span {
  number: number;
  from: number;
}

/** The network with its larger weights at `location`, which has to hold the file as it was. */
export function lean(network: Uint8Array, location: string): Uint8Array<ArrayBuffer> {
  const fields = [...fieldsOf(network, { value: 0, to: network.byteLength })];
  return joined(
    fields.map((field) =>
      field.number === GRAPH ? message(GRAPH, leanGraph(network, field, location)) : bytesOf(network, field),
    ),
  );
}

function leanGraph(network: Uint8Array, graph: Span, location: string): Uint8Array {
  const fields = [...fieldsOf(network, graph)];
  const weights = fields.filter((field) => field.number === INITIALIZER);
  const names = new Set(weights.flatMap((weight) => textsOf(network, weight, NAME)));
  const isOnWeights = (field: Field): boolean =>
    field.number === NODE && textsOf(network, field, INPUT).every((name) => names.has(name));
  const first = fields.filter(isOnWeights);
  const rest = fields.filter((field) => field.number !== INITIALIZER && !first.includes(field));
  return joined([
    ...[...first, ...rest].map((field) => bytesOf(network, field)),
    ...weights.map((weight) => message(INITIALIZER, withoutData(network, weight, location))),
  ]);
}

function withoutData(network: Uint8Array, tensor: Span, location: string): Uint8Array {
  const fields = [...fieldsOf(network, tensor)];
  const data = fields.find((field) => field.number === RAW_DATA);
  if (!data || data.to - data.value < LEAST_BYTES) return network.subarray(tensor.value, tensor.to);
  const left = fields.filter((field) => field !== data).map((field) => bytesOf(network, field));
  const place = { location, offset: data.value, length: data.to - data.value };
  const entries = Object.entries(place).map(([key, value]) => message(EXTERNAL_DATA, entry(key, String(value))));
  return joined([...left, ...entries, IS_EXTERNAL]);
}

function bytesOf(data: Uint8Array, field: Field): Uint8Array {
  return data.subarray(field.from, field.to);
}

/** The values of a message's fields of this number. */
function textsOf(data: Uint8Array, span: Span, number: number): string[] {
  const found = [...fieldsOf(data, span)].filter((field) => field.number === number);
  return found.map((field) => new TextDecoder().decode(data.subarray(field.value, field.to)));
}

function* fieldsOf(data: Uint8Array, span: Span): Generator<Field> {
  for (let from = span.value; from < span.to;) {
    const tag = numberAt(data, from);
    const field = { number: tag.number >>> 3, from, ...valueAt(data, tag.number & 7, tag.to) };
    yield field;
    from = field.to;
  }
}

function valueAt(data: Uint8Array, wire: number, at: number): Span {
  const { number, to } = numberAt(data, at);
  if (wire === 0) return { value: at, to };
  if (wire === 1) return { value: at, to: at + 8 };
  if (wire === 2) return { value: to, to: to + number };
  if (wire === 5) return { value: at, to: at + 4 };
  throw new Error(`expected a network in ONNX's format, found a field of kind ${wire}`);
}

function numberAt(data: Uint8Array, at: number): { number: number; to: number } {
  let number = 0;
  for (let to = at, weight = 1; ; weight *= 128) {
    const byte = data[to++] ?? 0;
    number += (byte & 127) * weight;
    if (byte < 128) return { number, to };
  }
}

function entry(key: string, value: string): Uint8Array {
  const encoder = new TextEncoder();
  return joined([message(1, encoder.encode(key)), message(2, encoder.encode(value))]);
}

function message(number: number, body: Uint8Array): Uint8Array {
  return joined([Uint8Array.from([...digits(number * 8 + 2), ...digits(body.byteLength)]), body]);
}

function digits(number: number): number[] {
  return number < 128 ? [number] : [(number % 128) | 128, ...digits(Math.floor(number / 128))];
}

function joined(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.byteLength;
  }
  return all;
}
