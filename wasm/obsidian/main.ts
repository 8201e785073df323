// The plugin: what it adds to the app. Nothing is read or started before the layout is there and somebody asks.
import { Plugin, type TAbstractFile } from "obsidian";
import { addCommands } from "./commands";
import { Engine } from "./engine";
import { ENGINE_FOLDER, EngineFiles } from "./engine_files";
import { FeedModal, isFeed } from "./feed_modal";
import { InstallModal } from "./install_modal";
import { Library } from "./library";
import { addMenus, offerArrived } from "./menus";
import { openPanel, PANEL, PanelView, type Pane } from "./panel";
import { SettingsTab } from "./settings_tab";
import { type Settings, settingsFrom } from "./settings";
import { say } from "./words";

export default class OkfEdgePlugin extends Plugin {
  override settings: Settings = settingsFrom(null);
  engine!: Engine;
  library!: Library;

  override async onload(): Promise<void> {
    this.settings = settingsFrom(await this.loadData());
    const { adapter } = this.app.vault;
    this.library = new Library(adapter);
    this.engine = this.addChild(
      new Engine(this.app, new EngineFiles(adapter, this.engineFolder, this.manifest.version)),
    );
    this.registerView(PANEL, (leaf) => new PanelView(leaf, this));
    this.addRibbonIcon("library", say("panel"), () => void this.open("search"));
    this.registerObsidianProtocolHandler("okf-edge", (params) => {
      this.installFrom(params["install"] ?? "");
    });
    this.addSettingTab(new SettingsTab(this.app, this));
    addCommands(this);
    addMenus(this);
    this.app.workspace.onLayoutReady(() => {
      this.registerEvent(
        this.app.vault.on("create", (file: TAbstractFile) => {
          offerArrived(this, file);
        }),
      );
    });
  }

  get engineFolder(): string {
    return `${this.manifest.dir ?? `${this.app.vault.configDir}/plugins/${this.manifest.id}`}/${ENGINE_FOLDER}`;
  }

  /** Show the panel at one of its panes; `question` is asked at once. */
  async open(pane: Pane, question = ""): Promise<void> {
    await openPanel(this.app, { pane, question });
  }

  /** Look at what is behind a link, a bundle or a feed, before anything is written; empty asks for link or file. */
  installFrom(link: string): void {
    if (isFeed(link)) new FeedModal(this, link).open();
    else new InstallModal(this, link ? { link } : null).open();
  }

  async change(settings: Partial<Settings>): Promise<void> {
    this.settings = { ...this.settings, ...settings };
    await this.saveData(this.settings);
  }
}
