// The installed bundles. It needs no engine.
import { sizeText, signatureText } from "../ui/words";
import { BundleModal } from "./bundle_modal";
import { FeedModal } from "./feed_modal";
import { LibraryError, type Installed } from "./library";
import type OkfEdgePlugin from "./main";
import { checkUpdates } from "./updating";
import { locale, say } from "./words";

export class LibraryPane {
  constructor(
    private readonly plugin: OkfEdgePlugin,
    private readonly body: HTMLElement,
  ) {}

  async show(): Promise<void> {
    this.body.empty();
    const actions = this.body.createDiv("okf-edge-actions");
    const action = (text: string, run: () => unknown, isMain = false): void => {
      const button = actions.createEl("button", { text, cls: isMain ? "mod-cta" : "", attr: { type: "button" } });
      button.addEventListener("click", () => void run());
    };
    action(
      say("install"),
      () => {
        this.plugin.installFrom("");
      },
      true,
    );
    action(say("feeds"), () => {
      new FeedModal(this.plugin, "").open();
    });
    action(say("check-updates"), () => checkUpdates(this.plugin));
    await this.drawBundles();
  }

  private async drawBundles(): Promise<void> {
    try {
      const bundles = await this.plugin.library.list();
      if (!bundles.length) this.body.createEl("p", { cls: "okf-edge-quiet", text: say("no-bundles") });
      const list = this.body.createEl("ul", "okf-edge-places");
      for (const bundle of bundles) await this.drawBundle(list.createEl("li"), bundle);
    } catch (error) {
      if (!(error instanceof LibraryError)) throw error;
      this.body.createEl("p", { cls: "okf-edge-failure", text: error.message, attr: { role: "alert" } });
    }
  }

  private async drawBundle(parent: HTMLElement, bundle: Installed): Promise<void> {
    const button = parent.createEl("article", "okf-edge-card").createEl("button", "okf-edge-open");
    button.createDiv({ cls: "okf-edge-place", text: bundle.title });
    button.createDiv({ cls: "okf-edge-id", text: `${bundle.id} · ${say("version", { version: bundle.version })}` });
    const about = button.createDiv({ cls: "okf-edge-quiet", text: signatureOf(bundle) });
    button.addEventListener("click", () => {
      new BundleModal(this.plugin, bundle, () => void this.show()).open();
    });
    const size = await this.plugin.library.size(bundle);
    if (size !== null) about.setText(`${signatureOf(bundle)} · ${sizeText(size, locale())}`);
  }
}

export function signatureOf(bundle: { signer: string }): string {
  return signatureText(bundle.signer ? { kind: "signed", name: bundle.signer } : { kind: "unsigned" }, locale());
}
