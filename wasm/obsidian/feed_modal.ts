// Feeds: which are followed, following another once its root was compared, and installing what one offers.
import { Setting } from "obsidian";
import { CallError } from "../runtime/client";
import type { Feed, InstallChoices, Offer } from "../runtime/messages";
import { signatureText, sizeText } from "../ui/words";
import { webAddress } from "./downloads";
import type OkfEdgePlugin from "./main";
import { StepModal } from "./step_modal";
import { locale, say } from "./words";

/** Followed before by this name, e.g. on another device of the vault. */
interface Candidate {
  url: string;
  root: string;
  name?: string;
}

export class FeedModal extends StepModal {
  /** Args: address: of the feed to look at; empty lists what is followed. */
  constructor(
    plugin: OkfEdgePlugin,
    private readonly address: string,
  ) {
    super(plugin);
  }

  override async onOpen(): Promise<void> {
    this.setTitle(say("feeds"));
    if (!(await this.hasEngine())) return;
    await (this.address ? this.lookAt(this.address) : this.list());
  }

  private async list(): Promise<void> {
    try {
      this.tell(say("looking"));
      const { feeds } = await this.plugin.engine.call("feeds", {}, { signal: this.cancel.signal });
      this.contentEl.empty();
      if (!feeds.length) this.contentEl.createEl("p", { text: say("no-feeds") });
      for (const feed of feeds) this.drawFeed(feed);
      this.drawForm();
    } catch (error) {
      this.fail(error, () => this.list());
    }
  }

  private drawFeed(feed: Feed): void {
    const setting = new Setting(this.contentEl).setName(feed.name).setClass("okf-edge-feed");
    setting.setDesc(`${feed.url} · ${say(feed.confirmed ? "feed-confirmed" : "feed-unconfirmed")}`);
    setting.addButton((button) =>
      feed.confirmed
        ? button.setButtonText(say("feed-offers")).onClick(() => this.offer(feed.name))
        : button.setButtonText(say("feed-confirm")).onClick(() => {
            this.compare(feed);
          }),
    );
  }

  private drawForm(): void {
    const form = this.contentEl.createEl("form", "okf-edge-ask");
    const field = form.createEl("input", {
      type: "url",
      placeholder: "https://…",
      attr: { "aria-label": say("feed-address") },
    });
    form.createEl("button", { cls: "mod-cta", text: say("from-link"), attr: { type: "submit" } });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.lookAt(field.value);
    });
  }

  private async lookAt(address: string): Promise<void> {
    try {
      const { href: url, host } = webAddress(address);
      this.tell(say("fetching", { name: host }));
      this.compare(await this.plugin.engine.call("rootAt", { url }, { signal: this.cancel.signal }));
    } catch (error) {
      this.fail(error, () => this.lookAt(address));
    }
  }

  /** What a person has to compare before this device believes the feed. */
  private compare(found: Candidate): void {
    const { contentEl } = this;
    contentEl.empty();
    contentEl.createEl("p", { cls: "okf-edge-fact", text: found.url });
    contentEl.createEl("p", { text: say("feed-compare") });
    contentEl.createEl("p", "okf-edge-command").createEl("code", { text: found.root });
    const setting = new Setting(contentEl).setClass("okf-edge-buttons");
    setting.addButton((button) =>
      button
        .setButtonText(say("feed-follow"))
        .setCta()
        .onClick(() => this.follow(found)),
    );
    setting.addButton((button) =>
      button.setButtonText(say("cancel")).onClick(() => {
        this.close();
      }),
    );
  }

  private async follow(found: Candidate): Promise<void> {
    try {
      this.tell(say("fetching", { name: webAddress(found.url).host }));
      const { url, root, name = "" } = found;
      const feed = await this.plugin.engine.call("trust", { url, root, name }, { signal: this.cancel.signal });
      await this.offer(feed.name);
    } catch (error) {
      this.fail(error, () => this.follow(found));
    }
  }

  private async offer(feed: string): Promise<void> {
    try {
      this.tell(say("fetching", { name: feed }));
      const found = await this.plugin.engine.call("searchFeed", { words: [], feed }, { signal: this.cancel.signal });
      this.contentEl.empty();
      for (const trouble of found.troubles) this.contentEl.createEl("p", { cls: "okf-edge-quiet", text: trouble });
      if (!found.bundles.length) this.contentEl.createEl("p", { text: say("feed-empty", { name: feed }) });
      for (const each of found.bundles) this.drawOffer(each);
    } catch (error) {
      this.fail(error, () => this.offer(feed));
    }
  }

  private drawOffer(offer: Offer): void {
    const signature = signatureText({ kind: "signed", name: offer.signer }, locale());
    const size = sizeText(offer.bytes, locale());
    const setting = new Setting(this.contentEl).setName(offer.title || offer.id).setClass("okf-edge-feed");
    setting.setDesc(`${say("version", { version: offer.version })} · ${signature} · ${size}`);
    setting.addButton((button) =>
      button
        .setButtonText(say("install-now"))
        .setCta()
        .onClick(() => this.install(offer)),
    );
  }

  private async install(offer: Offer, choices: InstallChoices = {}): Promise<void> {
    const wanted = { wanted: `${offer.id}@${offer.version}`, feed: offer.feed, ...choices };
    const onProgress = ({ label }: { label: string }): void => this.tell(say("installing", { step: label }));
    onProgress({ label: offer.title || offer.id });
    try {
      this.finish(await this.plugin.engine.call("installFromFeed", wanted, { onProgress }));
    } catch (error) {
      this.fail(error, () => this.install(offer, choices));
      if (isFinding(error)) this.offerAnyway(offer);
    }
  }

  /** Whoever installs what was found to be risky has read it above the button. */
  private offerAnyway(offer: Offer): void {
    const setting = new Setting(this.contentEl).setClass("okf-edge-buttons");
    const accepted = { acceptRisks: true, acceptNonconformant: true };
    setting.addButton((button) =>
      button
        .setButtonText(say("accept-risks"))
        .setWarning()
        .onClick(() => this.install(offer, accepted)),
    );
  }
}

/** Whether a link is that of a feed: it names no archive. */
export function isFeed(link: string): boolean {
  return URL.canParse(link.trim()) && !new URL(link.trim()).pathname.toLowerCase().endsWith(".zip");
}

const isFinding = (error: unknown): boolean =>
  error instanceof CallError && ["risk-found", "not-conformant"].includes(error.code);
