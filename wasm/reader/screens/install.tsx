// Install: what it is, who signs it, what will be written, what to know, and one button.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

import { type CallError, failureOf } from "../../runtime/client";
import type { Bundle, Failure, Offer, Preview } from "../../runtime/messages";
import { isOlder } from "../../ui/versions";
import { sizeText } from "../../ui/words";
import { call, libraryChanged } from "../engine";
import { Failed } from "../failure";
import { archiveOf, type Opening, openingOf, previewOf } from "../opening";
import { Signed } from "../parts/badges";
import { askToKeep } from "../persistence";
import { href, pageTo } from "../route";
import { locale, say } from "../say";
import { useSite } from "../site";

export function Install(props: { url: string }): JSX.Element {
  const site = useSite();
  if (props.url.startsWith("site:")) {
    const id = props.url.slice("site:".length);
    return site ? (
      <FeedOffers url={new URL(site.feed, document.baseURI).href} root={site.root} only={id} confirmed />
    ) : (
      <p role="status">{say("feed-reading")}</p>
    );
  }
  const opening = openingOf(props.url);
  if (!opening) return <Frame>{<p>{say("install-none")}</p>}</Frame>;
  if (opening.kind === "feed") return <FeedOffers key={opening.url} url={opening.url} root="" only="" />;
  const key = opening.kind === "url" ? opening.url : `${opening.file.name} ${opening.file.lastModified}`;
  return <Archive key={key} opening={opening} />;
}

function Frame(props: { children: ComponentChildren }): JSX.Element {
  return (
    <>
      <h1>{say("install-title")}</h1>
      {props.children}
    </>
  );
}

function Archive(props: { opening: Exclude<Opening, { kind: "feed" }> }): JSX.Element {
  const { opening } = props;
  const [preview, setPreview] = useState<Preview | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [done, setDone] = useState<{ bundle: Bundle; notes: string[] } | null>(null);
  const [step, setStep] = useState(0);
  const [writing, setWriting] = useState(false);

  useEffect(() => {
    const aborter = new AbortController();
    setFailure(null);
    previewOf(opening, aborter.signal).then(setPreview, (error: CallError) => {
      if (!aborter.signal.aborted) setFailure(error);
    });
    return () => aborter.abort();
  }, [step]);

  const install = async (acceptRisks: boolean, acceptNonconformant: boolean): Promise<void> => {
    setWriting(true);
    setFailure(null);
    try {
      const archive = await archiveOf(opening);
      const force = preview !== null && replacesNewer(preview);
      const sha256 = preview?.content_digest ?? ""; // what was shown is what is installed, also when it is fetched anew
      setDone(await call("install", { ...archive, sha256, acceptRisks, acceptNonconformant, force }));
      await libraryChanged();
      await askToKeep();
    } catch (error) {
      setFailure(error as CallError);
    }
    setWriting(false);
  };

  if (done) return <Done bundle={done.bundle} notes={done.notes} />;
  const isRisk = failure?.code === "risk-found" || failure?.code === "not-conformant";
  return (
    <Frame>
      {preview && <Shown preview={preview} />}
      {failure && (
        <Failed failure={failure} again={isRisk ? undefined : () => setStep((last) => last + 1)}>
          <>
            {isRisk && (
              <button type="button" class="danger" onClick={() => void install(true, true)}>
                {say("install-anyway")}
              </button>
            )}
            <p class="quiet">{say("nothing-written")}</p>
          </>
        </Failed>
      )}
      {!preview && !failure && <Waiting text={say(opening.kind === "url" ? "install-reading" : "install-checking")} />}
      {writing && <Waiting text={say("install-writing")} />}
      {preview && !failure && !writing && (
        <div class="actions">
          <button type="button" class="main wide" onClick={() => void install(false, false)}>
            {say("install-now")}
          </button>
          <a class="button" href={href({ at: "library" })}>
            {say("cancel")}
          </a>
        </div>
      )}
    </Frame>
  );
}

function Waiting(props: { text: string }): JSX.Element {
  return (
    <p class="waiting" role="status">
      {props.text}
    </p>
  );
}

function Shown(props: { preview: Preview }): JSX.Element {
  const { preview } = props;
  return (
    <section class="card sheet">
      <h2>{preview.title || preview.id}</h2>
      <p class="quiet line">
        <span>{say("version", { version: preview.version })}</span>
        <Signed signature="absent" signer="" />
        {preview.creator && <span>{say("creator", { name: preview.creator })}</span>}
        {preview.licence && (
          <span>
            {say("licence")} {preview.licence}
          </span>
        )}
      </p>
      {preview.description && <p>{preview.description}</p>}
      <p class="quiet">{say("install-unsigned")}</p>
      <h3>{say("install-writes")}</h3>
      <p>
        {say("install-writes-text", {
          files: say("files", { count: preview.files }),
          size: sizeText(preview.bytes, locale),
        })}{" "}
        {replaced(preview)}
      </p>
      <h3>{say("install-findings")}</h3>
      <ul>
        {preview.notes.map((note) => (
          <li key={note} lang="en">
            {note}
          </li>
        ))}
        {preview.left_out.length > 0 && <li>{say("install-left-out", { count: preview.left_out.length })}</li>}
        {!preview.notes.length && !preview.left_out.length && <li>{say("install-none-found")}</li>}
      </ul>
      <details>
        <summary>{say("install-content")}</summary>
        <code class="digest">{preview.content_digest}</code>
      </details>
    </section>
  );
}

