// The one view: search, library and upkeep side by side. It remembers its pane and question in the layout.
import { type App, ItemView, Platform, type ViewStateResult, type WorkspaceLeaf } from "obsidian";
import { LibraryPane } from "./library_pane";
import type OkfEdgePlugin from "./main";
import { SearchPane } from "./search_pane";
import { UpkeepPane } from "./upkeep_pane";
import { say } from "./words";

export const PANEL = "okf-edge-panel";

const PANES = ["search", "library", "upkeep"] as const;
export type Pane = (typeof PANES)[number];

interface PanelState {
  pane: Pane;
  question: string;
}

/** Reveal the panel, opening it where it is at hand: beside the notes on a desktop, as a tab on a phone. */
export async function openPanel(app: App, state: PanelState): Promise<void> {
  const { workspace } = app;
  const there = workspace.getLeavesOfType(PANEL)[0];
  const leaf = there ?? (Platform.isMobile ? workspace.getLeaf(true) : workspace.getRightLeaf(false));
  if (!leaf) return;
  await leaf.setViewState({ type: PANEL, state: { ...state }, active: true });
  await workspace.revealLeaf(leaf);
}

export class PanelView extends ItemView {
  private state: PanelState = { pane: "search", question: "" };
  private searching: SearchPane | null = null;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly plugin: OkfEdgePlugin,
  ) {
    super(leaf);
    this.navigation = true;
  }

  override getViewType(): string {
    return PANEL;
  }

  override getDisplayText(): string {
    return say("panel");
  }

  override getIcon(): string {
    return "library";
  }

  override getState(): Record<string, unknown> {
    return { ...this.state };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    const given = state as Partial<PanelState>;
    const pane = PANES.find((each) => each === given.pane) ?? "search";
    this.state = { pane, question: typeof given.question === "string" ? given.question : "" };
    await super.setState(state, result);
    this.draw();
  }

  protected override async onOpen(): Promise<void> {
    this.contentEl.addClass("okf-edge");
    this.draw();
    return Promise.resolve();
  }

  private draw(): void {
    if (this.searching) this.removeChild(this.searching);
    this.searching = null;
    this.contentEl.empty();
    this.drawTabs();
    const body = this.contentEl.createDiv({ cls: "okf-edge-body" });
    const pane = this.paneIn(body);
    void pane.show();
  }

  private paneIn(body: HTMLElement): { show(): Promise<void> } {
    if (this.state.pane === "library") return new LibraryPane(this.plugin, body);
    if (this.state.pane === "upkeep") return new UpkeepPane(this.plugin, body);
    const pane = new SearchPane(this.plugin, body, this.state.question, (question) => {
      this.state = { ...this.state, question };
      this.app.workspace.requestSaveLayout();
    });
    return (this.searching = this.addChild(pane));
  }

  private drawTabs(): void {
    const tabs = this.contentEl.createEl("nav", { cls: "okf-edge-tabs", attr: { "aria-label": say("panel") } });
    for (const pane of PANES) {
      const tab = tabs.createEl("button", { text: say(pane), attr: { type: "button" } });
      tab.setAttr("aria-current", this.state.pane === pane ? "page" : null);
      tab.addEventListener("click", () => {
        this.state = { ...this.state, pane };
        this.draw();
      });
    }
  }
}
