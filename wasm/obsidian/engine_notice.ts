// What is missing for asking, and how to get it: said once, where the answers would stand.
import { Notice } from "obsidian";
import type { Presence } from "./engine_files";
import type OkfEdgePlugin from "./main";
import { say } from "./words";

const SIZE = "≈ 50 MB";

export function engineNotice(parent: HTMLElement, plugin: OkfEdgePlugin, presence: Presence): void {
  parent.empty();
  const box = parent.createDiv({ cls: "okf-edge-empty", attr: { role: "alert" } });
  const { version } = plugin.manifest;
  if (presence.state === "other-version") {
    box.createEl("h3", { text: say("engine-version", { found: presence.found, expected: version }) });
    box.createEl("p", { text: say("engine-fix", { expected: version }) });
  } else if (presence.state === "damaged") {
    box.createEl("h3", { text: say("engine-damaged") });
    box.createEl("p", { text: presence.reason });
    box.createEl("p", { text: say("engine-fix", { expected: version }) });
  } else {
    box.createEl("h3", { text: say("engine-absent") });
    box.createEl("p", { text: say("engine-absent-text", { size: SIZE }) });
  }
  command(box, "okf plugin install --vault .");
  const folder = `${plugin.app.vault.configDir}/plugins/${plugin.manifest.id}`;
  box.createEl("p", { cls: "okf-edge-quiet", text: say("engine-absent-hand", { version, folder }) });
}

/** A command line that a tap copies. */
function command(parent: HTMLElement, text: string): void {
  const line = parent.createDiv("okf-edge-command");
  line.createEl("code", { text });
  const copy = line.createEl("button", { text: say("copy"), attr: { type: "button" } });
  copy.addEventListener("click", () => {
    void navigator.clipboard.writeText(text).then(() => new Notice(say("copied")));
  });
}
