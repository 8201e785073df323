// A folder in memory as a page's HostTree: for tests, and the reference of what a host has to do.

import type { HostTree } from "../host";
import { type Entry, HostError } from "../messages";

interface File {
  data: Uint8Array;
  mtime: number;
}

export class MemoryTree implements HostTree {
  readonly files = new Map<string, File>();
  private readonly folders = new Set<string>();
  private ticks = 0;

  async list(folders: string[]): Promise<Entry[]> {
    return folders.flatMap((folder) => this.children(folder));
  }

  async stat(path: string): Promise<Entry | null> {
    const file = this.files.get(path);
    if (file) return [path, file.data.byteLength, file.mtime, "file"];
    return this.isFolder(path) ? [path, 0, 0, "folder"] : null;
  }

  async read(path: string): Promise<Uint8Array> {
    return this.known(path).data.slice();
  }

  async write(path: string, data: Uint8Array): Promise<void> {
    this.files.set(path, { data, mtime: ++this.ticks });
  }

  async create(path: string, data: Uint8Array): Promise<void> {
    this.requireFree(path);
    await this.write(path, data);
  }

  async rename(from: string, to: string): Promise<void> {
    this.requireFree(to);
    this.requireSomething(from);
    for (const path of below(from, this.files.keys())) this.move(path, to + path.slice(from.length));
    for (const path of below(from, this.folders)) {
      this.folders.delete(path);
      this.folders.add(to + path.slice(from.length));
    }
  }

  async replace(from: string, to: string): Promise<void> {
    this.known(from);
    this.move(from, to);
  }

  async remove(path: string): Promise<void> {
    this.requireSomething(path);
    for (const each of below(path, this.files.keys())) this.files.delete(each);
    for (const each of below(path, this.folders)) this.folders.delete(each);
  }

  async makeFolder(path: string): Promise<void> {
    this.folders.add(path);
  }

  private children(folder: string): Entry[] {
    const prefix = folder ? `${folder}/` : "";
    const found = new Map<string, Entry>();
    for (const path of [...this.files.keys(), ...this.folders]) {
      if (!path.startsWith(prefix)) continue;
      const name = prefix + (path.slice(prefix.length).split("/")[0] ?? "");
      const file = this.files.get(name);
      found.set(name, file ? [name, file.data.byteLength, file.mtime, "file"] : [name, 0, 0, "folder"]);
    }
    return [...found.values()];
  }

  private isFolder(path: string): boolean {
    return !this.files.has(path) && below(path, [...this.files.keys(), ...this.folders]).length > 0;
  }

  private move(from: string, to: string): void {
    this.files.set(to, { data: this.known(from).data, mtime: ++this.ticks });
    this.files.delete(from);
  }

  private known(path: string): File {
    const file = this.files.get(path);
    if (!file) throw absent(path);
    return file;
  }

  private requireSomething(path: string): void {
    if (!this.files.has(path) && !this.isFolder(path)) throw absent(path);
  }

  private requireFree(path: string): void {
    if (this.files.has(path) || this.isFolder(path)) {
      throw new HostError("already-exists", `expected nothing at ${path}, found something`);
    }
  }
}

/** Of these paths, the one itself and all below it. */
function below(path: string, paths: Iterable<string>): string[] {
  return [...paths].filter((each) => each === path || each.startsWith(`${path}/`));
}

function absent(path: string): HostError {
  return new HostError("not-found", `expected something at ${path}, found nothing`);
}
