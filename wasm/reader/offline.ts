// What makes the page work without a network: its service worker for the page itself, and the engine's files kept.

import { FOR_WORDS, host } from "./engine";

export function worksOffline(): void {
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker
    .register("./sw.js", { updateViaCache: "none" })
    .then(watch)
    .catch(() => undefined); // an origin that allows none: the page works, with a network
}

/** Keep what words need, and let go of what an older engine left. */
export async function keepEngine(tell: (done: number, total: number) => void): Promise<void> {
  await host.assets.keep(FOR_WORDS, tell);
  await host.assets.forget([]);
}

function watch(registration: ServiceWorkerRegistration): void {
  const told = (worker: ServiceWorker | null): void => {
    if (worker && navigator.serviceWorker.controller) {
      dispatchEvent(new CustomEvent("okf-update", { detail: worker }));
    }
  };
  told(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const worker = registration.installing;
    worker?.addEventListener("statechange", () => {
      if (worker.state === "installed") told(worker);
    });
  });
}
