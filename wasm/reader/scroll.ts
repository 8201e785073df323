// Going back shows a screen as it was left; going on shows the next from its top.

import { useEffect } from "preact/hooks";

const SETTLING_MS = 2000;
const left = new Map<string, number>();

export function useScrollMemory(): void {
  useEffect(() => {
    history.scrollRestoration = "manual";
    let restoring: ReturnType<typeof setInterval> | undefined;
    const scrolled = (): void => {
      if (restoring === undefined) left.set(location.hash, scrollY);
    };
    const stop = (): void => {
      clearInterval(restoring);
      restoring = undefined;
    };
    const changed = (): void => {
      stop();
      const seen = (history.state as { seen?: boolean } | null)?.seen === true;
      const wanted = seen ? left.get(location.hash) : 0;
      if (!seen) history.replaceState({ seen: true }, "");
      if (!wanted) {
        if (!location.hash.startsWith("#/page/")) scrollTo(0, 0); // a page decides where it is read
        return;
      }
      const until = Date.now() + SETTLING_MS;
      restoring = setInterval(() => {
        scrollTo(0, wanted);
        if (Math.abs(scrollY - wanted) < 2 || Date.now() > until) stop();
      }, 50);
    };
    const events = ["wheel", "touchmove", "keydown"];
    addEventListener("scroll", scrolled, { passive: true });
    addEventListener("hashchange", changed);
    for (const name of events) addEventListener(name, stop, { passive: true });
    changed();
    return () => {
      removeEventListener("scroll", scrolled);
      removeEventListener("hashchange", changed);
      for (const name of events) removeEventListener(name, stop);
    };
  }, []);
}