function replaced(preview: Preview): string {
  if (!preview.installed) return "";
  if (preview.installed === preview.version) return say("install-same");
  return say(replacesNewer(preview) ? "install-older" : "install-replaces", { version: preview.installed });
}

const replacesNewer = ({ version, installed }: Preview): boolean => isOlder(version, installed);

function Done(props: { bundle: Bundle; notes: string[] }): JSX.Element {
  const { bundle, notes } = props;
  return (
    <section class="hero done">
      <div role="status">
        <h1>{say("installed", { title: bundle.title || bundle.id })}</h1>
      </div>
      <p class="quiet line">
        <span>{say("version", { version: bundle.version })}</span>
        <Signed signature={bundle.signature} signer={bundle.signer} />
      </p>
      {notes.map((note) => (
        <p key={note} class="quiet" lang="en">
          {note}
        </p>
      ))}
      <div class="actions">
        <a class="button main" href={href({ at: "search", question: "" })}>
          {say("ask-it")}
        </a>
        <a class="button" href={pageTo(`${bundle.path}/index.md`)}>
          {say("start-reading")}
        </a>
      </div>
    </section>
  );
}

/** A feed: followed once a person agrees, then what it offers, each with one button. `only`: just this bundle. */
function FeedOffers(props: { url: string; root: string; only: string; confirmed?: boolean }): JSX.Element {
  const [agreed, setAgreed] = useState(props.confirmed ?? false);
  const [offers, setOffers] = useState<Offer[] | null>(null);
  const [troubles, setTroubles] = useState<string[]>([]);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [busy, setBusy] = useState("");
  const [done, setDone] = useState<{ bundle: Bundle; notes: string[] } | null>(null);
  const [round, setRound] = useState(0);

  useEffect(() => {
    if (!agreed) return;
    const aborter = new AbortController();
    const options = { signal: aborter.signal };
    const read = async (): Promise<void> => {
      setFailure(null);
      const feed = await call("trust", { url: props.url, ...(props.root && { root: props.root }) }, options);
      const found = await call("searchFeed", { words: [], feed: feed.name }, options);
      setTroubles(found.troubles);
      setOffers(found.bundles.filter((offer) => !props.only || offer.id === props.only));
    };
    read().catch((error: CallError) => {
      if (!aborter.signal.aborted) setFailure(notBundle(error));
    });
    return () => aborter.abort();
  }, [agreed, round]);

  const install = async (offer: Offer): Promise<void> => {
    setBusy(offer.id);
    setFailure(null);
    try {
      setDone(await call("installFromFeed", { wanted: `${offer.id}@${offer.version}`, feed: offer.feed }));
      await libraryChanged();
      await askToKeep();
    } catch (error) {
      setFailure(error as CallError);
    }
    setBusy("");
  };

  if (done) return <Done bundle={done.bundle} notes={done.notes} />;
  return (
    <Frame>
      {!agreed && (
        <section class="card sheet">
          <h2>{say("feed-follow")}</h2>
          <p class="address">{props.url}</p>
          <p>{say("feed-follow-text")}</p>
          <div class="actions">
            <button type="button" class="main" onClick={() => setAgreed(true)}>
              {say("feed-follow-now")}
            </button>
            <a class="button" href={href({ at: "library" })}>
              {say("cancel")}
            </a>
          </div>
        </section>
      )}
      {failure && <Failed failure={failure} again={() => setRound((last) => last + 1)} />}
      {agreed && !offers && !failure && <Waiting text={say("feed-reading")} />}
      {troubles.map((trouble) => (
        <p key={trouble} class="notice wary">
          {trouble}
        </p>
      ))}
      {offers && !offers.length && <p>{say("feed-empty")}</p>}
      {offers && offers.length > 0 && (
        <ul class="cards">
          {offers.map((offer) => (
            <li key={`${offer.feed} ${offer.id}`}>
              <Offered offer={offer} busy={busy === offer.id} onInstall={() => void install(offer)} />
            </li>
          ))}
        </ul>
      )}
      {busy && <Waiting text={say("install-checking")} />}
    </Frame>
  );
}

function Offered(props: { offer: Offer; busy: boolean; onInstall: () => void }): JSX.Element {
  const { offer } = props;
  return (
    <section class="card sheet">
      <h2>{offer.title || offer.id}</h2>
      <p class="quiet line">
        <span>{say("version", { version: offer.version })}</span>
        <Signed signature="valid" signer={offer.signer} />
        <span>{sizeText(offer.bytes, locale)}</span>
      </p>
      {offer.description && <p>{offer.description}</p>}
      <button type="button" class="main" disabled={props.busy} onClick={props.onInstall}>
        {say("install-now")}
        <span class="unseen"> {offer.title}</span>
      </button>
    </section>
  );
}

/** An address that holds no feed was probably meant as a bundle: say both. */
function notBundle(failure: Failure): Failure {
  return failure.code === "not-found" ? { ...failureOf(failure), code: "not-a-bundle" } : failure;
}
