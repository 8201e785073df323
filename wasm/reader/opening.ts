// What a person opens: a file, an address of a bundle, or an address of a feed. It is read once and shown before it counts.

import type { Archive, Preview } from "../runtime/messages";
import { call } from "./engine";
import { go } from "./route";

export type Opening = { kind: "file"; file: File } | { kind: "url"; url: string } | { kind: "feed"; url: string };

let chosen: File | null = null;

/** Go to the install screen with a file that was dropped or picked. */
export function openFile(file: File): void {
  chosen = file;
  go({ at: "install", url: "" });
  dispatchEvent(new HashChangeEvent("hashchange")); // also when it is there already
}

export function openAddress(text: string): void {
  go({ at: "install", url: text.trim() });
}

/** What the install screen is about. */
export function openingOf(url: string): Opening | null {
  if (!url) return chosen ? { kind: "file", file: chosen } : null;
  const whole = URL.canParse(url, document.baseURI) ? new URL(url, document.baseURI) : null;
  const isArchive = whole?.pathname.toLowerCase().endsWith(".zip") ?? false;
  return { kind: isArchive ? "url" : "feed", url: whole?.href ?? url };
}

/** The archive as a call takes it; the bytes move to the worker, so each call reads the file anew. */
export async function archiveOf(opening: Exclude<Opening, { kind: "feed" }>): Promise<Archive> {
  if (opening.kind === "url") return { url: opening.url };
  return { data: new Uint8Array(await opening.file.arrayBuffer()), name: opening.file.name };
}

export async function previewOf(opening: Exclude<Opening, { kind: "feed" }>, signal: AbortSignal): Promise<Preview> {
  return call("preview", await archiveOf(opening), { signal });
}
