// What a person opens: a file, an address of a bundle, or an address of a feed. It is read once and shown before it counts.

import type { Archive, Preview } from "../runtime/messages";
import { CallError } from "../runtime/client";
import { sizeText } from "../ui/words";
import { call } from "./engine";
import { go } from "./route";
import { locale, say } from "./say";

/** The limit of the core. What a person drops by mistake may be larger than all memory. */
const ARCHIVE_BYTES = 256 * 1024 * 1024;

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
  if (!whole || !["http:", "https:"].includes(whole.protocol)) return null;
  return { kind: whole.pathname.toLowerCase().endsWith(".zip") ? "url" : "feed", url: whole.href };
}

/** The archive as a call takes it; the bytes move to the worker, so each call reads the file anew. */
export async function archiveOf(opening: Exclude<Opening, { kind: "feed" }>): Promise<Archive> {
  if (opening.kind === "url") return { url: opening.url };
  const { file } = opening;
  if (file.size > ARCHIVE_BYTES) throw tooLarge(file);
  return { data: new Uint8Array(await readable(file)), name: file.name };
}

/** Its bytes. A folder, or a file that was moved since it was chosen, has none. */
async function readable(file: File): Promise<ArrayBuffer> {
  try {
    return await file.arrayBuffer();
  } catch {
    throw refused("not-readable", say("error-not-readable", { name: file.name }), say("error-not-readable-hint"));
  }
}

function tooLarge({ name, size }: File): CallError {
  const sizes = { size: sizeText(size, locale), limit: sizeText(ARCHIVE_BYTES, locale) };
  return refused("too-large", say("error-too-large", { name, ...sizes }), say("error-not-bundle-hint"));
}

function refused(code: string, message: string, hint: string): CallError {
  return new CallError({ code, message, hint, issues: [] });
}

export async function previewOf(opening: Exclude<Opening, { kind: "feed" }>, signal: AbortSignal): Promise<Preview> {
  return call("preview", await archiveOf(opening), { signal });
}
