// What went wrong, in plain words, with what to do; the engine's own words below for who wants them.

import type { JSX } from "preact";

import type { Failure } from "../runtime/messages";
import { failureIn } from "../ui/failures";
import { locale, say, type SayKey } from "./say";

const BY_CODE: Record<string, SayKey> = {
  "asset-missing": "error-asset-missing",
  "asset-damaged": "error-asset-damaged",
  "manifest-damaged": "error-asset-damaged",
  "manifest-newer": "error-newer",
  "newer-format": "error-newer",
  "disk-full": "error-disk-full",
  "worker-crashed": "error-crashed",
  "not-a-bundle": "error-not-bundle",
  "insecure-origin": "error-insecure",
};

export interface Told {
  text: string;
  hint: string;
  /** What the engine said, where our words stand in its place. */
  detail: string;
  issues: string[];
}

export function told(failure: Failure): Told {
  const key = failure.code === "asset-missing" && !navigator.onLine ? "error-offline-first" : BY_CODE[failure.code];
  const ours = key ? { text: say(key), hint: say(`${key}-hint` as SayKey) } : failureIn(locale, failure);
  if (!ours) return { text: failure.message, hint: failure.hint, detail: "", issues: failure.issues };
  return { ...ours, detail: `${failure.message} (${failure.code})`, issues: failure.issues };
}

export function Failed(props: {
  failure: Failure;
  again?: (() => void) | undefined;
  children?: JSX.Element;
}): JSX.Element {
  const { text, hint, detail, issues } = told(props.failure);
  return (
    <section class="notice bad" role="alert" data-code={props.failure.code}>
      <h2>{say("error-heading")}</h2>
      <p>{text}</p>
      {issues.length > 0 && (
        <ul>
          {issues.slice(0, 20).map((issue) => (
            <li key={issue}>{issue}</li>
          ))}
        </ul>
      )}
      {hint && (
        <p class="quiet">
          {say("error-hint")}: {hint}
        </p>
      )}
      {detail && (
        <p class="detail" lang="en">
          {detail}
        </p>
      )}
      <div class="actions">
        {props.again && (
          <button type="button" onClick={props.again}>
            {say("again")}
          </button>
        )}
        {props.children}
      </div>
    </section>
  );
}
