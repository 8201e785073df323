/**
 * The fixed vocabulary of trust, freshness and confidence. It is the same on the page and in the plugin.
 *
 * Never a bare tick: what was checked is said in words, and what a bundle says of itself is called a claim.
 */

import { sayer, type Locale, type Message, type Say } from "./messages";

const en = {
  signed: "Signed by {name}",
  unsigned: "Unsigned",
  refused: "Refused: {reason}",
  "claims-human": "claims: reviewed by a person",
  "claims-machine": "claims: checked by a process",
  "claims-none": "claims: unverified",
  "own-human": "reviewed by a person",
  "own-machine": "checked by a process",
  "own-none": "unverified",
  fresh: "Fresh",
  stale: "Stale",
  "stale-since": "Stale since {date}",
  "sources-changed": "Sources changed",
  likely: "likely",
  possible: "possible",
  unlikely: "a long shot",
  mine: "your notes",
  compiled: "your pages",
  lines: "lines {first}–{last}",
  line: "line {first}",
} satisfies Record<string, Message>;

const zh: Record<keyof typeof en, Message> = {
  signed: "由 {name} 签名",
  unsigned: "未签名",
  refused: "已拒绝：{reason}",
  "claims-human": "自称：经人审核",
  "claims-machine": "自称：经程序检查",
  "claims-none": "自称：未核实",
  "own-human": "经人审核",
  "own-machine": "经程序检查",
  "own-none": "未核实",
  fresh: "未过期",
  stale: "已过期",
  "stale-since": "自 {date} 起过期",
  "sources-changed": "来源已变更",
  likely: "很可能",
  possible: "有可能",
  unlikely: "把握不大",
  mine: "你的笔记",
  compiled: "你的页面",
  lines: "第 {first}–{last} 行",
  line: "第 {first} 行",
};

export type WordKey = keyof typeof en;

export function wordsIn(locale: Locale): Say<WordKey> {
  return sayer({ en, zh }, locale);
}

/** How sure an answer may be read as, from its calibrated confidence: the words that stand on a card. */
export function confidenceWord(confidence: number): "likely" | "possible" | "unlikely" {
  if (confidence >= LIKELY) return "likely";
  return confidence >= POSSIBLE ? "possible" : "unlikely";
}

const LIKELY = 0.7;
const POSSIBLE = 0.4;

export type Signature = { kind: "signed"; name: string } | { kind: "unsigned" } | { kind: "refused"; reason: string };

export function signatureText(signature: Signature, locale: Locale): string {
  const say = wordsIn(locale);
  if (signature.kind === "signed") return say("signed", { name: signature.name });
  return signature.kind === "unsigned" ? say("unsigned") : say("refused", { reason: signature.reason });
}

/** The trust that a page states. Of a bundle it is a claim, until a signature says whose. */
export function trustText(tier: string, isClaim: boolean, locale: Locale): string {
  const level = tier.startsWith("human") ? "human" : tier.startsWith("machine") ? "machine" : "none";
  return wordsIn(locale)(`${isClaim ? "claims" : "own"}-${level}`);
}

export function freshnessText(isFresh: boolean, staleAfter: string, locale: Locale): string {
  const say = wordsIn(locale);
  if (isFresh) return say("fresh");
  return staleAfter ? say("stale-since", { date: dateText(staleAfter, locale) }) : say("stale");
}

export function linesText(lines: readonly [number, number], locale: Locale): string {
  const [first, last] = lines;
  // line numbers are names, not amounts: no thousands separator
  const values = { first: String(first), last: String(last) };
  return wordsIn(locale)(first === last ? "line" : "lines", values);
}

/** A date as the reader's locale writes it; what is no date is shown as it is. */
export function dateText(instant: string, locale: string): string {
  const date = new Date(instant);
  return Number.isNaN(date.valueOf()) ? instant : new Intl.DateTimeFormat(locale, { dateStyle: "medium" }).format(date);
}

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** A size as the reader's locale writes it, in units of 1000 bytes. */
export function sizeText(bytes: number, locale: string): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return new Intl.NumberFormat(locale, {
    style: "unit",
    unit: UNITS[power] ?? "byte",
    unitDisplay: power ? "short" : "long",
    maximumFractionDigits: power && value < 10 ? 1 : 0,
  }).format(value);
}
