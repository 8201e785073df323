// One place that answers: what it is, the sentence, one quiet line, and why. The whole card opens the page there.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import type { Candidate } from "../../runtime/messages";
import { citation, placeName } from "../../ui/citation";
import { passage } from "../../ui/evidence";
import { confidenceWord, linesText, wordsIn } from "../../ui/words";
import { pageTo } from "../route";
import { locale, say } from "../say";
import { Fresh, Trust } from "./badges";
import { Marked } from "./marked";

const words = wordsIn(locale);

export function AnswerCard(props: { candidate: Candidate; terms: string[]; bundleTitle: string }): JSX.Element {
  const { candidate, terms } = props;
  return (
    <article class="card answer">
      <h2>
        <a class="place" href={pageTo(candidate.path, "", candidate.lines)}>
          <Marked text={placeName(candidate.title, candidate.heading)} terms={terms} />
        </a>
      </h2>
      <p class="passage">
        <Marked text={passage(candidate.text, terms)} terms={terms} />
      </p>
      <p class="quiet line">
        <span>{props.bundleTitle}</span>
        <Trust tier={candidate.trust} isClaim={candidate.tier === "bundle"} />
        <Fresh fresh={candidate.fresh} />
        <span class="mark strong">{words(confidenceWord(candidate.confidence))}</span>
      </p>
      <details>
        <summary>{say("why")}</summary>
        <Why candidate={candidate} terms={terms} />
      </details>
    </article>
  );
}

/** A place that is named, not quoted. */
export function PlaceLine(props: { candidate: Candidate; terms: string[]; bundleTitle: string }): JSX.Element {
  const { candidate, terms } = props;
  return (
    <li>
      <a class="place" href={pageTo(candidate.path, "", candidate.lines)}>
        <Marked text={placeName(candidate.title, candidate.heading)} terms={terms} />
      </a>
      <span class="quiet"> {props.bundleTitle}</span>
    </li>
  );
}

function Why(props: { candidate: Candidate; terms: string[] }): JSX.Element {
  const { candidate } = props;
  const percent = new Intl.NumberFormat(locale).format(Math.round(candidate.confidence * 100));
  return (
    <div class="why">
      <ul lang="en">
        {candidate.why.map((reason) => (
          <li key={reason}>{reason.replaceAll(/Library\/[^/\s]+\//g, "")}</li>
        ))}
      </ul>
      <p class="quiet">
        {say("confidence", { percent })} · {candidate.bundle} {candidate.version} · {linesText(candidate.lines, locale)}
      </p>
      <h3>{say("whole-passage")}</h3>
      <blockquote>
        <Marked text={candidate.text.trim()} terms={props.terms} />
      </blockquote>
      <CopyCitation candidate={candidate} />
    </div>
  );
}

function CopyCitation(props: { candidate: Candidate }): JSX.Element {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(citation(props.candidate, locale));
    setCopied(true);
  };
  return (
    <button type="button" class="plain" onClick={() => void copy()}>
      <span role="status">{say(copied ? "copied" : "copy-citation")}</span>
    </button>
  );
}
