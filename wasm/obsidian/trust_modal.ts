// Whose words the open page are, who answers for them, and whether they still hold.
import { Modal, type TFile } from "obsidian";
import { freshnessText, trustText } from "../ui/words";
import { messageOf } from "./failures";
import { signatureOf } from "./library_pane";
import type OkfEdgePlugin from "./main";
import { locale, say } from "./words";

export class TrustModal extends Modal {
  constructor(
    private readonly plugin: OkfEdgePlugin,
    private readonly file: TFile,
  ) {
    super(plugin.app);
  }

  override async onOpen(): Promise<void> {
    this.setTitle(say("trust-title"));
    this.modalEl.addClass("okf-edge-modal");
    const bundle = await this.plugin.library.owner(this.file.path).catch(() => undefined);
    if (bundle) {
      this.tell(say("of-bundle", { title: bundle.title, version: bundle.version }));
      this.tell(signatureOf(bundle));
    } else this.tell(say("not-in-library"));
    await this.tellClaims(bundle !== undefined);
  }

  override onClose(): void {
    this.contentEl.empty();
  }

  private async tellClaims(isClaim: boolean): Promise<void> {
    try {
      const page = await this.plugin.engine.call("read", { concept: this.file.path });
      this.tell(trustText(page.trust, isClaim, locale()));
      this.tell(freshnessText(page.fresh, page.stale_after, locale()));
    } catch (error) {
      this.tell(messageOf(error));
    }
  }

  private tell(text: string): void {
    this.contentEl.createEl("p", { cls: "okf-edge-fact", text });
  }
}
