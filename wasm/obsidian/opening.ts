// Opening a page at the lines that were quoted.
import { type App, Notice } from "obsidian";
import type { Candidate } from "../runtime/messages";
import { marked } from "../ui/evidence";
import { say } from "./words";

type Place = Pick<Candidate, "path" | "lines" | "text">;

export async function openPlace(app: App, place: Place, terms: string[]): Promise<void> {
  await openPage(app, place.path, place.lines[0] - 1 + quotedLine(place.text, terms));
}

/** Of the lines of a place, the one that the card quotes: that with most of what matched, headings aside. */
function quotedLine(text: string, terms: string[]): number {
  const held = text.split("\n").map((line) => (line.startsWith("#") ? 0 : matches(line, terms)));
  return Math.max(0, held.indexOf(Math.max(...held)));
}

const matches = (line: string, terms: string[]): number => marked(line, terms).filter((piece) => piece.marked).length;

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
