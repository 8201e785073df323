/**
 * Renders a page of notes, which is foreign text, into nodes that are safe to show.
 *
 * 1. Nothing runs: DOMPurify keeps text, tables, lists and pictures; no style, form, frame, or event.
 * 2. Nothing is loaded: pictures become placeholders. The host fills in those of the bundle from its own bytes, and
 *    loads others only when the reader says so.
 * 3. Links are looked up by the host; what leads nowhere says so.
 */

import DOMPurify from "dompurify";

import { dialect } from "./dialect";

/** Where a link leads. `href` opens it: an address within the host for `page` and `file`, as typed for `external`. */
export interface Destination {
  kind: "page" | "file" | "missing" | "external";
  href: string;
  path: string;
}

export interface RenderOptions {
  /** Looks up what a link names. `raw` is all between the brackets of a wikilink, or a destination as typed. */
  resolve: (raw: string, isWiki: boolean) => Destination;
  /** The line of the file on which the text begins. */
  firstLine: number;
  words: { missing: string; external: string; remotePicture: (host: string) => string };
}

/** Attributes of placeholders, which the host acts on. */
export const LOCAL_PICTURE = "data-okf-picture";
export const REMOTE_PICTURE = "data-okf-remote";
const MARKS = ["data-line", "data-end", "data-callout", "data-block", "data-wiki"];
const ID_PREFIX = "user-content-";

const TAGS = [
  ..."a abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption".split(
    " ",
  ),
  ..."figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q rp rt ruby s samp section small span strong".split(
    " ",
  ),
  ..."sub summary sup table tbody td tfoot th thead time tr u ul var wbr".split(" "),
];
const ATTRIBUTES = [
  ..."href src alt title class id lang dir start value reversed colspan rowspan scope align open datetime cite".split(
    " ",
  ),
  ...MARKS,
];

/** The page as nodes of this document, not yet attached to it. */
export function renderMarkdown(text: string, options: RenderOptions): DocumentFragment {
  const html = dialect(options.firstLine).render(text);
  const purifier = DOMPurify(window);
  purifier.addHook("afterSanitizeAttributes", (node) => {
    if (node instanceof Element || isElement(node)) settle(node as Element, options);
  });
  const fragment = purifier.sanitize(html, {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    SANITIZE_NAMED_PROPS: true,
    // addresses as typed are looked up by `settle`, which writes only addresses of its own making
    ALLOWED_URI_REGEXP: /^(?!\s*(?:javascript|vbscript|data):)/i,
  });
  for (const picture of fragment.querySelectorAll(`img[${REMOTE_PICTURE}]`)) offerRemote(picture, options);
  for (const table of fragment.querySelectorAll("table")) makeScrollable(table);
  for (const code of fragment.querySelectorAll("pre")) code.tabIndex = 0; // so that a keyboard scrolls it
  return fragment;
}

/** The element that an anchor names: a heading by its words, path or slug, a block by its id, a footnote. */
export function placeNamed(root: ParentNode, anchor: string): Element | null {
  const name = unescaped(anchor).trim();
  if (name.startsWith("^")) return byAttribute(root, "data-block", name.slice(1).toLowerCase());
  const own = byAttribute(root, "id", ID_PREFIX + name);
  if (own) return own;
  const last = name.split("#").at(-1)?.trim() ?? "";
  const headings = [...root.querySelectorAll("h1, h2, h3, h4, h5, h6")];
  const same = (one: (text: string) => string): Element | undefined =>
    headings.find((heading) => one(heading.textContent ?? "") === one(last));
  return same(plain) ?? same(slug) ?? null;
}

/** The innermost blocks that hold some lines of the file, in order. */
export function blocksAt(root: ParentNode, first: number, last: number): HTMLElement[] {
  const holds = [...root.querySelectorAll<HTMLElement>("[data-line]")].filter(
    (block) => Number(block.dataset.line) <= last && Number(block.dataset.end) >= first,
  );
  return holds.filter((block) => !holds.some((other) => other !== block && block.contains(other)));
}

/** Decides on one element while its document is inert, so that nothing has been loaded yet. */
function settle(node: Element, options: RenderOptions): void {
  if (node.tagName === "A") settleLink(node, options);
  if (node.tagName === "IMG") settlePicture(node, options);
  if (node.tagName !== "IMG") node.removeAttribute("src");
  node.removeAttribute("data-wiki");
}

function settleLink(link: Element, options: RenderOptions): void {
  const raw = link.getAttribute("href");
  if (raw === null) return;
  const to = options.resolve(raw, link.hasAttribute("data-wiki"));
  link.classList.add(`to-${to.kind}`);
  if (to.kind === "missing" || (to.kind === "external" && !isWebAddress(to.href))) {
    link.removeAttribute("href");
    link.setAttribute("title", options.words.missing);
    link.className = "to-missing";
    return;
  }
  link.setAttribute("href", to.href);
  if (to.kind !== "external") return;
  link.setAttribute("target", "_blank");
  link.setAttribute("rel", "noopener noreferrer nofollow");
  link.setAttribute("title", `${options.words.external}: ${to.href}`);
}

function settlePicture(picture: Element, options: RenderOptions): void {
  const raw = picture.getAttribute("src") ?? "";
  picture.removeAttribute("src");
  const to = options.resolve(raw, picture.hasAttribute("data-wiki"));
  if (to.kind === "external" && /^https?:\/\//i.test(to.href) && isWebAddress(to.href))
    picture.setAttribute(REMOTE_PICTURE, to.href);
  else if (to.kind === "file" || to.kind === "page") picture.setAttribute(LOCAL_PICTURE, to.path);
  else picture.setAttribute("title", options.words.missing);
}

function offerRemote(picture: Element, options: RenderOptions): void {
  const address = picture.getAttribute(REMOTE_PICTURE) ?? "";
  const offer = document.createElement("button");
  offer.type = "button";
  offer.className = "remote-picture";
  offer.setAttribute(REMOTE_PICTURE, address);
  offer.dataset.alt = picture.getAttribute("alt") ?? "";
  offer.textContent = options.words.remotePicture(new URL(address).host);
  // A button within a link would open both.
  const link = picture.closest("a");
  (link ?? picture).replaceWith(offer);
}

/** A wide table scrolls by itself, by keyboard too, and never widens the page. */
function makeScrollable(table: Element): void {
  const frame = document.createElement("div");
  frame.className = "table-frame";
  frame.tabIndex = 0;
  table.replaceWith(frame);
  frame.append(table);
}

export function isWebAddress(address: string): boolean {
  try {
    return ["http:", "https:", "mailto:"].includes(new URL(address).protocol);
  } catch {
    return false;
  }
}

function isElement(node: Node): boolean {
  return node.nodeType === Node.ELEMENT_NODE; // of the inert document, which has other classes in some engines
}

function byAttribute(root: ParentNode, name: string, value: string): Element | null {
  return root.querySelector(`[${name}="${CSS.escape(value)}"]`);
}

function plain(text: string): string {
  return text.normalize("NFC").replace(/\s+/g, " ").trim().toLowerCase();
}

function slug(text: string): string {
  return plain(text)
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
