// What an installation that was killed left behind: it counts for nothing, and goes when nobody can be at work on it.

import { asked, within } from "./database";

const LOCK = "okf-edge-open";
/** How the core names private folders and unfinished files. */
const LEFTOVER = /^(?:.*\/)?\.okf-(?:stage|tmp)-/;

interface Entry {
  tree: string;
  path: string;
  content: string;
}

/** Sweep when no other tab has the page open; the lock is then shared for as long as this one is. */
export async function sweepLeftovers(): Promise<void> {
  const locks = (navigator as { locks?: LockManager }).locks; // absent where the origin is not secure
  if (!locks) return;
  await locks.request(LOCK, { mode: "exclusive", ifAvailable: true }, async (lock) => {
    if (lock) await sweep();
  });
  void locks.request(LOCK, { mode: "shared" }, () => new Promise(() => undefined));
}

async function sweep(): Promise<void> {
  await within(["entries", "contents"], "readwrite", async (transaction) => {
    const entries = transaction.objectStore("entries");
    const all = await asked<Entry[]>(entries.getAll());
    for (const entry of all.filter(({ path }) => LEFTOVER.test(path))) {
      entries.delete([entry.tree, entry.path]);
      if (entry.content) transaction.objectStore("contents").delete(entry.content);
    }
  });
}
