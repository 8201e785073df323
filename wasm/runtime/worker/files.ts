// What the worker has of the engine's files, and how bytes of theirs are handed on and given back.

import { XzReadableStream } from "xz-decompress";
import type { Decoders, Streamed } from "../assets";

export interface EngineFiles {
  /** Whole and proved. */
  read(name: string): Promise<Uint8Array>;
  /** While it is unpacked; proved chunk by chunk. */
  stream(name: string): Promise<Streamed>;
}

const MODULE_TYPE = { headers: { "content-type": "application/wasm" } };

/** A module of WebAssembly, compiled while it is unpacked. */
export async function compiled(files: EngineFiles, name: string): Promise<WebAssembly.Module> {
  const { body, failed } = await files.stream(name);
  return Promise.race([WebAssembly.compileStreaming(new Response(body, MODULE_TYPE)), failed]);
}

/** Unpacking is done here, off the page's thread; what was unpacked is let go at once. */
export const DECODERS: Decoders = {
  xz: (stored) => new XzReadableStream(passed(stored)),
  gzip: (stored) => passed(stored).pipeThrough(new DecompressionStream("gzip")),
};

/** Let go of the decoder's memory, which grew to 10 MB with what it unpacked; the next stream makes another. */
export function dropDecoder(): void {
  Object.assign(XzReadableStream, { _moduleInstance: undefined, _moduleInstancePromise: undefined });
}

/** The same stream; a decoder that asks for a piece has done with the one before the last. */
function passed(stored: Stored): Stored {
  const reader = stored.getReader();
  const given: Uint8Array[] = [];
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> => {
    const part = await reader.read();
    if (part.done) return controller.close();
    if (given.length === 2) release(given.shift() as Uint8Array);
    given.push(part.value);
    controller.enqueue(part.value);
  };
  return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 });
}

type Stored = ReadableStream<Uint8Array<ArrayBuffer>>;

/** Give the memory of bytes back now, not when garbage is next collected: nobody may use them any more. */
export function release(data: Uint8Array): void {
  (data.buffer as { transfer?: (bytes: number) => ArrayBuffer }).transfer?.(0);
}
