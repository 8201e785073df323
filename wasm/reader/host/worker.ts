// The engine's worker: made of the bytes that were proved, or, where a site's policy refuses that, of the same file
// beside the page.

import { CallError, moduleWorker } from "../../runtime/client";
import { sha256Hex } from "../../runtime/assets";

const BESIDE = "worker.js";

/** A worker of this source. Rejects with CallError `worker-refused`: the site's file is missing, or is another. */
export async function startedWorker(source: Uint8Array): Promise<Worker> {
  if (await allowsBlobs()) return moduleWorker(source);
  const address = new URL(BESIDE, document.baseURI);
  await requireSame(address, source);
  keepForOffline();
  return new Worker(address, { type: "module" });
}

let allowed: Promise<boolean> | null = null;

/** Whether a worker of a blob runs here; a refusal is told by an error event, or thrown, as the browser likes. */
function allowsBlobs(): Promise<boolean> {
  allowed ??= new Promise((resolve) => {
    const url = URL.createObjectURL(new Blob(["postMessage(0)"], { type: "text/javascript" }));
    const settle = (answer: boolean): void => {
      URL.revokeObjectURL(url);
      resolve(answer);
    };
    try {
      const probe = new Worker(url, { type: "module" });
      probe.onmessage = () => {
        probe.terminate();
        settle(true);
      };
      probe.onerror = () => settle(false);
    } catch {
      settle(false);
    }
  });
  return allowed;
}

/** At a first visit the file was fetched before there was a service worker to keep it. */
function keepForOffline(): void {
  void navigator.serviceWorker?.ready.then(({ active }) => active?.postMessage("keep-worker"));
}

async function requireSame(address: URL, source: Uint8Array): Promise<void> {
  const response = await fetch(address).catch(() => null);
  const data = response?.ok ? new Uint8Array(await response.arrayBuffer()) : null;
  if (data && (await sha256Hex(data)) === (await sha256Hex(source))) return;
  const found = data ? "found another" : "found none";
  throw new CallError({
    code: "worker-refused",
    message: `this site lets no worker run but from its own file: expected ${BESIDE} of this engine, ${found}`,
    hint: "Whoever runs the site has to put the reader and its engine there again, both of one version.",
    issues: [],
  });
}
