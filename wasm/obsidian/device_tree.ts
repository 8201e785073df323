// What stays on this device and never syncs: trusted feeds and derived files, in the database of the app.
import type { App } from "obsidian";
import type { HostTree } from "../runtime/host";
import { type Entry, HostError } from "../runtime/messages";

interface Kept {
  data: Uint8Array;
  mtime: number;
}

const STORE = "files";

/** A folder of files by path; folders are there as long as something is in them, or were made. */
export class DeviceTree implements HostTree {
  private database: Promise<IDBDatabase> | null = null;

  constructor(
    private readonly app: App,
    private readonly name: string,
  ) {}

  async list(folders: string[]): Promise<Entry[]> {
    const paths = await this.paths();
    const found = await Promise.all(folders.map((folder) => this.listed(paths, folder)));
    return found.flat();
  }

  async stat(path: string): Promise<Entry | null> {
    const kept = await this.kept(path);
    if (kept) return [path, kept.data.byteLength, kept.mtime, "file"];
    return (await this.paths()).some((each) => each.startsWith(`${path}/`)) ? [path, 0, 0, "folder"] : null;
  }

  async read(path: string): Promise<Uint8Array> {
    const kept = await this.kept(path);
    if (!kept) throw new HostError("not-found", `expected a file at ${path}, found none`);
    return kept.data;
  }

  async write(path: string, data: Uint8Array): Promise<void> {
    await this.change((store) => {
      store.put({ data, mtime: Date.now() } satisfies Kept, path);
    });
  }

  async create(path: string, data: Uint8Array): Promise<void> {
    if (await this.stat(path)) throw new HostError("already-exists", `expected nothing at ${path}`);
    await this.write(path, data);
  }

  async rename(from: string, to: string): Promise<void> {
    if (await this.stat(to)) throw new HostError("already-exists", `expected nothing at ${to}`);
    await this.replace(from, to);
  }

  /** One transaction: after a kill all of it has moved, or none. */
  async replace(from: string, to: string): Promise<void> {
    const moving = await this.below(from);
    const files = await Promise.all(moving.map(async (path) => [path, await this.read(path)] as const));
    await this.change((store) => {
      for (const [path, data] of files) {
        store.delete(path);
        store.put({ data, mtime: Date.now() } satisfies Kept, to + path.slice(from.length));
      }
    });
  }

  async remove(path: string): Promise<void> {
    const going = await this.below(path);
    await this.change((store) => {
      for (const each of going) store.delete(each);
    });
  }

  makeFolder(): Promise<void> {
    return Promise.resolve();
  }

  private async listed(paths: string[], folder: string): Promise<Entry[]> {
    const prefix = folder && `${folder}/`;
    const names = new Set(
      paths.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length).split("/")[0]),
    );
    const found = await Promise.all([...names].map((name) => this.stat(prefix + (name ?? ""))));
    return found.filter((entry) => entry !== null);
  }

  private async below(path: string): Promise<string[]> {
    const found = (await this.paths()).filter((each) => each === path || each.startsWith(`${path}/`));
    if (!found.length) throw new HostError("not-found", `expected something at ${path}, found nothing`);
    return found;
  }

  private async paths(): Promise<string[]> {
    return (await this.asked((store) => store.getAllKeys())).map(String);
  }

  private kept(path: string): Promise<Kept | undefined> {
    return this.asked<Kept | undefined>((store) => store.get(path) as IDBRequest<Kept | undefined>);
  }

  private async asked<T>(ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    const store = (await this.opened()).transaction(STORE).objectStore(STORE);
    return answered(ask(store));
  }

  private async change(change: (store: IDBObjectStore) => void): Promise<void> {
    const transaction = (await this.opened()).transaction(STORE, "readwrite");
    change(transaction.objectStore(STORE));
    await new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => {
        resolve();
      };
      transaction.onabort = () => {
        reject(new HostError("disk-full", String(transaction.error)));
      };
    });
  }

  private opened(): Promise<IDBDatabase> {
    this.database ??= answered(this.request());
    return this.database;
  }

  private request(): IDBOpenDBRequest {
    const request = indexedDB.open(`okf-edge/${this.app.vault.getName()}/${this.name}`, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(STORE);
    };
    return request;
  }
}

function answered<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => {
      resolve(request.result);
    };
    request.onerror = () => {
      reject(new HostError("unavailable", String(request.error)));
    };
  });
}
