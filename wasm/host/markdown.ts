// Enough of a reading view to look at notes: frontmatter hidden, headings, lists, paragraphs, code; text only, no HTML.

const FRONTMATTER = /^---\n[\s\S]*?\n---\n/;

/** The note's blocks, each with the line that it begins at (0-based), as `data-line`. */
export function rendered(text: string): HTMLElement {
  const view = document.createElement("div");
  view.addClass("markdown-preview-view");
  const hidden = FRONTMATTER.exec(text)?.[0] ?? "";
  let line = hidden.split("\n").length - 1;
  for (const block of text.slice(hidden.length).split(/\n\n/)) {
    if (block.trim()) view.appendChild(blockOf(block.trim())).dataset["line"] = String(line + leading(block));
    line += block.split("\n").length + 1;
  }
  return view;
}

const leading = (block: string): number => /^\n*/.exec(block)?.[0].length ?? 0;

function blockOf(block: string): HTMLElement {
  const heading = /^(#{1,6}) +(.*)/.exec(block);
  if (heading?.[1]) return textIn(document.createElement(`h${heading[1].length}`), block.replace(/^#+ +/, ""));
  if (block.startsWith("```")) return textIn(document.createElement("pre"), block.replace(/^```.*\n|```$/g, ""));
  if (/^[*-] /.test(block)) return listOf(block);
  return textIn(document.createElement("p"), block);
}

function listOf(block: string): HTMLElement {
  const list = document.createElement("ul");
  for (const item of block.split(/\n[*-] /)) textIn(list.createEl("li"), item.replace(/^[*-] /, ""));
  return list;
}

/** Text with `code` and the words of [links](path); markup beyond that is shown as it is typed. */
function textIn<T extends HTMLElement>(element: T, text: string): T {
  for (const part of text.split(/(`[^`]+`|\[[^\]]+\]\([^)]+\)|\*\*[^*]+\*\*)/)) {
    const link = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part);
    if (link) element.createEl("a", { cls: "internal-link", text: link[1] ?? "", href: link[2] ?? "" });
    else if (part.startsWith("**")) element.createEl("strong", { text: part.slice(2, -2) });
    else if (part.startsWith("`")) element.createEl("code", { text: part.slice(1, -1) });
    else element.appendText(part);
  }
  return element;
}
