// The reading view: frontmatter hidden, markdown rendered as the reader of bundles does, which runs and loads nothing.
import { renderMarkdown } from "../ui/markdown";

const FRONTMATTER = /^---\n[\s\S]*?\n---\n/;

/** The note's blocks; each knows the lines that it came from, as `data-line` (1-based). */
export function rendered(text: string): HTMLElement {
  const view = document.createElement("div");
  view.addClass("markdown-preview-view");
  const hidden = FRONTMATTER.exec(text)?.[0] ?? "";
  const page = renderMarkdown(text.slice(hidden.length), {
    resolve: (raw) => ({ kind: "page", href: raw, path: raw }),
    firstLine: hidden.split("\n").length,
    words: { missing: "missing", external: "external", remotePicture: (host) => host },
  });
  view.append(page);
  return view;
}
