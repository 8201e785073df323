// Opens a vault with our plugin in it, as the app does, and hands the tests what a person or a system can do to it.
import type * as Obsidian from "obsidian";
import { App, obsidianModule, type Traits } from "./app";
import { extendElements } from "./dom";

const PLUGIN = "okf-edge";

interface Loaded {
  default: new (app: Obsidian.App, manifest: Obsidian.PluginManifest) => Obsidian.Plugin;
}

/** What tests do from outside. */
export interface Hands {
  app: App;
  plugin: Obsidian.Plugin;
  /** Worker, as the plugin made them, so that the system can kill one. */
  workers: Worker[];
  /** What was forbidden by the page's policy: any load from elsewhere. */
  violations: string[];
  /** What the plugin left uncaught, or wrote to the console. */
  errors: string[];
  /** Milliseconds that the plugin took of the start. */
  onloadMs: number;
  run(command: string): void;
  openLink(uri: string): void;
  settings(): void;
  hide(hidden: boolean): void;
  unload(): void;
}

declare global {
  interface Window {
    hands?: Hands;
  }
}

const query = new URLSearchParams(location.search);

const traits: Traits = {
  mobile: query.get("mobile") !== "no",
  ios: query.get("os") !== "android",
  language: query.get("language") ?? "en",
  vault: query.get("vault") ?? "vault",
};

const violations: string[] = [];
document.addEventListener("securitypolicyviolation", (event) =>
  violations.push(`${event.violatedDirective} ${event.blockedURI}`),
);

const errors: string[] = [];
window.addEventListener("error", (event) => errors.push(event.message));
window.addEventListener("unhandledrejection", ({ reason }) =>
  errors.push(reason instanceof Error ? (reason.stack ?? "") : String(reason)),
);

async function begin(): Promise<void> {
  extendElements();
  document.body.addClass(query.get("theme") === "dark" ? "theme-dark" : "theme-light");
  document.body.addClass(traits.mobile ? "is-mobile" : "is-desktop");
  const app = new App(traits);
  const workers = watchedWorkers();
  const plugin = await load(app);
  const before = performance.now();
  await (plugin.load() as unknown as Promise<void>); // the app waits for what a plugin's onload awaits
  const onloadMs = performance.now() - before;
  draw(app);
  await app.vault.load();
  app.workspace.restore();
  app.workspace.becomeReady();
  window.hands = { ...handsOf(app, plugin), workers, onloadMs };
}

/** The plugin's files are in the vault, and its script is run as the app runs it: CommonJS with `obsidian` at hand. */
async function load(app: App): Promise<Obsidian.Plugin> {
  const dir = `${app.vault.configDir}/plugins/${PLUGIN}`;
  const manifest = JSON.parse(await app.vault.adapter.read(`${dir}/manifest.json`)) as Obsidian.PluginManifest;
  document.head.createEl("style", { text: await app.vault.adapter.read(`${dir}/styles.css`) });
  const loaded = await required(await app.vault.adapter.read(`${dir}/main.js`), obsidianModule(traits));
  return new loaded.default(app.typed, { ...manifest, dir });
}

async function required(script: string, obsidian: Record<string, unknown>): Promise<Loaded> {
  const module = { exports: {} as Loaded };
  const require = (name: string): unknown => {
    if (name !== "obsidian") throw new Error(`a phone has no module ${name}`);
    return obsidian;
  };
  Object.assign(window, { pluginScope: { require, module } });
  const source = `{const {require, module} = window.pluginScope; const exports = module.exports; (() => {${script}\n})()}`;
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  await new Promise<void>((resolve, reject) => {
    const element = document.head.createEl("script");
    element.onload = () => resolve();
    element.onerror = () => reject(new Error("main.js does not run"));
    element.src = url;
  });
  return module.exports;
}

function watchedWorkers(): Worker[] {
  const workers: Worker[] = [];
  const Real = Worker;
  window.Worker = class extends Real {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      workers.push(this);
    }
  };
  return workers;
}

function draw(app: App): void {
  const ribbon = document.body.createEl("nav", { cls: "ribbon", attr: { "aria-label": "Ribbon" } });
  for (const [title, callback] of app.ribbon) {
    const button = ribbon.createEl("button", { cls: "clickable-icon", text: "▤", attr: { "aria-label": title } });
    button.addEventListener("click", () => void callback());
  }
  document.body.append(app.workspace.containerEl, app.workspace.sideEl);
  app.workspace.show(app.workspace.getLeaf(true));
}

function handsOf(app: App, plugin: Obsidian.Plugin): Omit<Hands, "workers" | "onloadMs"> {
  return {
    app,
    plugin,
    violations,
    errors,
    run: (id) => {
      const command = app.commands.get(id);
      if (command?.checkCallback?.(true)) command.checkCallback(false);
      else command?.callback?.();
    },
    openLink: (uri) => {
      const { hostname, searchParams } = new URL(uri.replace("obsidian:", "https:"));
      void app.protocols.get(hostname)?.({ action: hostname, ...Object.fromEntries(searchParams) });
    },
    settings: () => {
      const tab = app.tabs[0];
      if (!tab) return;
      app.workspace.containerEl.replaceChildren(tab.containerEl);
      tab.display();
    },
    hide: (hidden) => {
      Object.defineProperty(document, "hidden", { configurable: true, value: hidden });
      document.dispatchEvent(new Event("visibilitychange"));
    },
    unload: () => {
      plugin.unload();
    },
  };
}

void begin();
