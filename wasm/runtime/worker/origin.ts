// Bytes that libraries fetch by URL, served from memory: nothing that runs in the worker reaches the network.

export const ORIGIN = "https://okf-edge.invalid/";

const files = new Map<string, Uint8Array>();
let installed = false;

/** Serve bytes under a name of the virtual origin until they are taken away. */
export function provide(name: string, data: Uint8Array): void {
  install();
  files.set(name, data);
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
    const data = url.startsWith(ORIGIN) ? files.get(decodeURIComponent(url.slice(ORIGIN.length))) : undefined;
    if (!data) return new Response(null, { status: 404, statusText: `${url} is not among the engine's files` });
    const type = url.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    return new Response(data as Uint8Array<ArrayBuffer>, { headers: { "content-type": type } });
  };
}
