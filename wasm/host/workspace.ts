// One pane after another, as on a phone: leaves with views, opened files in reading view, and going back.
import type * as Obsidian from "obsidian";
import { Component, Events } from "./events";
import { rendered } from "./markdown";
import type { TFile, Vault } from "./vault";
import { setIcon } from "./widgets";

type ViewPart = "app" | "containerEl" | "leaf" | "getViewType" | "getDisplayText" | "getIcon" | "getState" | "setState";

export abstract class View extends Component implements Pick<Obsidian.View, ViewPart> {
  readonly containerEl = document.createElement("div");
  readonly app: Obsidian.App;

  constructor(readonly leaf: Obsidian.WorkspaceLeaf) {
    super();
    this.app = (leaf as unknown as WorkspaceLeaf).app;
    this.containerEl.addClass("workspace-leaf-content");
  }

  abstract getViewType(): string;
  abstract getDisplayText(): string;

  getIcon(): string {
    return "document";
  }

  getState(): Record<string, unknown> {
    return {};
  }

  setState(state: unknown, result: Obsidian.ViewStateResult): Promise<void> {
    void [state, result];
    return Promise.resolve();
  }

  setEphemeralState(state: unknown): void {
    void state;
  }

  async onOpen(): Promise<void> {
    return Promise.resolve();
  }

  async onClose(): Promise<void> {
    return Promise.resolve();
  }
}

export abstract class ItemView extends View implements Pick<Obsidian.ItemView, "contentEl" | "addAction"> {
  readonly contentEl: HTMLElement;
  private readonly actions: HTMLElement;

  constructor(leaf: Obsidian.WorkspaceLeaf) {
    super(leaf);
    const header = this.containerEl.createDiv("view-header");
    const back = header.createEl("button", { cls: "clickable-icon view-back", attr: { "aria-label": "Go back" } });
    setIcon(back, "chevron-left");
    back.addEventListener("click", () => void (leaf as unknown as WorkspaceLeaf).goBack());
    header.createDiv("view-header-title-container").createDiv("view-header-title");
    this.actions = header.createDiv("view-actions");
    this.contentEl = this.containerEl.createDiv("view-content");
  }

  addAction(icon: string, title: string, callback: (event: MouseEvent) => unknown): HTMLElement {
    const action = this.actions.createEl("button", {
      cls: "clickable-icon view-action",
      attr: { "aria-label": title },
    });
    setIcon(action, icon);
    action.addEventListener("click", callback);
    return action;
  }
}

/** A note, read. `eState.line` scrolls to a line and marks it for a moment, as Obsidian does. */
export class MarkdownView extends ItemView {
  file: TFile | null = null;

  getViewType(): string {
    return "markdown";
  }

  getDisplayText(): string {
    return this.file?.basename ?? "";
  }

  override getState(): Record<string, unknown> {
    return { file: this.file?.path };
  }

  override async setState(state: { file?: string }): Promise<void> {
    this.file = (this.app.vault as unknown as Vault).getFileByPath(state.file ?? "");
    if (this.file) this.contentEl.replaceChildren(rendered(await this.app.vault.cachedRead(this.file)));
  }

  override setEphemeralState(state: { line?: number } | undefined): void {
    if (state?.line === undefined) return;
    const blocks = [...this.contentEl.querySelectorAll<HTMLElement>("[data-line]")];
    const line = state.line + 1;
    const block = blocks.find((each) => Number(each.dataset["end"]) >= line);
    block?.scrollIntoView({ block: "center" });
    block?.addClass("is-flashing");
  }
}

class EmptyView extends ItemView {
  getViewType(): string {
    return "empty";
  }

  getDisplayText(): string {
    return "New tab";
  }

  override async onOpen(): Promise<void> {
    this.contentEl.createDiv({ cls: "empty-state", text: "No file is open" });
    return Promise.resolve();
  }
}

type LeafPart = "view" | "isDeferred" | "loadIfDeferred" | "setViewState" | "getViewState" | "openFile" | "detach";

/** A leaf that came with a saved layout is deferred: it has a view of its type only once it is looked at. */
export class WorkspaceLeaf implements Pick<Obsidian.WorkspaceLeaf, Exclude<LeafPart, "view">> {
  view: View;
  isSide = false;
  private wanted: Obsidian.ViewState | null = null;
  private readonly history: Obsidian.ViewState[] = [];

  constructor(
    readonly app: Obsidian.App,
    private readonly workspace: Workspace,
    deferred: Obsidian.ViewState | null,
  ) {
    this.view = new EmptyView(this as unknown as Obsidian.WorkspaceLeaf);
    this.wanted = deferred;
  }

  get isDeferred(): boolean {
    return this.wanted !== null;
  }

  async loadIfDeferred(): Promise<void> {
    const wanted = this.wanted;
    this.wanted = null;
    if (wanted) await this.setViewState(wanted);
  }

  getViewState(): Obsidian.ViewState {
    return this.wanted ?? { type: this.view.getViewType(), state: this.view.getState() };
  }

