/**
 * What people write beyond CommonMark: wikilinks and embeds, callouts, task lists, highlights, comments, block ids.
 *
 * Every block knows the lines that it came from (`data-line`, `data-end`, 1-based, in the file), so that a quoted place
 * can be found on the page.
 */

import Markdown, { type MarkdownIt, type StateCore, type StateInline, type Token } from "markdown-it";
import footnotes from "markdown-it-footnote";

const CALLOUT = /^\[!([\w-]{1,40})\][+-]?[ \t]*([^\n]*)\n?/;
const TASK = /^\[([ xX])\][ \t]+/;
const BLOCK_ID = /(?:^|[ \t])\^([A-Za-z0-9-]{1,100})$/;
const WIKILINK = /!?\[\[([^[\]\n]{1,1000})\]\]/y;
const HIGHLIGHT = /==(?=\S)((?:[^=\n]|=(?!=)){1,2000}?)==/y;
const COMMENT = /%%[\s\S]*?%%/y;

/** A parser of the dialect. `firstLine` is the line of the file on which the text begins. */
export function dialect(firstLine: number): MarkdownIt {
  const md = new Markdown({ html: true, linkify: true, typographer: false });
  md.use(footnotes);
  // Addresses stay as typed, to be looked up; what may be an address at all is decided when the page is sanitised.
  md.normalizeLink = (address) => address;
  md.validateLink = () => true;
  md.inline.ruler.before("link", "wikilink", wikilink);
  md.inline.ruler.before("emphasis", "highlight", highlight);
  md.inline.ruler.before("escape", "comment", comment);
  md.core.ruler.after("block", "callout", (state) => eachInline(state, callout));
  md.core.ruler.after("block", "task", (state) => eachInline(state, task));
  md.core.ruler.after("block", "block_id", (state) => eachInline(state, blockId));
  md.core.ruler.after("block", "lines", (state) => withLines(state, firstLine));
  return md;
}

/** The target as typed, and the words that are shown: the alias, else the target as Obsidian shows it. */
export function wikiParts(inner: string): { target: string; label: string } {
  const [target = "", ...alias] = inner.replaceAll("\\|", "|").split("|");
  const label = alias.join("|").trim() || target.trim().replace(/^#\^?/, "").replaceAll("#", " › ");
  return { target: target.trim(), label };
}

function wikilink(state: StateInline, silent: boolean): boolean {
  const found = matchAt(WIKILINK, state);
  if (!found) return false;
  if (!silent) {
    const isEmbed = found[0].startsWith("!");
    const inner = found[1] ?? "";
    const { target, label } = wikiParts(inner);
    if (isEmbed && /\.(?:png|jpe?g|gif|svg|webp|avif|bmp)$/i.test(target)) image(state, inner, label);
    else anchor(state, inner, label, isEmbed);
  }
  state.pos += found[0].length;
  return true;
}

function anchor(state: StateInline, inner: string, label: string, isEmbed: boolean): void {
  const open = state.push("link_open", "a", 1);
  open.attrs = [
    ["href", inner],
    ["data-wiki", isEmbed ? "embed" : "link"],
  ];
  state.push("text", "", 0).content = label;
  state.push("link_close", "a", -1);
}

function image(state: StateInline, inner: string, label: string): void {
  const token = state.push("image", "img", 0);
  token.attrs = [
    ["src", inner],
    ["alt", ""],
    ["data-wiki", "embed"],
  ];
  const text = new state.Token("text", "", 0);
  text.content = label;
  token.children = [text];
  token.content = label;
}

function highlight(state: StateInline, silent: boolean): boolean {
  const found = matchAt(HIGHLIGHT, state);
  if (!found) return false;
  if (!silent) {
    state.push("mark_open", "mark", 1);
    state.push("text", "", 0).content = found[1] ?? "";
    state.push("mark_close", "mark", -1);
  }
  state.pos += found[0].length;
  return true;
}

function comment(state: StateInline): boolean {
  const found = matchAt(COMMENT, state);
  if (!found) return false;
  state.pos += found[0].length;
  return true;
}

function matchAt(pattern: RegExp, state: StateInline): RegExpExecArray | null {
  pattern.lastIndex = state.pos;
  return pattern.exec(state.src);
}

function eachInline(state: StateCore, change: (tokens: Token[], at: number) => void): void {
  state.tokens.forEach((token, at) => {
    if (token.type === "inline") change(state.tokens, at);
  });
}

function callout(tokens: Token[], at: number): void {
  const [inline, quote] = [tokens[at], tokens[at - 2]];
  if (!inline || quote?.type !== "blockquote_open") return;
  const found = CALLOUT.exec(inline.content);
  if (!found) return;
  const kind = (found[1] ?? "note").toLowerCase();
  quote.attrSet("class", "callout");
  quote.attrSet("data-callout", kind);
  const title = found[2]?.trim() || kind.charAt(0).toUpperCase() + kind.slice(1);
  const rest = inline.content.slice(found[0].length);
  inline.content = `**${title}**${rest ? `  \n${rest}` : ""}`;
}

function task(tokens: Token[], at: number): void {
  const [inline, item] = [tokens[at], tokens[at - 2]];
  if (!inline || item?.type !== "list_item_open") return;
  const found = TASK.exec(inline.content);
  if (!found) return;
  const isDone = found[1] !== " ";
  item.attrSet("class", isDone ? "task done" : "task");
  inline.content = `${isDone ? "☑" : "☐"} ${inline.content.slice(found[0].length)}`;
}

function blockId(tokens: Token[], at: number): void {
  const [inline, block] = [tokens[at], tokens[at - 1]];
  const found = inline && BLOCK_ID.exec(inline.content);
  if (!found || !block || block.nesting !== 1) return;
  block.attrSet("data-block", (found[1] ?? "").toLowerCase());
  inline.content = inline.content.slice(0, found.index);
}

function withLines(state: StateCore, firstLine: number): void {
  for (const token of state.tokens) {
    if (!token.map || token.nesting === -1 || token.type === "inline") continue;
    token.attrSet("data-line", String(firstLine + token.map[0]));
    token.attrSet("data-end", String(firstLine + token.map[1] - 1));
  }
}
