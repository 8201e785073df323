// What feeds offer for what is installed. Asked only when a person wants it: the page calls nobody by itself.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import type { CallError } from "../../runtime/client";
import type { Bundle, Failure, Standing } from "../../runtime/messages";
import { call, libraryChanged } from "../engine";
import { Failed } from "../failure";
import { say } from "../say";

export function Updates(props: { bundles: Bundle[] }): JSX.Element | null {
  const [standings, setStandings] = useState<Standing[] | null>(null);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [done, setDone] = useState("");
  if (!props.bundles.some((bundle) => bundle.feed)) return null;
  const titled = (id: string): string => props.bundles.find((bundle) => bundle.id === id)?.title || id;

  const run = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setFailure(null);
    await work().catch((error: CallError) => setFailure(error));
    setBusy(false);
  };
  const check = (): Promise<void> => run(async () => setStandings((await call("checkUpdates", {})).bundles));
  const update = (id: string): Promise<void> =>
    run(async () => {
      const { updated } = await call("update", { ids: [id] });
      const bundle = updated.find((each) => each.bundle.id === id)?.bundle;
      if (bundle) setDone(say("updated", { title: titled(id), version: bundle.version }));
      setStandings(null);
      await libraryChanged();
    });

  const news = (standings ?? []).filter((each) => each.offered || each.yanked || each.trouble);
  return (
    <section class="updates" aria-busy={busy}>
      <button type="button" disabled={busy} onClick={() => void check()}>
        {say(busy ? "checking-updates" : "check-updates")}
      </button>
      <p role="status">{done || (standings && !news.length ? say("up-to-date") : "")}</p>
      {failure && <Failed failure={failure} />}
      <ul class="plain-list">
        {news.map((each) => (
          <li key={each.id} class="row">
            <span>{titled(each.id)}</span>
            {each.yanked && <span class="mark wary">{say("withdrawn", { reason: each.yanked })}</span>}
            {each.trouble && <span class="mark wary">{each.trouble}</span>}
            {each.offered && (
              <button type="button" class="main" disabled={busy} onClick={() => void update(each.id)}>
                {say("update-offered", { version: each.offered })}
                <span class="unseen"> {titled(each.id)}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
