// Page: the text as its author laid it out, its place in the bundle, its links both ways.

import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";

import type { Bundle, Listed, PageView } from "../../runtime/messages";
import {
  blocksAt,
  type Destination,
  LOCAL_PICTURE,
  placeNamed,
  REMOTE_PICTURE,
  renderMarkdown,
} from "../../ui/markdown";
import { useReply } from "../engine";
import { Failed } from "../failure";
import { Fresh, Signed, Trust } from "../parts/badges";
import { Graph } from "../parts/graph";
import { loadRemote, showLocal } from "../pictures";
import { href, pageTo } from "../route";
import { say } from "../say";

export function Page(props: { path: string; anchor: string; lines: [number, number] | null }): JSX.Element {
  const { value: page, failure, again } = useReply("page", { path: props.path });
  const { value: installed } = useReply("bundles", {});
  if (failure && !page) return <Failed failure={failure} again={again} />;
  if (!page) return <p role="status">{say("page-loading")}</p>;
  const bundle = installed?.bundles.find((each) => each.id === page.bundle) ?? null;
  return (
    <article class="page">
      <Place page={page} bundle={bundle} />
      <Text page={page} anchor={props.anchor} lines={props.lines} />
      <Around page={page} />
    </article>
  );
}

function Place(props: { page: PageView; bundle: Bundle | null }): JSX.Element {
  const { page, bundle } = props;
  const folders = page.path.split("/").slice(2, -1);
  return (
    <header class="page-head">
      <nav aria-label={say("page-place")}>
        <ol class="crumbs">
          <li>
            <a href={href({ at: "bundle", id: page.bundle })}>{bundle?.title || page.bundle}</a>
          </li>
          {folders.map((folder, depth) => (
            <li key={folder + String(depth)}>{folder}</li>
          ))}
        </ol>
      </nav>
      <h1>{page.title}</h1>
      <p class="quiet line">
        {page.type && <span>{page.type}</span>}
        <Trust tier={page.trust} isClaim />
        <Fresh fresh={page.fresh} staleAfter={page.stale_after} />
        <span>{say("version", { version: page.version })}</span>
        {bundle && <Signed signature={bundle.signature} signer={bundle.signer} />}
      </p>
      {page.status !== "stable" && (
        <p class="notice wary">{say(page.status === "deprecated" ? "page-deprecated" : "page-draft")}</p>
      )}
    </header>
  );
}

/** The text is made outside of the framework, once a page, since its nodes are foreign. */
function Text(props: { page: PageView; anchor: string; lines: [number, number] | null }): JSX.Element {
  const { page, anchor, lines } = props;
  const frame = useRef<HTMLDivElement>(null);
  const rendered = useMemo(() => renderPage(page), [page]);

  useLayoutEffect(() => {
    if (!frame.current) return;
    frame.current.replaceChildren(...rendered.cloneNode(true).childNodes);
    for (const picture of frame.current.querySelectorAll<HTMLImageElement>(`img[${LOCAL_PICTURE}]`)) showLocal(picture);
  }, [rendered]);

  useLayoutEffect(() => {
    if (frame.current) bringIntoView(frame.current, anchor, lines);
  }, [rendered, anchor, lines?.[0], lines?.[1]]);

  const clicked = (event: MouseEvent): void => {
    const offer = (event.target as Element).closest<HTMLButtonElement>(`button[${REMOTE_PICTURE}]`);
    if (offer) void loadRemote(offer);
  };
  return <div class="prose" ref={frame} onClick={clicked} />;
}

function renderPage(page: PageView): DocumentFragment {
  const fragment = renderMarkdown(page.text, {
    firstLine: page.first_line,
    resolve: resolver(page),
    words: {
      missing: say("link-missing"),
      external: say("link-external"),
      remotePicture: (host) => say("remote-picture", { host }),
    },
  });
  const first = fragment.querySelector("h1");
  if (first && !first.previousElementSibling && same(first.textContent ?? "", page.title)) first.remove();
  return fragment;
}

/** Looks links up in what the core found: by their destination as typed. */
function resolver(page: PageView): (raw: string) => Destination {
  const known = new Map(page.links.map((link) => [comparable(link.raw), link]));
  return (raw) => {
    if (raw.startsWith("#")) return { kind: "page", path: page.path, href: pageTo(page.path, raw.slice(1)) };
    const link = known.get(comparable(raw));
    if (!link) return { kind: /^[a-z][a-z0-9+.-]*:/i.test(raw) ? "external" : "missing", path: "", href: raw };
    if (!link.path) return { kind: "missing", path: "", href: "" };
    const kind = link.path.toLowerCase().endsWith(".md") ? "page" : "file";
    return { kind, path: link.path, href: pageTo(link.path, link.anchor) };
  };
}

function comparable(raw: string): string {
  const plain = raw.replaceAll("\\|", "|").trim();
  try {
    return decodeURI(plain).normalize("NFC");
  } catch {
    return plain.normalize("NFC");
  }
}

function bringIntoView(frame: HTMLElement, anchor: string, lines: [number, number] | null): void {
  for (const old of frame.querySelectorAll(".found")) old.classList.remove("found");
  const blocks = lines ? blocksAt(frame, ...lines) : [];
  for (const block of blocks) block.classList.add("found");
  const target = blocks[0] ?? (anchor ? placeNamed(frame, anchor) : null);
  if (!target) {
    scrollTo(0, 0);
    return;
  }
  target.closest("details")?.setAttribute("open", "");
  target.scrollIntoView({ block: lines ? "center" : "start" });
}

function Around(props: { page: PageView }): JSX.Element {
  const { page } = props;
  const isAlone = !page.links_to.length && !page.linked_from.length;
  return (
    <aside class="around" aria-label={say("page-links")}>
      <Sources page={page} />
      {!isAlone && (
        <section>
          <h2>{say("page-map")}</h2>
          <Graph linksTo={page.links_to} linkedFrom={page.linked_from} />
        </section>
      )}
      <Pages heading={say("page-from")} pages={page.linked_from} />
      <Pages heading={say("page-to")} pages={page.links_to} />
      {isAlone && <p class="quiet">{say("page-no-links")}</p>}
      {page.tags.length > 0 && (
        <section>
          <h2>{say("page-tags")}</h2>
          <ul class="tags">
            {page.tags.map((tag) => (
              <li key={tag}>{tag}</li>
            ))}
          </ul>
        </section>
      )}
    </aside>
  );
}

function Pages(props: { heading: string; pages: Listed[] }): JSX.Element | null {
  if (!props.pages.length) return null;
  return (
    <section>
      <h2>{props.heading}</h2>
      <ul class="places">
        {props.pages.map((each) => (
          <li key={each.path}>
            <a href={pageTo(each.path)}>{each.title || each.path}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Sources(props: { page: PageView }): JSX.Element | null {
  const { page } = props;
  if (!page.sources.length) return null;
  const resolve = resolver(page);
  return (
    <section>
      <h2>{say("page-sources")}</h2>
      <ul class="places">
        {page.sources.map((source) => (
          <li key={source.resource}>
            <SourceLink to={resolve(source.resource)} name={source.title || source.resource} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function SourceLink(props: { to: Destination; name: string }): JSX.Element {
  const { to, name } = props;
  if (to.kind === "missing" || (to.kind === "external" && !/^https?:/i.test(to.href))) return <span>{name}</span>;
  if (to.kind !== "external") return <a href={to.href}>{name}</a>;
  return (
    <a class="to-external" href={to.href} target="_blank" rel="noopener noreferrer nofollow">
      {name}
    </a>
  );
}

function same(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}
