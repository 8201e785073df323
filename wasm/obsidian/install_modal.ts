// From a link or a file to an installed bundle: look at it, decide, install. Nothing is written before the one button.
import { Setting } from "obsidian";
import type { Preview } from "../runtime/messages";
import { isOlder } from "../ui/versions";
import { signatureText, sizeText } from "../ui/words";
import { ARCHIVE_BYTES, download, webAddress } from "./downloads";
import { FeedModal, isFeed } from "./feed_modal";
import type OkfEdgePlugin from "./main";
import { PickedFile, type Picked } from "./picking";
import { StepModal } from "./step_modal";
import { locale, say } from "./words";

interface Archive {
  name: string;
  data: Uint8Array;
}

export class InstallModal extends StepModal {
  constructor(
    plugin: OkfEdgePlugin,
    private readonly picked: Picked | null,
  ) {
    super(plugin);
  }

  override async onOpen(): Promise<void> {
    this.setTitle(say("install-title"));
    if (!(await this.hasEngine())) return;
    if (this.picked) await this.lookAt(this.picked);
    else this.askWhere();
  }

  private askWhere(): void {
    this.contentEl.createEl("p", { text: say("install-where") });
    const form = this.contentEl.createEl("form", "okf-edge-ask");
    const field = form.createEl("input", {
      type: "url",
      placeholder: "https://…",
      attr: { "aria-label": say("link") },
    });
    form.createEl("button", { cls: "mod-cta", text: say("from-link"), attr: { type: "submit" } });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.follow(field.value);
    });
    const file = this.contentEl.createEl("button", { text: say("from-file"), attr: { type: "button" } });
    file.addEventListener("click", () => void this.chooseFile());
    field.focus();
  }

  /** A link to anything but an archive is that of a feed. */
  private follow(link: string): void {
    if (!isFeed(link)) return void this.lookAt({ link });
    this.close();
    new FeedModal(this.plugin, link).open();
  }

  private async chooseFile(): Promise<void> {
    const picked = await PickedFile.ask();
    if (picked) await this.lookAt(picked);
  }

  /** Get it, check every file of it, and show what it is. */
  private async lookAt(picked: Picked): Promise<void> {
    try {
      const archive = await this.fetched(picked);
      this.tell(say("checking", { name: archive.name }));
      const { signal } = this.cancel;
      const preview = await this.plugin.engine.call("preview", { ...copied(archive) }, { signal });
      this.show(archive, preview);
    } catch (error) {
      this.fail(error, () => this.lookAt(picked));
    }
  }

  private async fetched(picked: Picked): Promise<Archive> {
    if (picked instanceof PickedFile) return { name: picked.name, data: await picked.bytes() };
    const address = webAddress(picked.link);
    const name = nameOf(address);
    this.tell(say("fetching", { name }));
    const { status, data } = await download(address.href, "GET", ARCHIVE_BYTES);
    if (status === 200) return { name: address.href, data };
    throw new Error(say("answered-badly", { host: address.host, status }));
  }

  private show(archive: Archive, preview: Preview): void {
    const { contentEl } = this;
    contentEl.empty();
    contentEl.createEl("h3", { text: preview.title });
    if (preview.description) contentEl.createEl("p", { text: preview.description });
    for (const fact of factsOf(preview)) contentEl.createEl("p", { cls: "okf-edge-fact", text: fact });
    this.drawFindings(preview);
    const setting = new Setting(contentEl).setClass("okf-edge-buttons");
    if (!replacesNewer(preview)) this.addInstall(setting, archive, preview);
    setting.addButton((button) => button.setButtonText(say("cancel")).onClick(() => this.close()));
  }

  private addInstall(setting: Setting, archive: Archive, preview: Preview): void {
    const isRisky = preview.risks.length + preview.breaches.length > 0;
    setting.addButton((button) => {
      const chosen = button.setButtonText(isRisky ? say("accept-risks") : actionOf(preview));
      (isRisky ? chosen.setWarning() : chosen.setCta()).onClick(() => this.install(archive, preview));
    });
  }

  private drawFindings(preview: Preview): void {
    const { contentEl } = this;
    contentEl.createEl("h4", { text: say("findings") });
    const found = [...preview.risks, ...preview.breaches, ...preview.notes];
    if (preview.left_out.length) found.push(say("left-out", { count: preview.left_out.length }));
    const list = contentEl.createEl("ul", "okf-edge-findings");
    for (const each of found.length ? found : [say("no-findings")]) list.createEl("li", { text: each });
  }

  /** Whoever installs what was found to be risky has read it above the button. */
  private async install(archive: Archive, preview: Preview): Promise<void> {
    const onProgress = ({ label }: { label: string }): void => this.tell(say("installing", { step: label }));
    onProgress({ label: preview.title });
    const accepted = { acceptRisks: preview.risks.length > 0, acceptNonconformant: preview.breaches.length > 0 };
    try {
      this.finish(await this.plugin.engine.call("install", { ...copied(archive), ...accepted }, { onProgress }));
    } catch (error) {
      this.fail(error, () => this.install(archive, preview));
    }
  }
}

/** An older version would have to be forced, which loses what a person changed in its pages: going back loses nothing. */
const replacesNewer = ({ version, installed }: Preview): boolean => isOlder(version, installed);

function actionOf({ installed, version }: Preview): string {
  return installed && installed !== version ? say("update-now", { from: installed, to: version }) : say("install-now");
}

/** The last part of an address, as a person reads it. */
function nameOf({ pathname, host }: URL): string {
  const last = pathname.split("/").pop() ?? "";
  try {
    return decodeURIComponent(last) || host;
  } catch {
    return last; // no encoded text
  }
}

/** Bytes that the engine takes are gone here; the archive is needed twice, to look and to install. */
function copied({ name, data }: Archive): Archive {
  return { name, data: data.slice() };
}

function factsOf(preview: Preview): string[] {
  const isSigned = preview.signature === "valid";
  const signature = signatureText(
    isSigned ? { kind: "signed", name: preview.creator } : { kind: "unsigned" },
    locale(),
  );
  const size = sizeText(preview.bytes, locale());
  return [
    `${preview.id} · ${say("version", { version: preview.version })}`,
    signature,
    ...(preview.creator ? [say("made-by", { name: preview.creator })] : []),
    ...(preview.licence ? [say("licence", { licence: preview.licence })] : []),
    ...(replacesNewer(preview) ? [say("newer-installed", { version: preview.installed })] : []),
    say("writes", { count: preview.files, size, folder: `Library/${preview.id}` }),
  ];
}
