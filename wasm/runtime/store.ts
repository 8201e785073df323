// A store of this device: IndexedDB, which works under every origin. A transaction is whole or it is not.

import { HostError } from "./messages";

const VERSION = 1;

/** `entries`: what lies where, by [tree, path], with the number of its content in `contents`. `chunks`: engine files. */
export type StoreName = "entries" | "contents" | "chunks" | "notes";

/** One database, opened by its first use. */
export class Store {
  private opened: Promise<IDBDatabase> | null = null;

  constructor(private readonly name: string) {}

  /** Do some requests in one transaction, and wait until it is kept. Throws HostError: `disk-full`, `unavailable`. */
  async within<Value>(
    stores: StoreName[],
    mode: IDBTransactionMode,
    work: (transaction: IDBTransaction) => Promise<Value> | Value,
  ): Promise<Value> {
    const database = await this.open();
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

  private open(): Promise<IDBDatabase> {
    this.opened ??= new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(this.name, VERSION);
      request.onupgradeneeded = () => make(request.result);
      request.onsuccess = () => resolve(this.watched(request.result));
      request.onerror = () => reject(translated(request.error));
    });
    this.opened.catch(() => this.forget());
    return this.opened;
  }

  /** The browser may close it, e.g. when a person clears the site's data: the next use opens it anew. */
  private watched(database: IDBDatabase): IDBDatabase {
    database.onclose = () => this.forget();
    database.onversionchange = () => {
      database.close();
      this.forget();
    };
    return database;
  }

  private forget(): void {
    this.opened = null;
  }
}

/** The result of one request. */
export function asked<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the request failed"));
  });
}

function make(database: IDBDatabase): void {
  const entries = database.createObjectStore("entries", { keyPath: ["tree", "path"] });
  entries.createIndex("parent", ["tree", "parent"]);
  for (const name of ["contents", "chunks", "notes"]) database.createObjectStore(name);
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
