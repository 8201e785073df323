// Installed bundles as the state file and their manifests tell them, without the engine: to list, check and read.
import { type DataAdapter, normalizePath } from "obsidian";
import { sha256Hex } from "../runtime/assets";
import { say } from "./words";

export const REGISTRY = ".okf/bundles.json";
const FORMAT = 1;

/** One entry of the registry, as far as it is shown. */
export interface Installed {
  id: string;
  version: string;
  title: string;
  origin: string;
  installedAt: string;
  manifestSha256: string;
  signer: string;
  feed: string;
  embedder: string;
  hasIndex: boolean;
  /** Version that a rollback goes back to; empty for none. */
  previous: string;
  /** Files that were not installed because they could run. */
  leftOut: string[];
}

/** What differs from what the publisher made; empty lists when nothing does. */
export interface Checked {
  files: number;
  bytes: number;
  differences: string[];
}

export class LibraryError extends Error {}

interface ListedFile {
  path: string;
  bytes: number;
  sha256: string;
}

export class Library {
  constructor(private readonly adapter: DataAdapter) {}

  /** By title. Rejects with LibraryError: the state file is damaged, or newer than this plugin. */
  async list(): Promise<Installed[]> {
    if (!(await this.adapter.exists(REGISTRY))) return [];
    const state = parsed(await this.adapter.read(REGISTRY));
    if (typeof state?.["format"] === "number" && state["format"] > FORMAT) {
      throw new LibraryError(say("registry-newer", { path: REGISTRY }));
    }
    const bundles = state?.["format"] === FORMAT ? asRecord(state["bundles"]) : null;
    if (!bundles) throw new LibraryError(say("registry-corrupt", { path: REGISTRY }));
    return Object.entries(bundles)
      .map(([id, entry]) => installedFrom(id, entry))
      .sort((one, other) => one.title.localeCompare(other.title));
  }

  /** The bundle that a page is of. */
  async owner(path: string): Promise<Installed | undefined> {
    return (await this.list()).find((bundle) => path.startsWith(`${folderOf(bundle)}/`));
  }

  /** Size of what its publisher listed; null when its manifest can't be read. */
  async size(bundle: Installed): Promise<number | null> {
    const files = await this.listed(bundle);
    return files && files.reduce((sum, file) => sum + file.bytes, 0);
  }

  /** Compares every file with size and sha256 in the manifest that was installed. `told` hears how far it is. */
  async check(bundle: Installed, told: (done: number, total: number) => void): Promise<Checked> {
    const manifest = await this.bytes(`${folderOf(bundle)}/okf-bundle.json`);
    const isSame = manifest && (await sha256Hex(manifest)) === bundle.manifestSha256;
    const files = (await this.listed(bundle)) ?? [];
    const differences = isSame ? [] : [say("manifest-changed")];
    for (const [at, file] of files.entries()) {
      told(at, files.length);
      differences.push(...(await this.difference(bundle, file)));
    }
    const known = new Set([...files.map((file) => file.path), "okf-bundle.json", "okf-index.duckdb"]);
    const added = (await this.below(folderOf(bundle))).filter((path) => !known.has(path));
    differences.push(...added.map((path) => say("added", { path })));
    return { files: files.length, bytes: files.reduce((sum, file) => sum + file.bytes, 0), differences };
  }

  private async difference(bundle: Installed, file: ListedFile): Promise<string[]> {
    const data = await this.bytes(`${folderOf(bundle)}/${file.path}`);
    if (!data) return bundle.leftOut.includes(file.path) ? [] : [say("missing", { path: file.path })];
    const isSame = data.byteLength === file.bytes && (await sha256Hex(data)) === file.sha256;
    return isSame ? [] : [say("changed", { path: file.path })];
  }

  private async listed(bundle: Installed): Promise<ListedFile[] | null> {
    const manifest = await this.bytes(`${folderOf(bundle)}/okf-bundle.json`);
    const files = manifest && parsed(new TextDecoder().decode(manifest))?.["files"];
    return Array.isArray(files) ? files.filter(isListedFile) : null;
  }

  private async bytes(path: string): Promise<Uint8Array | null> {
    const at = normalizePath(path);
    return (await this.adapter.exists(at)) ? new Uint8Array(await this.adapter.readBinary(at)) : null;
  }

  /** Every file below a folder, relative to the bundle's. */
  private async below(folder: string, from = folder.length + 1): Promise<string[]> {
    if (!(await this.adapter.exists(folder))) return [];
    const { files, folders } = await this.adapter.list(folder);
    const deeper = await Promise.all(folders.map((each) => this.below(each, from)));
    return [...files.map((path) => path.slice(from)), ...deeper.flat()];
  }
}

export const folderOf = (bundle: { id: string }): string => `Library/${bundle.id}`;

function installedFrom(id: string, value: unknown): Installed {
  const entry = asRecord(value) ?? {};
  const text = (name: string): string => (typeof entry[name] === "string" ? entry[name] : "");
  const index = asRecord(entry["index"]);
  const previous = asRecord(entry["previous"]);
  return {
    id,
    version: text("version"),
    title: text("title") || id,
    origin: text("origin"),
    installedAt: text("installed_at"),
    manifestSha256: text("manifest_sha256"),
    signer: text("signer"),
    feed: text("feed"),
    embedder: typeof index?.["embedder"] === "string" ? index["embedder"] : "",
    hasIndex: index !== null,
    previous: typeof previous?.["version"] === "string" ? previous["version"] : "",
    leftOut: Array.isArray(entry["left_out"]) ? entry["left_out"].map(String) : [],
  };
}

function isListedFile(value: unknown): value is ListedFile {
  const file = asRecord(value);
  return typeof file?.["path"] === "string" && typeof file["bytes"] === "number" && typeof file["sha256"] === "string";
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return null;
  }
}

function asRecord(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}
