// A vault whose files lie behind a bridge, as on a phone: every access is a message that takes its time.
import type * as Obsidian from "obsidian";
import { Events } from "./events";

interface Entry {
  path: string;
  kind: "file" | "folder";
  size: number;
  mtime: number;
}

/** One message over the bridge. The real one is Capacitor's; ours is a request to the server of the page. */
async function bridged(
  verb: string,
  path: string,
  extra: Record<string, string> = {},
  body?: BodyInit,
): Promise<Response> {
  const query = new URLSearchParams({ path, ...extra });
  const answer = await fetch(`/vault/${verb}?${query}`, { method: "POST", body: body ?? null });
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
}

type AdapterPart = Exclude<
  keyof Obsidian.DataAdapter,
  "trashSystem" | "trashLocal" | "process" | "append" | "appendBinary"
>;

/** The adapter, strict as the one of iOS: folders must be there, a rename over a file fails, nothing is synchronous. */
export class Adapter implements Pick<Obsidian.DataAdapter, AdapterPart | "process"> {
  constructor(private readonly changed: (path: string) => void) {}

  getName(): string {
    return "";
  }

  async exists(path: string): Promise<boolean> {
    return (await this.stat(path)) !== null;
  }

  async stat(path: string): Promise<Obsidian.Stat | null> {
    const found = (await (await bridged("stat", path)).json()) as Entry | null;
    return found && { type: found.kind, size: found.size, mtime: found.mtime, ctime: found.mtime };
  }

  async list(path: string): Promise<Obsidian.ListedFiles> {
    const entries = (await (await bridged("list", path)).json()) as Entry[];
    const of = (kind: string) => entries.filter((each) => each.kind === kind).map((each) => each.path);
    return { files: of("file"), folders: of("folder") };
  }

  async read(path: string): Promise<string> {
    return (await bridged("read", path)).text();
  }

  async readBinary(path: string): Promise<ArrayBuffer> {
    return (await bridged("read", path)).arrayBuffer();
  }

  async write(path: string, data: string): Promise<void> {
    await bridged("write", path, {}, data);
    this.changed(path);
  }

  async writeBinary(path: string, data: ArrayBuffer): Promise<void> {
    await bridged("write", path, {}, data);
    this.changed(path);
  }

  async process(path: string, change: (data: string) => string): Promise<string> {
    const data = change(await this.read(path));
    await this.write(path, data);
    return data;
  }

  getResourcePath(path: string): string {
    return `/vault/resource?${new URLSearchParams({ path })}`;
  }

  async mkdir(path: string): Promise<void> {
    await bridged("mkdir", path);
    this.changed(path);
  }

  async rmdir(path: string, recursive: boolean): Promise<void> {
    await bridged("rmdir", path, { recursive: String(recursive) });
    this.changed(path);
  }

  async remove(path: string): Promise<void> {
    await bridged("remove", path);
    this.changed(path);
  }

  async rename(path: string, to: string): Promise<void> {
    await bridged("rename", path, { to });
    this.changed(path);
    this.changed(to);
  }

  async copy(path: string, to: string): Promise<void> {
    await bridged("copy", path, { to });
    this.changed(to);
  }
}

export class TAbstractFile implements Obsidian.TAbstractFile {
  parent: TFolder | null = null;

  constructor(
    readonly vault: Obsidian.Vault,
    readonly path: string,
  ) {}

  get name(): string {
    return this.path.slice(this.path.lastIndexOf("/") + 1);
  }
}

export class TFile extends TAbstractFile implements Obsidian.TFile {
  constructor(
    vault: Obsidian.Vault,
    path: string,
    readonly stat: Obsidian.FileStats,
  ) {
    super(vault, path);
  }

  get extension(): string {
    return this.name.includes(".") ? this.name.slice(this.name.lastIndexOf(".") + 1) : "";
  }

  get basename(): string {
    return this.extension ? this.name.slice(0, -this.extension.length - 1) : this.name;
  }
}

