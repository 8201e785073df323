// The engine as the plugin uses it: opened by the first question, ended when the app is hidden or nothing is asked.
import { type App, Component, Platform } from "obsidian";
import { Runtime, type CallOptions, type RuntimeState } from "../runtime/client";
import type { Host } from "../runtime/host";
import type { Argument, CallName, Result } from "../runtime/messages";
import { Store } from "../runtime/store";
import { StoredTree } from "../runtime/stored_tree";
import { download } from "./downloads";
import type { EngineFiles } from "./engine_files";
import { VaultTree } from "./vault_tree";

const IDLE_MS = Platform.isMobile ? 60_000 : 300_000;
/** A look at another app is short; a phone ends hidden apps that hold much memory. */
const HIDDEN_MS = 5_000;
const CRASHES_KEY = "okf-edge-crashes";

export class Engine extends Component {
  private readonly runtime: Runtime;
  private calls = 0;
  private hiddenTimer = 0;

  constructor(
    app: App,
    readonly files: EngineFiles,
  ) {
    super();
    this.runtime = new Runtime(hostOf(app, files), { folderName: app.vault.getName(), idleMs: IDLE_MS });
  }

  override onload(): void {
    this.registerDomEvent(document, "visibilitychange", () => {
      window.clearTimeout(this.hiddenTimer);
      if (document.hidden)
        this.hiddenTimer = window.setTimeout(() => {
          this.rest();
        }, HIDDEN_MS);
    });
    this.register(() => {
      this.end();
    });
  }

  get state(): RuntimeState {
    return this.runtime.state;
  }

  /** Tells every change of state; returns how to stop that. */
  onState(listener: (state: RuntimeState) => void): () => void {
    return this.runtime.onState(listener);
  }

  /** Run a use case of the core. Rejects with CallError. */
  async call<Name extends CallName>(
    name: Name,
    argument: Argument<Name>,
    options: CallOptions = {},
  ): Promise<Result<Name>> {
    this.calls += 1;
    try {
      return await this.runtime.call(name, argument, options);
    } finally {
      this.calls -= 1;
      if (document.hidden) this.rest();
    }
  }

  async leaveSafeMode(): Promise<void> {
    await this.runtime.forgetCrashes();
  }

  /** Give memory back, unless something is at work: that is finished first. */
  private rest(): void {
    if (this.calls === 0) this.end();
  }

  private end(): void {
    window.clearTimeout(this.hiddenTimer);
    this.runtime.terminate();
  }
}

/** What stays on this device and never syncs lies in a database of the app: trusted feeds and derived files. */
function hostOf(app: App, files: EngineFiles): Host {
  const store = new Store(`okf-edge/${app.vault.getName()}`);
  return {
    assets: files,
    trees: {
      base: new VaultTree(app.vault),
      spare: new StoredTree(store, "spare"),
      device: new StoredTree(store, "device"),
    },
    fetch: download,
    crashes: {
      read: () => Promise.resolve(Number(app.loadLocalStorage(CRASHES_KEY) ?? 0)),
      write: (count) => Promise.resolve(app.saveLocalStorage(CRASHES_KEY, count || null)),
    },
  };
}