  async setViewState(state: Obsidian.ViewState, eState?: unknown): Promise<void> {
    this.wanted = null;
    if (this.view.getViewType() !== "empty") this.history.push(this.getViewState());
    await this.replaced(state, eState);
  }

  async openFile(file: Obsidian.TFile, open?: Obsidian.OpenViewState): Promise<void> {
    await this.setViewState({ type: "markdown", state: { file: file.path } }, open?.eState);
    this.workspace.trigger("file-open", file);
  }

  async goBack(): Promise<void> {
    const last = this.history.pop();
    if (last) await this.replaced(last);
  }

  detach(): void {
    this.workspace.forget(this);
  }

  private async replaced(state: Obsidian.ViewState, eState?: unknown): Promise<void> {
    await this.view.onClose();
    this.view.unload();
    this.view = this.workspace.viewOf(state.type, this);
    this.view.load();
    this.workspace.show(this);
    await this.view.onOpen();
    await this.view.setState(state.state ?? {}, { history: false });
    this.view.setEphemeralState(eState);
    this.workspace.show(this);
    this.workspace.trigger("active-leaf-change", this);
  }
}

type WorkspacePart =
  "layoutReady" | "onLayoutReady" | "getLeaf" | "getLeavesOfType" | "revealLeaf" | "openLinkText" | "getActiveFile";

export class Workspace extends Events {
  layoutReady = false;
  readonly containerEl = document.createElement("main");
  /** The sidebar of a desktop; a phone has none in sight. */
  readonly sideEl = document.createElement("aside");
  app!: Obsidian.App;
  active: WorkspaceLeaf | null = null;
  private readonly leaves: WorkspaceLeaf[] = [];
  private readonly waiting: (() => unknown)[] = [];
  private readonly creators = new Map<string, Obsidian.ViewCreator>();

  register(type: string, creator: Obsidian.ViewCreator): () => void {
    this.creators.set(type, creator);
    return () => this.creators.delete(type);
  }

  viewOf(type: string, leaf: WorkspaceLeaf): View {
    const handed = leaf as unknown as Obsidian.WorkspaceLeaf;
    if (type === "markdown") return new MarkdownView(handed);
    const creator = this.creators.get(type);
    return creator ? (creator(handed) as unknown as View) : new EmptyView(handed);
  }

  onLayoutReady(callback: () => unknown): void {
    if (this.layoutReady) callback();
    else this.waiting.push(callback);
  }

  becomeReady(): void {
    this.layoutReady = true;
    for (const each of this.waiting.splice(0)) each();
  }

  getLeaf(newLeaf: boolean | string = false): WorkspaceLeaf {
    if (!newLeaf && this.active) return this.active;
    return this.added(null);
  }

  added(deferred: Obsidian.ViewState | null): WorkspaceLeaf {
    const leaf = new WorkspaceLeaf(this.app, this, deferred);
    this.leaves.push(leaf);
    return leaf;
  }

  getRightLeaf(): WorkspaceLeaf {
    const leaf = this.added(null);
    leaf.isSide = true;
    return leaf;
  }

  requestSaveLayout = (): void => {
    sessionStorage.setItem("layout", JSON.stringify(this.leaves.map((leaf) => leaf.getViewState())));
  };

  /** The leaves of the last run, each deferred until it is looked at. */
  restore(): void {
    const saved = JSON.parse(sessionStorage.getItem("layout") ?? "[]") as Obsidian.ViewState[];
    for (const state of saved) this.added(state);
  }

  getLeavesOfType(type: string): WorkspaceLeaf[] {
    return this.leaves.filter((leaf) => leaf.getViewState().type === type);
  }

  async revealLeaf(leaf: WorkspaceLeaf): Promise<void> {
    await leaf.loadIfDeferred();
    this.show(leaf);
  }

  getActiveFile(): Obsidian.TFile | null {
    return this.active?.view instanceof MarkdownView ? this.active.view.file : null;
  }

  async openLinkText(link: string, _source: string, newLeaf?: boolean, open?: Obsidian.OpenViewState): Promise<void> {
    const path = link.split("#")[0] ?? "";
    const file = this.app.vault.getFileByPath(path) ?? this.app.vault.getFileByPath(`${path}.md`);
    if (file) await this.getLeaf(newLeaf ?? false).openFile(file, open);
  }

  show(leaf: WorkspaceLeaf): void {
    if (!leaf.isSide) this.active = leaf;
    (leaf.isSide ? this.sideEl : this.containerEl).replaceChildren(leaf.view.containerEl);
    this.requestSaveLayout();
    const title = leaf.view.containerEl.querySelector(".view-header-title");
    title?.setText(leaf.view.getDisplayText());
  }

  forget(leaf: WorkspaceLeaf): void {
    this.leaves.splice(this.leaves.indexOf(leaf), 1);
    if (this.active === leaf) this.active = null;
  }
}

/** Where ours and Obsidian's differ in what they take or give, this does not compile. */
export type Checked = Pick<Workspace, WorkspacePart>;
