// What the worker has of the engine's files, and how bytes of theirs are handed on and given back.

import type { Streamed } from "../assets";

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

/** Give the memory of bytes back now, not when garbage is next collected: nobody may use them any more. */
export function release(data: Uint8Array): void {
  (data.buffer as { transfer?: (bytes: number) => ArrayBuffer }).transfer?.(0);
}
