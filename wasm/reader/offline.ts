// What makes the page work without a network: its service worker for the page itself, and the engine's files kept.

import { useEffect, useState } from "preact/hooks";

import { FOR_WORDS, host } from "./engine";

export function worksOffline(): void {
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker
    .register("./sw.js", { updateViaCache: "none" })
    .then(watch)
    .catch(() => undefined); // an origin that allows none: the page works, with a network
}

let fetching: { done: number; total: number } | null = null;
const told = new EventTarget();

/** Keep what words need, and let go of what an older engine left. What fails here is told when it is needed. */
export async function keepEngine(): Promise<void> {
  try {
    await host.assets.keep(FOR_WORDS, (done, total) => tell(done < total ? { done, total } : null));
    await host.assets.forget([]);
  } catch {
    tell(null);
  }
}

function tell(now: typeof fetching): void {
  fetching = now;
  told.dispatchEvent(new Event("change"));
}

/** What is fetched of the engine now, in bytes. */
export function useFetching(): typeof fetching {
  const [now, setNow] = useState(fetching);
  useEffect(() => {
    const changed = (): void => setNow(fetching);
    told.addEventListener("change", changed);
    return () => told.removeEventListener("change", changed);
  }, []);
  return now;
}

function watch(registration: ServiceWorkerRegistration): void {
  const offer = (worker: ServiceWorker | null): void => {
    if (worker && navigator.serviceWorker.controller) {
      dispatchEvent(new CustomEvent("okf-update", { detail: worker }));
    }
  };
  offer(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const worker = registration.installing;
    worker?.addEventListener("statechange", () => {
      if (worker.state === "installed") offer(worker);
    });
  });
}
