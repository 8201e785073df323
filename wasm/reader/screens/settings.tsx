// Settings: what is kept here and how safely, the models, the feeds, the language, about.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

import { type AssetManifest, type Part, storedBytes } from "../../runtime/assets";
import { failureOf } from "../../runtime/client";
import type { Failure } from "../../runtime/messages";
import type { Locale } from "../../ui/messages";
import { sizeText } from "../../ui/words";
import { FOR_WORDS, host, runtime, useEngine, useReply } from "../engine";
import { Failed } from "../failure";
import { Stage } from "../parts/stage";
import { askToKeep, bytesOfFiles, removeEverything, storageState } from "../persistence";
import { locale, say, setLanguage, wantedLanguage } from "../say";

export function Settings(): JSX.Element {
  const engine = useEngine();
  return (
    <>
      <h1>{say("settings")}</h1>
      <Stage />
      {engine.safe && (
        <section class="notice wary">
          <p>{say("safe-text")}</p>
          <button type="button" onClick={() => void runtime.forgetCrashes()}>
            {say("safe-leave")}
          </button>
        </section>
      )}
      <EngineFiles />
      <Feeds />
      <Language />
      <Data />
      <About />
    </>
  );
}

/** What a model is for, in words for whoever has to choose. */
function purposeOf(model: string): string {
  return model === "minilm-l6" || model === "e5-small-cjk" ? say(`model-${model}`) : "";
}

interface Kept {
  manifest: AssetManifest;
  parts: Part[];
}

function EngineFiles(): JSX.Element {
  const [kept, setKept] = useState<Kept | null>(null);
  const [files, setFiles] = useState(0);
  const [state, setState] = useState({ quota: 0, persisted: false });
  const [refused, setRefused] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [progress, setProgress] = useState<{ done: string; total: string } | null>(null);

  const look = async (): Promise<void> => {
    setFiles(await bytesOfFiles());
    setState(await storageState());
    setKept({ manifest: await host.assets.manifest(), parts: await host.assets.keptParts() });
  };
  const run = (work: () => Promise<unknown>): void => {
    setFailure(null);
    void work()
      .then(look)
      .catch((error: unknown) => setFailure(failureOf(error)))
      .finally(() => setProgress(null));
  };
  useEffect(() => run(async () => undefined), []);

  const tell = (done: number, total: number): void =>
    setProgress({ done: sizeText(done, locale), total: sizeText(total, locale) });
  const models = [...new Set(kept?.manifest.assets.map((asset) => asset.part) ?? [])].filter(isModel);
  const bytes = (parts: Part[]): number => (kept ? storedBytes(kept.manifest, parts) : 0);
  const keptBytes = (among: (part: Part) => boolean): number => bytes(kept?.parts.filter(among) ?? []);
  return (
    <>
      <section aria-labelledby="storage-heading">
        <h2 id="storage-heading">{say("storage")}</h2>
        {failure && <Failed failure={failure} />}
        <dl class="facts">
          <div>
            <dt>{say("storage-bundles")}</dt>
            <dd>{sizeText(files, locale)}</dd>
          </div>
          <div>
            <dt>{say("storage-engine")}</dt>
            <dd>
              {sizeText(
                keptBytes((part) => FOR_WORDS.includes(part)),
                locale,
              )}
            </dd>
          </div>
          <div>
            <dt>{say("storage-models")}</dt>
            <dd>
              {sizeText(
                keptBytes((part) => !FOR_WORDS.includes(part)),
                locale,
              )}
            </dd>
          </div>
        </dl>
        <p class="quiet">
          {state.quota > 0 && say("storage-free", { size: sizeText(state.quota, locale) })}{" "}
          {say(state.persisted ? "storage-kept" : "storage-loose")}
        </p>
        {!state.persisted && (
          <button type="button" onClick={() => run(async () => setRefused(!(await askToKeep())))}>
            {say("storage-ask")}
          </button>
        )}
        <p role="status">{refused ? say("storage-refused") : ""}</p>
      </section>
      <section aria-labelledby="models-heading">
        <h2 id="models-heading">{say("models")}</h2>
        {kept && !models.length && <p class="quiet">{say("model-none")}</p>}
        <p role="status">{progress ? say("model-getting", progress) : ""}</p>
        <ul class="plain-list">
          {models.map((model) => {
            const isHere = kept?.parts.includes(model) ?? false;
            const name = model.slice("model:".length);
            return (
              <li key={model} class="row">
                <span>
                  {say(isHere ? "model-here" : "model-absent", { name, size: sizeText(bytes([model]), locale) })}
                  <span class="quiet"> {purposeOf(name)}</span>
                </span>
                <button
                  type="button"
                  disabled={progress !== null}
                  onClick={() =>
                    run(() => (isHere ? host.assets.forget([model]) : host.assets.keep(["meaning", model], tell)))
                  }
                >
                  {say(isHere ? "model-remove" : "model-get")}
                  <span class="unseen"> {name}</span>
                </button>
              </li>
            );
          })}
        </ul>
      </section>
    </>
  );
}

function isModel(part: Part): part is `model:${string}` {
  return part.startsWith("model:");
}

function Feeds(): JSX.Element {
  const { value } = useReply("feeds", {});
  return (
    <section aria-labelledby="feeds-heading">
      <h2 id="feeds-heading">{say("feeds")}</h2>
      {value && !value.feeds.length && <p class="quiet">{say("feeds-none")}</p>}
      <dl class="facts">
        {(value?.feeds ?? []).map((feed) => (
          <div key={feed.name}>
            <dt>{feed.name}</dt>
            <dd>{feed.url}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Language(): JSX.Element {
  return (
    <section>
      <h2>
        <label for="language">{say("language")}</label>
      </h2>
      <select
        id="language"
        value={wantedLanguage()}
        onChange={(event) => setLanguage(event.currentTarget.value as Locale | "")}
      >
        <option value="">{say("language-system")}</option>
        <option value="en" lang="en">
          English
        </option>
        <option value="zh" lang="zh">
          简体中文
        </option>
      </select>
    </section>
  );
}

function Data(): JSX.Element {
  const remove = async (): Promise<void> => {
    if (!confirm(say("data-remove-sure"))) return;
    runtime.terminate();
    await removeEverything();
    location.replace(location.pathname);
  };
  return (
    <section>
      <h2>{say("data")}</h2>
      <button type="button" class="danger" onClick={() => void remove()}>
        {say("data-remove")}
      </button>
    </section>
  );
}

function About(): JSX.Element {
  return (
    <section>
      <h2>{say("about")}</h2>
      <p>{say("about-text")}</p>
      <p class="quiet">okf-edge · {say("about-version", { version: __VERSION__ })}</p>
    </section>
  );
}
