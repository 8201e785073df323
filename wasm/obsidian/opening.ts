// Opening a page at the lines that were quoted.
import { type App, Notice } from "obsidian";
import type { Candidate } from "../runtime/messages";
import { say } from "./words";

export async function openPlace(app: App, place: Pick<Candidate, "path" | "lines">): Promise<void> {
  await openPage(app, place.path, place.lines[0] - 1);
}

/** Open a note in the pane that notes are read in; `line` is 0-based. */
export async function openPage(app: App, path: string, line?: number): Promise<void> {
  const file = app.vault.getFileByPath(path);
  if (!file) {
    new Notice(say("not-in-vault", { path }));
    return;
  }
  const state = { mode: "preview" };
  await app.workspace.getLeaf(false).openFile(file, line === undefined ? { state } : { state, eState: { line } });
}
