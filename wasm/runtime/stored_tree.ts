// A folder in IndexedDB. What lies where and what it holds are kept apart, so that moving a folder moves no content.

import type { HostTree } from "./host";
import { type Entry, HostError, type TreeName } from "./messages";
import { asked, type Store, type StoreName } from "./store";

interface Kept {
  tree: TreeName;
  path: string;
  parent: string;
  kind: "file" | "folder";
  bytes: number;
  mtime: number;
  /** The key of the content; folders have none. */
  content: string;
}

const STORES: StoreName[] = ["entries", "contents"];

export class StoredTree implements HostTree {
  private lastTime = 0;

  constructor(
    private readonly store: Store,
    private readonly tree: TreeName,
  ) {}

  list(folders: string[]): Promise<Entry[]> {
    return this.store.within(["entries"], "readonly", async (transaction) => {
      const index = transaction.objectStore("entries").index("parent");
      const found = await Promise.all(folders.map((folder) => asked<Kept[]>(index.getAll([this.tree, folder]))));
      return found.flat().map(entryOf);
    });
  }

  stat(path: string): Promise<Entry | null> {
    return this.store.within(["entries"], "readonly", async (transaction) => {
      const kept = await this.find(transaction, path);
      return kept ? entryOf(kept) : null;
    });
  }

  read(path: string): Promise<Uint8Array> {
    return this.store.within(STORES, "readonly", async (transaction) => {
      const kept = await this.find(transaction, path);
      if (kept?.kind !== "file") throw absent(path);
      const data = await asked<ArrayBuffer | undefined>(transaction.objectStore("contents").get(kept.content));
      if (!data) throw absent(path);
      return new Uint8Array(data);
    });
  }

  write(path: string, data: Uint8Array): Promise<void> {
    return this.store.within(STORES, "readwrite", async (transaction) => {
      const before = await this.find(transaction, path);
      if (before?.kind === "folder") throw taken(path);
      await this.put(transaction, path, data);
      if (before) transaction.objectStore("contents").delete(before.content);
    });
  }

  create(path: string, data: Uint8Array): Promise<void> {
    return this.store.within(STORES, "readwrite", async (transaction) => {
      if (await this.find(transaction, path)) throw taken(path);
      await this.put(transaction, path, data);
    });
  }

  rename(from: string, to: string): Promise<void> {
    return this.store.within(STORES, "readwrite", async (transaction) => {
      if (await this.find(transaction, to)) throw taken(to);
      await this.move(transaction, from, to);
    });
  }

  replace(from: string, to: string): Promise<void> {
    return this.store.within(STORES, "readwrite", async (transaction) => {
      const over = await this.find(transaction, to);
      if (over && over.kind !== "file") throw taken(to);
      await this.move(transaction, from, to);
      if (over) transaction.objectStore("contents").delete(over.content);
    });
  }

  remove(path: string): Promise<void> {
    return this.store.within(STORES, "readwrite", async (transaction) => {
      const gone = await this.at(transaction, path);
      if (!gone.length) throw absent(path);
      for (const each of gone) {
        transaction.objectStore("entries").delete([this.tree, each.path]);
        if (each.content) transaction.objectStore("contents").delete(each.content);
      }
    });
  }

  makeFolder(path: string): Promise<void> {
    return this.store.within(["entries"], "readwrite", (transaction) => this.makeFolders(transaction, path));
  }

  private find(transaction: IDBTransaction, path: string): Promise<Kept | undefined> {
    return asked<Kept | undefined>(transaction.objectStore("entries").get([this.tree, path]));
  }

  /** A file, or a folder with all below it; nothing when nothing is there. */
  private async at(transaction: IDBTransaction, path: string): Promise<Kept[]> {
    const own = await this.find(transaction, path);
    if (!own) return [];
    const below = IDBKeyRange.bound([this.tree, `${path}/`], [this.tree, `${path}0`], false, true); // "0" follows "/"
    return [own, ...(await asked<Kept[]>(transaction.objectStore("entries").getAll(below)))];
  }

  private async move(transaction: IDBTransaction, from: string, to: string): Promise<void> {
    const moved = await this.at(transaction, from);
    if (!moved.length) throw absent(from);
    await this.makeFolders(transaction, parentOf(to));
    const entries = transaction.objectStore("entries");
    for (const each of moved) {
      const path = to + each.path.slice(from.length);
      entries.delete([this.tree, each.path]);
      entries.put({ ...each, path, parent: parentOf(path) });
    }
  }

  private async put(transaction: IDBTransaction, path: string, data: Uint8Array): Promise<void> {
    await this.makeFolders(transaction, parentOf(path));
    const content = crypto.randomUUID();
    transaction.objectStore("contents").put(data.slice().buffer, content);
    transaction.objectStore("entries").put(this.kept(path, "file", data.byteLength, content));
  }

  private async makeFolders(transaction: IDBTransaction, folder: string): Promise<void> {
    for (let path = folder; path; path = parentOf(path)) {
      const known = await this.find(transaction, path);
      if (known?.kind === "file") throw taken(path);
      if (known) return;
      transaction.objectStore("entries").put(this.kept(path, "folder", 0, ""));
    }
  }

  private kept(path: string, kind: Kept["kind"], bytes: number, content: string): Kept {
    this.lastTime = Math.max(Date.now(), this.lastTime + 1);
    return { tree: this.tree, path, parent: parentOf(path), kind, bytes, mtime: this.lastTime, content };
  }
}

function entryOf(kept: Kept): Entry {
  return [kept.path, kept.bytes, kept.mtime, kept.kind];
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function absent(path: string): HostError {
  return new HostError("not-found", `expected ${path}, found nothing there`);
}

function taken(path: string): HostError {
  return new HostError("already-exists", `expected nothing at ${path}, found something there`);
}
