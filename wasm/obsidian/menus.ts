// Where a bundle meets a person outside the panel: on a file, on a link, and when one was shared into the vault.
import { type Menu, Notice, type TAbstractFile, TFile } from "obsidian";
import { InstallModal } from "./install_modal";
import type OkfEdgePlugin from "./main";
import { PickedFile } from "./picking";
import { say } from "./words";

const isBundle = (name: string): boolean => name.toLowerCase().endsWith(".okf.zip");

export function addMenus(plugin: OkfEdgePlugin): void {
  const { workspace } = plugin.app;
  plugin.registerEvent(
    workspace.on("file-menu", (menu, file) => {
      offerFile(plugin, menu, file);
    }),
  );
  plugin.registerEvent(
    workspace.on("url-menu", (menu, url) => {
      offerLink(plugin, menu, url);
    }),
  );
}

/** A bundle that lies in the vault since now, e.g. from the share sheet, is offered once; nothing is installed by itself. */
export function offerArrived(plugin: OkfEdgePlugin, file: TAbstractFile): void {
  if (!(file instanceof TFile) || !isBundle(file.name)) return;
  const notice = new Notice(say("arrived", { name: file.name }), 0);
  notice.messageEl.addEventListener(
    "click",
    () => {
      lookAt(plugin, file);
    },
    { once: true },
  );
}

function offerFile(plugin: OkfEdgePlugin, menu: Menu, file: TAbstractFile): void {
  if (!(file instanceof TFile) || file.extension !== "zip") return;
  menu.addItem((item) =>
    item
      .setTitle(say("file-menu"))
      .setIcon("library")
      .onClick(() => {
        lookAt(plugin, file);
      }),
  );
}

function offerLink(plugin: OkfEdgePlugin, menu: Menu, url: string): void {
  if (!/^https?:\/\/.*\.zip(?:[?#]|$)/i.test(url)) return;
  menu.addItem((item) =>
    item
      .setTitle(say("url-menu"))
      .setIcon("library")
      .onClick(() => {
        plugin.installFrom(url);
      }),
  );
}

function lookAt(plugin: OkfEdgePlugin, file: TFile): void {
  const picked = new PickedFile(file.name, file.stat.size, () => plugin.app.vault.readBinary(file));
  new InstallModal(plugin, picked).open();
}
