// The vault as the engine's folder.
//
// 1. Notes are listed from what Obsidian knows already: no walk of the disk, so that 20,000 files cost nothing.
// 2. What the plugin writes itself (`.okf/`, `Library/`) is looked up on disk, since the app hears of it a moment later.
// 3. The adapter has no atomic write. A file is written whole beside its place and renamed; where one is there already,
//    the new one waits under a name of its own until the old is gone, and whoever finds only it completes the move.
import { type DataAdapter, normalizePath, TFile, type TFolder, type Vault } from "obsidian";
import type { HostTree } from "../runtime/host";
import { type Entry, HostError } from "../runtime/messages";

/** A file beyond this would end the app when it is read whole over the bridge of a phone. */
export const READ_BYTES = 96 * 1024 * 1024;
const PART = ".okf-part";
const WHOLE = ".okf-whole";

export class VaultTree implements HostTree {
  private readonly adapter: DataAdapter;
  /** Folders that are known to be there: a look over the bridge of a phone costs as much as a small file. */
  private readonly folders = new Set<string>();

  constructor(private readonly vault: Vault) {
    this.adapter = vault.adapter;
  }

  async list(folders: string[]): Promise<Entry[]> {
    this.folders.clear(); // a sync may have removed one since
    return (await Promise.all(folders.map((folder) => this.listed(folder)))).flat();
  }

  async stat(path: string): Promise<Entry | null> {
    const known = isOurs(path) ? null : this.vault.getFileByPath(path);
    return known ? entryOfFile(known) : this.looked(path);
  }

  async read(path: string): Promise<Uint8Array> {
    const found = await this.looked(path);
    if (found?.[3] !== "file") throw new HostError("not-found", `expected a file at ${path}, found none`);
    if (found[1] > READ_BYTES) throw new HostError("too-large", `${path} has ${found[1]} bytes`);
    return new Uint8Array(await told(path, this.adapter.readBinary(normalizePath(path))));
  }

  async write(path: string, data: Uint8Array): Promise<void> {
    await this.makeFolder(parentOf(path));
    if (isStaged(path)) return told(path, this.adapter.writeBinary(normalizePath(path), bufferOf(data)));
    await told(path, this.adapter.writeBinary(path + PART, bufferOf(data)));
    await this.replace(path + PART, path);
  }

  async create(path: string, data: Uint8Array): Promise<void> {
    await this.makeFolder(parentOf(path));
    if (await this.looked(path)) throw taken(path);
    await told(path, this.adapter.writeBinary(path + PART, bufferOf(data)));
    await this.rename(path + PART, path);
  }

  async rename(from: string, to: string): Promise<void> {
    if (await this.looked(to)) throw taken(to);
    await this.moved(from, to);
  }

  async replace(from: string, to: string): Promise<void> {
    if (!(await this.looked(to))) return this.moved(from, to);
    const whole = to + WHOLE;
    if (await this.adapter.exists(whole)) await told(whole, this.adapter.remove(whole));
    await told(from, this.adapter.rename(normalizePath(from), whole));
    await told(to, this.adapter.remove(normalizePath(to)));
    await told(to, this.adapter.rename(whole, normalizePath(to)));
  }

  async remove(path: string): Promise<void> {
    const found = await this.looked(path);
    if (!found) throw new HostError("not-found", `expected something at ${path}, found nothing`);
    const at = normalizePath(path);
    this.folders.clear();
    await told(path, found[3] === "folder" ? this.adapter.rmdir(at, true) : this.adapter.remove(at));
  }

  async makeFolder(path: string): Promise<void> {
    if (!path || this.folders.has(path)) return;
    if (!(await this.adapter.exists(normalizePath(path)))) {
      await this.makeFolder(parentOf(path));
      await told(path, this.adapter.mkdir(normalizePath(path)));
    }
    this.folders.add(path);
  }

  private async moved(from: string, to: string): Promise<void> {
    await this.makeFolder(parentOf(to));
    this.folders.clear();
    await told(from, this.adapter.rename(normalizePath(from), normalizePath(to)));
  }

  private async listed(folder: string): Promise<Entry[]> {
    const known = isOurs(folder) ? null : this.known(folder);
    if (!known) return this.walked(folder);
    const entries = known.children.map((child) =>
      child instanceof TFile ? entryOfFile(child) : folderEntry(child.path),
    );
    return folder ? entries : [...entries.filter((entry) => !isOurs(entry[0])), ...(await this.ours())];
  }

  private known(folder: string): TFolder | null {
    return folder ? this.vault.getFolderByPath(folder) : this.vault.getRoot();
  }

  private async ours(): Promise<Entry[]> {
    const found = await Promise.all(OURS.map((folder) => this.looked(folder)));
    return found.filter((entry) => entry !== null);
  }

  private async walked(folder: string): Promise<Entry[]> {
    if (!(await this.adapter.exists(normalizePath(folder)))) return [];
    const { files, folders } = await told(folder, this.adapter.list(normalizePath(folder)));
    const whole = new Set(files.map((path) => (path.endsWith(WHOLE) ? path.slice(0, -WHOLE.length) : path)));
    const kept = [...whole].filter((path) => !path.endsWith(PART));
    const found = await Promise.all(kept.map((path) => this.looked(path)));
    return [...found.filter((entry) => entry !== null), ...folders.map(folderEntry)];
  }

  /** What is at a path on disk. Completes a replacement that was killed when only the new file is there. */
  private async looked(path: string): Promise<Entry | null> {
    const at = normalizePath(path);
    let found = await told(path, this.adapter.stat(at));
    if (!found && isOurs(path) && (await this.adapter.exists(at + WHOLE))) {
      await told(path, this.adapter.rename(at + WHOLE, at));
      found = await told(path, this.adapter.stat(at));
    }
    if (!found) return null;
    return found.type === "folder" ? folderEntry(path) : [path, found.size, found.mtime, "file"];
  }
}

const OURS = [".okf", "Library"];

/** Written by the plugin, or hidden, which the vault does not know. */
const isOurs = (path: string): boolean => path.startsWith(".") || path === "Library" || path.startsWith("Library/");

/** Nobody looks into a stage before the whole of it is renamed into place. */
const isStaged = (path: string): boolean => path.startsWith(".okf-stage-");

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

const entryOfFile = (file: TFile): Entry => [file.path, file.stat.size, file.stat.mtime, "file"];

const folderEntry = (path: string): Entry => [path, 0, 0, "folder"];

const taken = (path: string): HostError =>
  new HostError("already-exists", `expected nothing at ${path}, found something`);

/** Bytes in a buffer of their own, as the adapter takes them. */
function bufferOf(data: Uint8Array): ArrayBuffer {
  return data.byteLength === data.buffer.byteLength ? (data.buffer as ArrayBuffer) : data.slice().buffer;
}

/** What the adapter does, with its failures in our words. */
async function told<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw hostError(path, String(error));
  }
}

const REASONS: [RegExp, HostError["code"]][] = [
  [/ENOSPC|no space|quota|disk full/i, "disk-full"],
  [/EROFS|read-only/i, "read-only"],
  [/EACCES|EPERM|permission/i, "permission-denied"],
  [/ENOENT|not exist|no such|not found/i, "not-found"],
];

function hostError(path: string, reason: string): HostError {
  const code = REASONS.find(([pattern]) => pattern.test(reason))?.[1] ?? "unavailable";
  return new HostError(code, `${path}: ${reason}`);
}
