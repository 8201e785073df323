// Bundle: its pages, where it came from, its versions, and how to be rid of it.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import type { CallError } from "../../runtime/client";
import type { Bundle, Contents, Failure, Listed } from "../../runtime/messages";
import { dateText, sizeText } from "../../ui/words";
import { call, libraryChanged, useReply } from "../engine";
import { Failed } from "../failure";
import { noteInstalled } from "../known";
import { Signed } from "../parts/badges";
import { Updates } from "../parts/updates";
import { go, pageTo } from "../route";
import { locale, say } from "../say";

export function BundleScreen(props: { id: string }): JSX.Element {
  const { value: installed, failure, again } = useReply("bundles", {});
  const { value: contents } = useReply("contents", { id: props.id });
  const bundle = installed?.bundles.find((each) => each.id === props.id);
  if (failure && !bundle) return <Failed failure={failure} again={again} />;
  if (!installed) return <p role="status">{say("page-loading")}</p>;
  if (!bundle) return <p>{say("page-gone")}</p>;
  return (
    <>
      <h1>{bundle.title || bundle.id}</h1>
      <p class="quiet line">
        <span>{say("version", { version: bundle.version })}</span>
        <Signed signature={bundle.signature} signer={bundle.signer} />
        {contents && contents.stale > 0 && (
          <span class="mark wary">{say("stale-pages", { count: contents.stale })}</span>
        )}
      </p>
      {contents?.start && (
        <p>
          <a class="button main" href={pageTo(contents.start)}>
            {say("start-reading")}
          </a>
        </p>
      )}
      <Updates bundles={[bundle]} />
      {contents && <Pages contents={contents} />}
      <About bundle={bundle} contents={contents} />
      <Changes bundle={bundle} />
    </>
  );
}

function Pages(props: { contents: Contents }): JSX.Element {
  const groups = new Map<string, Listed[]>();
  for (const page of props.contents.pages) {
    const folder = page.path.split("/").slice(2, -1).join(" › ");
    groups.set(folder, [...(groups.get(folder) ?? []), page]);
  }
  return (
    <section aria-labelledby="pages-heading">
      <h2 id="pages-heading">{say("bundle-contents")}</h2>
      {[...groups].map(([folder, pages]) => (
        <details key={folder} open={groups.size === 1 || !folder}>
          <summary>
            {folder || props.contents.title} <span class="quiet">{say("pages", { count: pages.length })}</span>
          </summary>
          <ul class="places">
            {pages.map((page) => (
              <li key={page.path}>
                <a href={pageTo(page.path)}>{page.title}</a>
                {page.description && <span class="quiet"> {page.description}</span>}
              </li>
            ))}
          </ul>
        </details>
      ))}
    </section>
  );
}

function About(props: { bundle: Bundle; contents: Contents | null }): JSX.Element {
  const { bundle, contents } = props;
  const bytes = contents?.files.reduce((sum, file) => sum + file.bytes, 0) ?? 0;
  const rows: [string, string][] = [
    [say("bundle-from"), bundle.feed ? `${bundle.feed} · ${bundle.origin}` : bundle.origin],
    [say("bundle-since"), dateText(bundle.installed_at, locale)],
    [say("bundle-index"), `${say(`index-${bundle.index}`)}${bundle.embedder ? ` · ${bundle.embedder}` : ""}`],
    [say("install-content"), bundle.content_digest],
  ];
  if (bundle.previous) rows.push([say("bundle-previous"), bundle.previous]);
  if (bundle.left_out.length) rows.push([say("bundle-left-out"), bundle.left_out.join(", ")]);
  if (contents) {
    rows.unshift([say("storage"), `${say("files", { count: contents.files.length })}, ${sizeText(bytes, locale)}`]);
  }
  return (
    <section aria-labelledby="about-heading">
      <h2 id="about-heading">{say("bundle-about")}</h2>
      <dl class="facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Changes(props: { bundle: Bundle }): JSX.Element {
  const { bundle } = props;
  const [failure, setFailure] = useState<Failure | null>(null);
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState("");
  const title = bundle.title || bundle.id;
  const run = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setFailure(null);
    await work().catch((error: CallError) => setFailure(error));
    setBusy(false);
  };
  const remove = async (): Promise<void> => {
    if (!confirm(say("bundle-remove-sure", { title }))) return;
    await run(async () => {
      await call("uninstall", { id: bundle.id });
      noteInstalled([]);
      await libraryChanged();
      go({ at: "library" });
    });
  };
  const rollback = (): Promise<void> =>
    run(async () => {
      const done = await call("rollback", { id: bundle.id });
      setSaid(say("bundle-rolled-back", { title, version: done.bundle.version }));
      await libraryChanged();
    });
  return (
    <section class="changes">
      {failure && <Failed failure={failure} />}
      <p role="status">{said}</p>
      <div class="actions">
        {bundle.previous && (
          <button type="button" disabled={busy} onClick={() => void rollback()}>
            {say("bundle-rollback", { version: bundle.previous })}
          </button>
        )}
        <button type="button" class="danger" disabled={busy} onClick={() => void remove()}>
          {say("bundle-remove")}
        </button>
      </div>
    </section>
  );
}
