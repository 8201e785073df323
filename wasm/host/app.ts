// The app that a plugin meets: one object with the parts, and the module `obsidian` that its bundle requires.
import type * as Obsidian from "obsidian";
import { Component } from "./events";
import { PluginSettingTab, Setting } from "./settings";
import { TFile, TFolder, Vault } from "./vault";
import { Menu, Modal, Notice, setIcon } from "./widgets";
import { ItemView, Workspace } from "./workspace";

export interface Traits {
  mobile: boolean;
  ios: boolean;
  language: string;
  /** Name of the vault. */
  vault: string;
}

type AppPart = "isDarkMode" | "loadLocalStorage" | "saveLocalStorage";

export class App implements Pick<Obsidian.App, AppPart> {
  readonly workspace = new Workspace();
  readonly vault: Vault;
  readonly commands = new Map<string, Obsidian.Command>();
  readonly protocols = new Map<string, Obsidian.ObsidianProtocolHandler>();
  readonly ribbon = new Map<string, () => unknown>();
  readonly tabs: PluginSettingTab[] = [];

  constructor(readonly traits: Traits) {
    this.vault = new Vault(traits.vault);
    this.workspace.app = this.typed;
  }

  get typed(): Obsidian.App {
    return this as unknown as Obsidian.App;
  }

  isDarkMode(): boolean {
    return document.body.classList.contains("theme-dark");
  }

  loadLocalStorage(key: string): string | null {
    const kept = localStorage.getItem(`${this.traits.vault}-${key}`);
    return kept === null ? null : (JSON.parse(kept) as string);
  }

  saveLocalStorage(key: string, data: unknown): void {
    if (data === null) localStorage.removeItem(`${this.traits.vault}-${key}`);
    else localStorage.setItem(`${this.traits.vault}-${key}`, JSON.stringify(data));
  }
}

type PluginPart =
  | "app"
  | "manifest"
  | "addCommand"
  | "addRibbonIcon"
  | "addSettingTab"
  | "registerView"
  | "registerObsidianProtocolHandler"
  | "loadData"
  | "saveData";

export class Plugin extends Component implements Pick<Obsidian.Plugin, PluginPart> {
  private readonly host: App;

  constructor(
    readonly app: Obsidian.App,
    readonly manifest: Obsidian.PluginManifest,
  ) {
    super();
    this.host = app as unknown as App;
  }

  addCommand(command: Obsidian.Command): Obsidian.Command {
    const id = `${this.manifest.id}:${command.id}`;
    this.host.commands.set(id, command);
    this.register(() => this.host.commands.delete(id));
    return command;
  }

  addRibbonIcon(_icon: string, title: string, callback: (event: MouseEvent) => unknown): HTMLElement {
    this.host.ribbon.set(title, () => callback(new MouseEvent("click")));
    this.register(() => this.host.ribbon.delete(title));
    return document.createElement("div");
  }

  addSettingTab(tab: Obsidian.PluginSettingTab): void {
    const added = tab as unknown as PluginSettingTab;
    this.host.tabs.push(added);
    this.register(() => this.host.tabs.splice(this.host.tabs.indexOf(added), 1));
  }

  registerView(type: string, creator: Obsidian.ViewCreator): void {
    this.register(this.host.workspace.register(type, creator));
  }

  registerObsidianProtocolHandler(action: string, handler: Obsidian.ObsidianProtocolHandler): void {
    this.host.protocols.set(action, handler);
    this.register(() => this.host.protocols.delete(action));
  }

  async loadData(): Promise<unknown> {
    const { adapter } = this.host.vault;
    return (await adapter.exists(this.dataPath)) ? JSON.parse(await adapter.read(this.dataPath)) : null;
  }

  async saveData(data: unknown): Promise<void> {
    await this.host.vault.adapter.write(this.dataPath, JSON.stringify(data));
  }

  private get dataPath(): string {
    return `${this.manifest.dir ?? ""}/data.json`;
  }
}

/** As the app asks the system for a web address: no CORS, the whole body at once. */
async function requestUrl(request: string | Obsidian.RequestUrlParam): Promise<Obsidian.RequestUrlResponse> {
  const { url, method = "GET" } = typeof request === "string" ? { url: request } : request;
  const answer = await fetch(`/request?${new URLSearchParams({ url, method })}`, { method: "POST" });
  const status = Number(answer.headers.get("x-status"));
  if (!status) throw new Error("net::ERR_FAILED");
  const arrayBuffer = await answer.arrayBuffer();
  const headers = JSON.parse(answer.headers.get("x-headers") ?? "{}") as Record<string, string>;
  return { status, headers, arrayBuffer, text: new TextDecoder().decode(arrayBuffer), json: null };
}

function normalizePath(path: string): string {
  const trimmed = path.replace(/[\\/]+/g, "/").replace(/^\/|\/$/g, "");
  return (trimmed || "/").replace(/\u00A0|\u202F/g, " ").normalize("NFC");
}

/** What `require("obsidian")` gives to a plugin here: everything that ours uses, and nothing else. */
export function obsidianModule(traits: Traits): Record<string, unknown> {
  const Platform = {
    isMobile: traits.mobile,
    isMobileApp: traits.mobile,
    isDesktopApp: !traits.mobile,
    isIosApp: traits.ios,
    isAndroidApp: traits.mobile && !traits.ios,
    isPhone: traits.mobile,
  };
  const parts = { Component, ItemView, Menu, Modal, Notice, Plugin, PluginSettingTab, Setting, TFile, TFolder };
  return { ...parts, Platform, getLanguage: () => traits.language, normalizePath, requestUrl, setIcon };
}
