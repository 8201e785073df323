// A dialog that shows one step at a time: what is at work, what failed and what to do, what was installed.
import { Modal, Setting } from "obsidian";
import type { Installation } from "../runtime/messages";
import { engineNotice } from "./engine_notice";
import { isCancelled, messageOf } from "./failures";
import type OkfEdgePlugin from "./main";
import { say } from "./words";

export abstract class StepModal extends Modal {
  protected readonly cancel = new AbortController();

  constructor(protected readonly plugin: OkfEdgePlugin) {
    super(plugin.app);
    this.modalEl.addClass("okf-edge-modal");
  }

  override onClose(): void {
    this.cancel.abort();
    this.contentEl.empty();
  }

  /** Whether the engine is there; if not, the dialog says how to get it. */
  protected async hasEngine(): Promise<boolean> {
    const presence = await this.plugin.engine.files.presence();
    if (presence.state !== "there") engineNotice(this.contentEl, this.plugin, presence);
    return presence.state === "there";
  }

  protected finish({ bundle, outcome, notes }: Installation): void {
    const { contentEl } = this;
    contentEl.empty();
    const text = say(outcome === "unchanged" ? "unchanged" : "installed", {
      title: bundle.title,
      version: bundle.version,
    });
    contentEl.createEl("p", { text, attr: { role: "status" } });
    for (const note of notes) contentEl.createEl("p", { cls: "okf-edge-quiet", text: note });
    const setting = new Setting(contentEl).setClass("okf-edge-buttons");
    setting.addButton((button) =>
      button
        .setButtonText(say("ask-it"))
        .setCta()
        .onClick(() => {
          this.close();
          void this.plugin.open("search");
        }),
    );
    setting.addButton((button) =>
      button.setButtonText(say("close")).onClick(() => {
        this.close();
      }),
    );
  }

  protected fail(error: unknown, again: () => Promise<void>): void {
    if (isCancelled(error)) return;
    this.contentEl.empty();
    const failed = this.contentEl.createDiv({ cls: "okf-edge-failure", attr: { role: "alert" } });
    for (const line of messageOf(error).split("\n")) failed.createEl("p", { text: line });
    failed.createEl("p", { cls: "okf-edge-quiet", text: say("not-written") });
    const setting = new Setting(this.contentEl).setClass("okf-edge-buttons");
    setting.addButton((button) => button.setButtonText(say("again")).onClick(again));
    setting.addButton((button) =>
      button.setButtonText(say("close")).onClick(() => {
        this.close();
      }),
    );
  }

  protected tell(text: string): void {
    this.contentEl.empty();
    this.contentEl.createEl("p", { cls: "okf-edge-status", text, attr: { role: "status" } });
  }
}
