import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

import { say } from "../say";

/** A new version of the page waits until a person wants it, or all its tabs are closed. */
export function UpdateNotice(): JSX.Element | null {
  const [waiting, setWaiting] = useState<ServiceWorker | null>(null);
  useEffect(() => {
    const found = (event: Event): void => setWaiting((event as CustomEvent<ServiceWorker>).detail);
    addEventListener("okf-update", found);
    return () => removeEventListener("okf-update", found);
  }, []);
  if (!waiting) return null;
  return (
    <section class="notice row" role="status">
      <p>{say("update-ready")}</p>
      <button
        type="button"
        onClick={() => {
          navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
          waiting.postMessage("take-over");
        }}
      >
        {say("update-now")}
      </button>
    </section>
  );
}
