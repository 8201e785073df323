// One bundle: what it is, whose it is, whether its files are whole; read, update, go back, remove.
import { Modal, Notice, Setting } from "obsidian";
import { dateText } from "../ui/words";
import { messageOf } from "./failures";
import { folderOf, type Installed } from "./library";
import { signatureOf } from "./library_pane";
import type OkfEdgePlugin from "./main";
import { openPage } from "./opening";
import { locale, say } from "./words";

export class BundleModal extends Modal {
  constructor(
    private readonly plugin: OkfEdgePlugin,
    private readonly bundle: Installed,
    private readonly changed: () => void,
  ) {
    super(plugin.app);
  }

  override onOpen(): void {
    const { bundle, contentEl } = this;
    this.setTitle(bundle.title);
    this.modalEl.addClass("okf-edge-modal");
    for (const fact of factsOf(bundle)) contentEl.createEl("p", { cls: "okf-edge-fact", text: fact });
    const actions = new Setting(contentEl).setClass("okf-edge-buttons");
    actions.addButton((button) =>
      button
        .setButtonText(say("open"))
        .setCta()
        .onClick(() => this.read()),
    );
    actions.addButton((button) => button.setButtonText(say("verify")).onClick(() => this.check()));
    if (bundle.previous) {
      const text = say("rollback", { version: bundle.previous });
      actions.addButton((button) => button.setButtonText(text).onClick(() => this.goBack()));
    }
    actions.addButton((button) =>
      button.setButtonText(say("remove")).onClick(() => {
        this.confirm();
      }),
    );
    this.report = contentEl.createDiv({ cls: "okf-edge-report", attr: { role: "status" } });
  }

  override onClose(): void {
    this.contentEl.empty();
  }

  private report!: HTMLElement;

  private async read(): Promise<void> {
    this.close();
    await openPage(this.app, `${folderOf(this.bundle)}/index.md`);
  }

  private async check(): Promise<void> {
    const told = (done: number, total: number): void => {
      this.report.setText(`${say("verifying", { count: total })} ${done}/${total}`);
    };
    const checked = await this.plugin.library.check(this.bundle, told).catch((error: unknown) => {
      this.report.setText(messageOf(error));
    });
    if (!checked) return;
    this.report.empty();
    const { differences, files } = checked;
    const text = differences.length
      ? say("verify-bad", { count: differences.length })
      : say("verify-good", { count: files });
    this.report.createEl("p", { text });
    const list = this.report.createEl("ul");
    for (const each of differences) list.createEl("li", { text: each });
  }

  /** Removing deletes pages, so it is asked again, in place. */
  private confirm(): void {
    this.report.empty();
    this.report.createEl("p", { text: say("remove-sure", { title: this.bundle.title }) });
    const setting = new Setting(this.report).setClass("okf-edge-buttons");
    setting.addButton((button) =>
      button
        .setButtonText(say("remove"))
        .setWarning()
        .onClick(() => this.remove()),
    );
    setting.addButton((button) =>
      button.setButtonText(say("cancel")).onClick(() => {
        this.report.empty();
      }),
    );
  }

  private remove(): Promise<void> {
    return this.done(async () => {
      await this.plugin.engine.call("uninstall", { id: this.bundle.id });
      new Notice(say("removed", { title: this.bundle.title }));
    });
  }

  private goBack(): Promise<void> {
    return this.done(async () => {
      const { bundle } = await this.plugin.engine.call("rollback", { id: this.bundle.id });
      new Notice(say("updated", { title: bundle.title, version: bundle.version }));
    });
  }

  private async done(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.close();
      this.changed();
    } catch (error) {
      this.report.setText(messageOf(error));
    }
  }
}

function factsOf(bundle: Installed): string[] {
  const index = bundle.hasIndex ? say(bundle.embedder ? "by-meaning" : "by-words") : say("no-index");
  return [
    `${bundle.id} · ${say("version", { version: bundle.version })}`,
    signatureOf(bundle),
    say("installed-on", { date: dateText(bundle.installedAt, locale()) }),
    say("from", { origin: bundle.feed || bundle.origin }),
    index,
  ];
}
