// How safe what is kept here is from the browser, and how much it takes.

import { asked, within } from "./host/database";
import { forgetAll } from "./words_kept";

export interface Usage {
  bundles: number;
  engine: number;
  models: number;
  quota: number;
  persisted: boolean;
}

/** Ask the browser to keep what is here. It answers by itself, or asks the person; a refusal costs nothing. */
export async function askToKeep(): Promise<boolean> {
  try {
    return (await navigator.storage.persisted()) || (await navigator.storage.persist());
  } catch {
    return false; // a browser without that: it keeps what it keeps
  }
}

export async function storageState(): Promise<{ quota: number; persisted: boolean }> {
  try {
    const [estimate, persisted] = await Promise.all([navigator.storage.estimate(), navigator.storage.persisted()]);
    return { quota: estimate.quota ?? 0, persisted };
  } catch {
    return { quota: 0, persisted: false };
  }
}

/** Bytes of all files in the folders of this page. */
export async function bytesOfFiles(): Promise<number> {
  const entries = await within(["entries"], "readonly", (transaction) =>
    asked<{ bytes: number }[]>(transaction.objectStore("entries").getAll()),
  );
  return entries.reduce((sum, entry) => sum + entry.bytes, 0);
}

/** Remove everything that this page ever kept. */
export async function removeEverything(): Promise<void> {
  await within(["entries", "contents", "chunks", "notes"], "readwrite", (transaction) => {
    for (const name of transaction.objectStoreNames) transaction.objectStore(name).clear();
  });
  forgetAll();
}
