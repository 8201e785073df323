// What can be chosen, what is here, and what the plugin does with the network.
import { type App, PluginSettingTab, Setting } from "obsidian";
import { sizeText } from "../ui/words";
import { excludeLibrary, isLibraryExcluded } from "./excluded";
import type OkfEdgePlugin from "./main";
import { locale, say } from "./words";

export class SettingsTab extends PluginSettingTab {
  constructor(
    app: App,
    private readonly owner: OkfEdgePlugin,
  ) {
    super(app, owner);
  }

  override display(): void {
    this.containerEl.empty();
    void this.draw(this.containerEl);
  }

  private async draw(parent: HTMLElement): Promise<void> {
    const excluded = await isLibraryExcluded(this.app.vault);
    new Setting(parent)
      .setName(say("hide-library"))
      .setDesc(say("hide-library-desc"))
      .addToggle((toggle) => toggle.setValue(excluded).onChange((value) => excludeLibrary(this.app.vault, value)));
    new Setting(parent)
      .setName(say("use-meaning"))
      .setDesc(say("use-meaning-desc"))
      .addToggle((toggle) =>
        toggle.setValue(this.owner.settings.byMeaning).onChange((byMeaning) => this.owner.change({ byMeaning })),
      );
    new Setting(parent).setName(say("engine")).setHeading();
    await this.drawEngine(new Setting(parent));
    new Setting(parent).setName(say("about")).setHeading();
    new Setting(parent).setDesc(say("about-network"));
  }

  private async drawEngine(setting: Setting): Promise<void> {
    const { files } = this.owner.engine;
    const presence = await files.presence();
    if (presence.state !== "there") {
      setting.setName(say("engine-absent")).setDesc(say("engine-fix", { expected: this.owner.manifest.version }));
      return;
    }
    const bytes = presence.manifest.assets
      .flatMap((asset) => asset.chunks)
      .reduce((sum, chunk) => sum + chunk.bytes, 0);
    const size = sizeText(bytes, locale());
    setting.setName(say("engine-desc", { version: presence.manifest.version, size }));
    setting.addButton((button) =>
      button.setButtonText(say("engine-check")).onClick(async () => {
        const fault = await files.firstFault();
        setting.setDesc(fault ? `${fault.message}. ${fault.hint}` : say("engine-good"));
      }),
    );
  }
}
