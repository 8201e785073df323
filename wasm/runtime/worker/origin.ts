// Bytes that libraries fetch by URL, served from memory: nothing that runs in the worker reaches the network.

export const ORIGIN = "https://okf-edge.invalid/";

const files = new Map<string, Uint8Array | ReadableStream<Uint8Array>>();
let installed = false;

/** Serve a file under a name of the virtual origin until it is taken away; a stream, once. */
export function provide(name: string, body: Uint8Array | ReadableStream<Uint8Array>): void {
  install();
  files.set(name, body);
}

export function withdraw(name: string): void {
  files.delete(name);
}

/** From now on every fetch of this worker is answered from memory, or fails. */
function install(): void {
  if (installed) return;
  installed = true;
  globalThis.fetch = async (input: RequestInfo | URL): Promise<Response> => {
    const url = input instanceof Request ? input.url : String(input);
    const body = url.startsWith(ORIGIN) ? files.get(decodeURIComponent(url.slice(ORIGIN.length))) : undefined;
    if (!body) return new Response(null, { status: 404, statusText: `${url} is not among the engine's files` });
    const type = url.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    return new Response(body as BodyInit, { headers: { "content-type": type } });
  };
}
