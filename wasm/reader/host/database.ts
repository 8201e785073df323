// The page's own store: IndexedDB, which works under every origin. A transaction is whole or it is not.

import { HostError } from "../../runtime/messages";

export const DATABASE = "okf-edge";
const VERSION = 1;

/** `entries`: what lies where, by [tree, path], with the number of its content in `contents`. `chunks`: engine files. */
export type StoreName = "entries" | "contents" | "chunks" | "notes";

let opened: Promise<IDBDatabase> | null = null;

/** Do some requests in one transaction, and wait until it is kept. Throws HostError: `disk-full`, `unavailable`. */
export async function within<Value>(
  stores: StoreName[],
  mode: IDBTransactionMode,
  work: (transaction: IDBTransaction) => Promise<Value> | Value,
): Promise<Value> {
  const database = await open();
  const transaction = database.transaction(stores, mode, { durability: "relaxed" });
  const kept = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(translated(transaction.error));
  });
  try {
    const value = await work(transaction);
    await kept;
    return value;
  } catch (error) {
    abort(transaction);
    await kept.catch(() => undefined);
    throw translated(error);
  }
}

/** The result of one request. */
export function asked<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the request failed"));
  });
}

function open(): Promise<IDBDatabase> {
  opened ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(DATABASE, VERSION);
    request.onupgradeneeded = () => make(request.result);
    request.onsuccess = () => resolve(watched(request.result));
    request.onerror = () => reject(translated(request.error));
  });
  opened.catch(forget);
  return opened;
}

function make(database: IDBDatabase): void {
  const entries = database.createObjectStore("entries", { keyPath: ["tree", "path"] });
  entries.createIndex("parent", ["tree", "parent"]);
  for (const name of ["contents", "chunks", "notes"]) database.createObjectStore(name);
}

/** The browser may close it, e.g. when a person clears the site's data: the next use opens it anew. */
function watched(database: IDBDatabase): IDBDatabase {
  database.onclose = forget;
  database.onversionchange = () => {
    database.close();
    forget();
  };
  return database;
}

function forget(): void {
  opened = null;
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // it is over already
  }
}

function translated(error: unknown): Error {
  if (error instanceof HostError) return error;
  const name = (error as DOMException | null)?.name ?? "";
  if (name === "QuotaExceededError") {
    return new HostError("disk-full", "there is no space left on this device", "Remove a bundle or free some space.");
  }
  const told = error instanceof Error ? error.message : String(error ?? "the browser gave no reason");
  return new HostError("unavailable", `the browser's storage can't be used: ${told}`, "Leave private mode, or reload.");
}
