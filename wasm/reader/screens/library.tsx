// Library: what is on this device, what the site offers, and the ways to get more.

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";

import type { Bundle } from "../../runtime/messages";
import { dateText, sizeText } from "../../ui/words";
import { useReply } from "../engine";
import { Failed } from "../failure";
import { knownBundles, noteInstalled } from "../known";
import { Signed } from "../parts/badges";
import { Opener } from "../parts/opener";
import { Updates } from "../parts/updates";
import { href, pageTo } from "../route";
import { locale, say } from "../say";
import { useSite, type SiteBundle } from "../site";

export function Library(): JSX.Element {
  const { value, failure, remembered, again } = useReply("bundles", {});
  const site = useSite();
  const bundles = value?.bundles ?? [];
  useEffect(() => {
    if (value && !remembered && value.bundles.length) noteInstalled(value.bundles);
  }, [value, remembered]);
  const offers = (site?.bundles ?? []).filter((offer) => !bundles.some((each) => each.id === offer.id));
  return (
    <>
      <h1>{say("library")}</h1>
      {failure && <Failed failure={failure} again={again} />}
      {value && !remembered && !bundles.length && <Evicted />}
      {bundles.length > 0 && (
        <>
          <p class="quiet">{say("library-text")}</p>
          <ul class="cards">
            {bundles.map((bundle) => (
              <BundleCard key={bundle.id} bundle={bundle} />
            ))}
          </ul>
          <Updates bundles={bundles} />
        </>
      )}
      {!bundles.length && !offers.length && (
        <div class="hero">
          <p class="big">{say("library-empty")}</p>
          <p>{say("library-empty-text")}</p>
        </div>
      )}
      {!bundles.length && offers.length > 0 && <p>{say("library-empty-text")}</p>}
      {site && offers.length > 0 && <Offers title={site.title} offers={offers} />}
      <section aria-labelledby="open-heading">
        <h2 id="open-heading">{say("open")}</h2>
        <Opener />
      </section>
    </>
  );
}

function BundleCard(props: { bundle: Bundle }): JSX.Element {
  const { bundle } = props;
  const { value: contents } = useReply("contents", { id: bundle.id });
  const bytes = contents?.files.reduce((sum, file) => sum + file.bytes, 0) ?? 0;
  return (
    <li class="card bundle">
      <h2>
        <a class="place" href={contents?.start ? pageTo(contents.start) : href({ at: "bundle", id: bundle.id })}>
          {bundle.title || bundle.id}
        </a>
      </h2>
      <p class="quiet line">
        <span>{say("version", { version: bundle.version })}</span>
        <Signed signature={bundle.signature} signer={bundle.signer} />
        {contents && contents.stale > 0 && (
          <span class="mark wary">{say("stale-pages", { count: contents.stale })}</span>
        )}
        {contents && <span>{say("pages", { count: contents.pages.length })}</span>}
        {contents && <span>{sizeText(bytes, locale)}</span>}
        <span>{dateText(bundle.installed_at, locale)}</span>
      </p>
      <a class="more" href={href({ at: "bundle", id: bundle.id })}>
        {say("bundle-details")}
        <span class="unseen"> {bundle.title}</span>
      </a>
    </li>
  );
}

function Offers(props: { title: string; offers: SiteBundle[] }): JSX.Element {
  return (
    <section aria-labelledby="site-heading">
      <h2 id="site-heading">{props.title || say("on-this-site")}</h2>
      <ul class="cards">
        {props.offers.map((offer) => (
          <li class="card bundle" key={offer.id}>
            <h3>{offer.title || offer.id}</h3>
            {offer.description && <p>{offer.description}</p>}
            <p class="quiet line">
              <span>{say("version", { version: offer.version })}</span>
              <span>{sizeText(offer.bytes, locale)}</span>
            </p>
            <a class="button main" href={href({ at: "install", url: `site:${offer.id}` })}>
              {say("get")}
              <span class="unseen"> {offer.title}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Said when the browser let go of what a person had installed. */
function Evicted(): JSX.Element | null {
  const known = knownBundles();
  if (!known.length) return null;
  const names = known.map((each) => (each.origin ? `${each.title} (${each.origin})` : each.title)).join(", ");
  return (
    <section class="notice wary" role="alert">
      <p>{say("evicted")}</p>
      <p>{say("evicted-text", { names })}</p>
      <div class="actions">
        <button
          type="button"
          onClick={(event) => {
            noteInstalled([]);
            event.currentTarget.closest(".notice")?.remove();
          }}
        >
          {say("close")}
        </button>
      </div>
    </section>
  );
}
