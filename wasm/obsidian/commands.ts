// The commands, each with what it does. None has a hotkey of its own.
import { Notice, TFile } from "obsidian";
import type OkfEdgePlugin from "./main";
import { checkUpdates, updateAll } from "./updating";
import { indexHere } from "./indexing";
import { PickedFile } from "./picking";
import { FeedModal } from "./feed_modal";
import { InstallModal } from "./install_modal";
import { verifyAll } from "./verifying";
import { TrustModal } from "./trust_modal";
import { say } from "./words";

export function addCommands(plugin: OkfEdgePlugin): void {
  const add = (id: string, name: string, callback: () => unknown): void => {
    plugin.addCommand({ id, name, callback: () => void callback() });
  };
  add("search", say("panel"), () => plugin.open("search"));
  add("ask", say("ask-command"), () => plugin.open("search"));
  add("library", say("show-library"), () => plugin.open("library"));
  add("install-link", say("install-link"), () => {
    plugin.installFrom("");
  });
  add("install-file", say("install-file"), () => installFile(plugin));
  add("feeds", say("show-feeds"), () => {
    new FeedModal(plugin, "").open();
  });
  add("check-updates", say("check-updates"), () => checkUpdates(plugin));
  add("update-all", say("update-all"), () => updateAll(plugin));
  add("verify", say("verify-all"), () => verifyAll(plugin));
  add("stale", say("stale"), () => plugin.open("upkeep"));
  add("health", say("health"), () => plugin.open("upkeep"));
  add("index", say("index-now"), () => indexHere(plugin));
  plugin.addCommand({ id: "trust", name: say("trust-this"), checkCallback: (checking) => showTrust(plugin, checking) });
  plugin.addCommand({
    id: "leave-safe",
    name: say("leave-safe"),
    checkCallback: (checking) => leaveSafe(plugin, checking),
  });
}

async function installFile(plugin: OkfEdgePlugin): Promise<void> {
  const picked = await PickedFile.ask();
  if (picked) new InstallModal(plugin, picked).open();
}

function showTrust(plugin: OkfEdgePlugin, checking: boolean): boolean {
  const file = plugin.app.workspace.getActiveFile();
  if (!(file instanceof TFile) || file.extension !== "md") return false;
  if (!checking) new TrustModal(plugin, file).open();
  return true;
}

function leaveSafe(plugin: OkfEdgePlugin, checking: boolean): boolean {
  if (!plugin.engine.state.safe) return false;
  if (!checking) void plugin.engine.leaveSafeMode().then(() => new Notice(say("asleep")));
  return true;
}
