/**
 * Evidence as a card shows it: the sentence that answers, with the words that matched marked.
 *
 * An answer names the terms that matched as the index spells them: folded and stemmed ("verifi" for "verified"), Chinese
 * as single characters and pairs. Marking finds the words that such a term stands for.
 */

export interface Piece {
  text: string;
  marked: boolean;
}

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const CJK_RUN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}_]*/gu;
const LONGEST_ENDING = 6;
const CARD_CHARS = 280;
const FENCE = /^[ \t]*(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t]*\1[ \t]*$|(?![\s\S]))/gm;

/** The text in pieces, each matched word marked; together they are the text again. */
export function marked(text: string, terms: readonly string[]): Piece[] {
  const spans = [...wordSpans(text, terms), ...cjkSpans(text, terms)].sort((one, other) => one[0] - other[0]);
  const pieces: Piece[] = [];
  let at = 0;
  for (const [start, end] of spans) {
    if (start < at) continue;
    if (start > at) pieces.push({ text: text.slice(at, start), marked: false });
    pieces.push({ text: text.slice(start, end), marked: true });
    at = end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), marked: false });
  return pieces;
}

/** The sentence with most of the terms (code only where there is nothing else), with what follows as long as a card has room; cuts are shown by an ellipsis. */
export function passage(markdown: string, terms: readonly string[], limit = CARD_CHARS): string {
  const prose = sentencesOf(plainText(markdown.replace(FENCE, "")));
  const sentences = prose.length ? prose : sentencesOf(plainText(markdown));
  const held = sentences.map((each) => distinctMatches(each, terms));
  const best = Math.max(0, held.indexOf(Math.max(...held)));
  let text = sentences[best] ?? "";
  let last = best;
  while (last + 1 < sentences.length && text.length + (sentences[last + 1] ?? "").length < limit) {
    last += 1;
    text += `${/[。！？]$/.test(text) ? "" : " "}${sentences[last] ?? ""}`;
  }
  const cut = text.length > limit ? `${text.slice(0, wordEnd(text, limit))}…` : text;
  return `${best > 0 ? "… " : ""}${cut}${last + 1 < sentences.length && !cut.endsWith("…") ? " …" : ""}`;
}

/** Markdown as running text: no marks of its own, link labels for links, no headings, fences kept as their lines. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/^#{1,6}[ \t].*$/gm, "")
    .replace(/^[ \t]*(?:`{3,}|~{3,}).*$/gm, "")
    .replace(/^[ \t]*(?:>[ \t]?)+(?:\[!\w+\][+-]?)?/gm, "")
    .replace(/^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/gm, "")
    .replace(/^[ \t]*\|?(?:[ \t]*:?-{2,}:?[ \t]*\|?)+[ \t]*$/gm, "")
    .replace(/[ \t]*\|[ \t]*/g, " · ")
    .replace(/!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, "$1")
    .replace(/!?\[([^\]]*)\]\([^)\s]*(?:[ \t]+"[^"]*")?\)/g, "$1")
    .replace(/\[\^[^\]\s]+\]:?/g, "")
    .replace(/<!--[\s\S]*?-->|%%[\s\S]*?%%/g, "")
    .replace(/(\*\*|__|==|~~|`)(?=\S)([\s\S]*?\S)\1/g, "$2")
    .replace(/(^|[\s(])[*_](?=\S)([^*_\n]*\S)[*_](?=$|[\s).,;:!?])/gm, "$1$2")
    .replace(/^ · | · $/gm, "")
    .trim();
}

/** Sentences and lines, in order, none empty. */
function sentencesOf(text: string): string[] {
  return text
    .replace(/([.!?])[ \t]+(?=[\p{Lu}\p{N}"“(])|([。！？])/gu, "$1$2\n") // iOS before 16.4 has no lookbehind
    .split(/\n+/)
    .map((each) => each.trim())
    .filter((each) => /[\p{L}\p{N}]/u.test(each));
}

function distinctMatches(text: string, terms: readonly string[]): number {
  return terms.filter((term) => marked(text, [term]).some((piece) => piece.marked)).length;
}

function wordSpans(text: string, terms: readonly string[]): [number, number][] {
  const stems = terms.filter((term) => !CJK.test(term)).map(stemRoots);
  return [...text.matchAll(WORD)]
    .filter((found) => stems.some((roots) => roots.some((root) => standsFor(folded(found[0]), root))))
    .map((found) => [found.index, found.index + found[0].length]);
}

/** What words of a term begin with: the stem, and with another last letter where stemming changed it (y to i). */
function stemRoots(term: string): string[] {
  return term.endsWith("i") && term.length > 3 ? [term, `${term.slice(0, -1)}y`] : [term];
}

function standsFor(word: string, root: string): boolean {
  if (word === root) return true;
  const ending = word.length - root.length;
  return root.length >= 3 && ending > 0 && ending <= LONGEST_ENDING && word.startsWith(root) && !/\d/.test(root);
}

/** Pairs are marked where they stand; single characters only when the question has no pair that stands here. */
function cjkSpans(text: string, terms: readonly string[]): [number, number][] {
  const pairs = new Set(terms.filter((term) => CJK.test(term) && [...term].length > 1));
  const singles = new Set(terms.filter((term) => CJK.test(term) && [...term].length === 1));
  const inPairs = spansOf(text, (run, at) => [...pairs].find((pair) => run.startsWith(pair, at))?.length ?? 0);
  return inPairs.length ? inPairs : spansOf(text, (run, at) => (singles.has(run.charAt(at)) ? 1 : 0));
}

/** Runs of characters at which `length` finds something, overlapping finds joined. */
function spansOf(text: string, length: (run: string, at: number) => number): [number, number][] {
  const spans: [number, number][] = [];
  for (const run of text.matchAll(CJK_RUN)) {
    for (let at = 0; at < run[0].length; at += 1) {
      const size = length(run[0], at);
      if (!size) continue;
      const start = run.index + at;
      const last = spans.at(-1);
      if (last && start <= last[1]) last[1] = Math.max(last[1], start + size);
      else spans.push([start, start + size]);
    }
  }
  return spans;
}

function folded(word: string): string {
  return word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Where to cut so that no word is cut, unless it is longer than a card. */
function wordEnd(text: string, limit: number): number {
  const space = text.lastIndexOf(" ", limit);
  return space > limit / 2 ? space : limit;
}