export class TFolder extends TAbstractFile implements Obsidian.TFolder {
  readonly children: TAbstractFile[] = [];

  isRoot(): boolean {
    return this.path === "/";
  }
}

type VaultPart =
  | "configDir"
  | "getName"
  | "getRoot"
  | "getFileByPath"
  | "getFolderByPath"
  | "getFiles"
  | "getMarkdownFiles"
  | "cachedRead"
  | "readBinary";

/** The vault as Obsidian shows it: hidden folders are not in it, though the adapter reads them. */
export class Vault extends Events implements Pick<Obsidian.Vault, VaultPart> {
  readonly configDir = ".obsidian";
  readonly adapter = new Adapter((path) => {
    this.lookSoon(path);
  });
  private readonly files = new Map<string, TFile>();
  private readonly folders = new Map<string, TFolder>();
  private readonly changed = new Set<string>();

  constructor(readonly name: string) {
    super();
    this.folders.set("/", new TFolder(this.typed, "/"));
  }

  async load(): Promise<void> {
    for (const each of await this.treeBelow("")) this.keep(each);
  }

  getName(): string {
    return this.name;
  }

  getRoot(): TFolder {
    return this.folder("/");
  }

  getFileByPath(path: string): TFile | null {
    return this.files.get(path) ?? null;
  }

  getFolderByPath(path: string): TFolder | null {
    return this.folders.get(path) ?? null;
  }

  getFiles(): TFile[] {
    return [...this.files.values()];
  }

  getMarkdownFiles(): TFile[] {
    return this.getFiles().filter((file) => file.extension === "md");
  }

  cachedRead(file: Obsidian.TFile): Promise<string> {
    return this.adapter.read(file.path);
  }

  readBinary(file: Obsidian.TFile): Promise<ArrayBuffer> {
    return this.adapter.readBinary(file.path);
  }

  /** See what became of a path, and tell it. */
  async look(path: string): Promise<void> {
    const before = new Map([...this.files].filter(([each]) => each === path || each.startsWith(`${path}/`)));
    const entries = await this.treeBelow(path);
    for (const file of before.values()) this.forget(file);
    for (const each of entries) this.trigger(before.has(each.path) ? "modify" : "create", this.keep(each));
    for (const [gone, file] of before) if (!this.files.has(gone)) this.trigger("delete", file);
  }

  /** As the watcher of files: a moment later, one look for many changes of a path. */
  private lookSoon(path: string): void {
    if (path.split("/").some((part) => part.startsWith(".")) || this.changed.has(path)) return;
    this.changed.add(path);
    setTimeout(() => {
      this.changed.delete(path);
      void this.look(path);
    }, 100);
  }

  private get typed(): Obsidian.Vault {
    return this as unknown as Obsidian.Vault;
  }

  private keep(entry: Entry): TFile {
    const stat = { size: entry.size, mtime: entry.mtime, ctime: entry.mtime };
    const file = new TFile(this.typed, entry.path, stat);
    this.files.set(entry.path, file);
    file.parent = this.folder(parentOf(entry.path));
    file.parent.children.push(file);
    return file;
  }

  private forget(file: TFile): void {
    this.files.delete(file.path);
    const siblings = file.parent?.children ?? [];
    siblings.splice(siblings.indexOf(file), 1);
  }

  /** The files below a path; folders are known from then on, also those that hold nothing that is shown. */
  private async treeBelow(path: string): Promise<Entry[]> {
    const entries = (await (await bridged("tree", path)).json()) as Entry[];
    for (const each of entries) if (each.kind === "folder") this.folder(each.path);
    return entries.filter((each) => each.kind === "file");
  }

  private folder(path: string): TFolder {
    const known = this.folders.get(path);
    if (known) return known;
    const folder = new TFolder(this.typed, path);
    this.folders.set(path, folder);
    folder.parent = this.folder(parentOf(path));
    folder.parent.children.push(folder);
    return folder;
  }
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/"))) || "/";
