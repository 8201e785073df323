// Search: one question, answers by words at once, better ones by meaning a moment later, in place.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { CallError } from "../../runtime/client";
import type { Answer, Candidate, Failure } from "../../runtime/messages";
import { call, useReply } from "../engine";
import { Failed } from "../failure";
import { useMeaning, type Meaning } from "../meaning";
import { AnswerCard, PlaceLine } from "../parts/answer_card";
import { Stage } from "../parts/stage";
import { locale, say } from "../say";

const PAUSE_MS = 140;
/** The confidence from which a place is quoted; the others are named below. The command line has the same. */
const QUOTED = 0.5;

interface Found {
  question: string;
  answer: Answer;
}

export function Search(props: { question: string }): JSX.Element {
  const question = props.question.trim();
  const { value: installed } = useReply("bundles", {});
  const titles = new Map((installed?.bundles ?? []).map((bundle) => [bundle.id, bundle.title]));
  const meaning = useMeaning(installed?.bundles ?? []);
  const { found, better, show, busy, failure, again } = useAnswers(question, meaning.ready);
  return (
    <>
      <h1 class="unseen">{say("search")}</h1>
      {!question && (
        <p class="hint">{say(installed?.bundles.length === 0 ? "search-nothing-installed" : "search-empty")}</p>
      )}
      <Stage />
      {!found && <MeaningOffer meaning={meaning} />}
      {failure && <Failed failure={failure} again={again} />}
      <div class="results" aria-busy={busy}>
        <p class={found && found.answer.verdict !== "ok" ? "unseen" : "quiet count"} role="status">
          {found ? summary(found.answer) : busy ? say("searching") : ""}
        </p>
        {better && (
          <p class="notice row">
            {say("better-ready")}
            <button type="button" onClick={show}>
              {say("show-them")}
            </button>
          </p>
        )}
        {found && (
          <Answers answer={found.answer} titles={titles}>
            <MeaningOffer meaning={meaning} />
          </Answers>
        )}
      </div>
    </>
  );
}

/** `children` stand between what answers and what merely comes near. */
function Answers(props: { answer: Answer; titles: Map<string, string>; children: ComponentChildren }): JSX.Element {
  const { answer } = props;
  const titleOf = (candidate: Candidate): string => props.titles.get(candidate.bundle) || candidate.bundle;
  const quoted = answer.candidates.filter((candidate, number) => number === 0 || candidate.confidence >= QUOTED);
  const named = answer.candidates.filter((candidate) => !quoted.includes(candidate));
  return (
    <>
      {answer.verdict !== "ok" && <Refusal answer={answer} />}
      <ol class="cards">
        {quoted.map((candidate) => (
          <li key={candidate.uri + candidate.lines[0]}>
            <AnswerCard candidate={candidate} terms={answer.terms} bundleTitle={titleOf(candidate)} />
          </li>
        ))}
      </ol>
      {props.children}
      <Named heading={say("less-likely")} places={named} answer={answer} titleOf={titleOf} />
      <Named heading={say("near")} places={answer.near} answer={answer} titleOf={titleOf} />
      <p class="quiet">{coverage(answer)}</p>
    </>
  );
}

function Named(props: {
  heading: string;
  places: Candidate[];
  answer: Answer;
  titleOf: (candidate: Candidate) => string;
}): JSX.Element | null {
  if (!props.places.length) return null;
  return (
    <section>
      <h2>{props.heading}</h2>
      <ul class="places">
        {props.places.map((candidate) => (
          <PlaceLine
            key={candidate.uri + candidate.lines[0]}
            candidate={candidate}
            terms={props.answer.terms}
            bundleTitle={props.titleOf(candidate)}
          />
        ))}
      </ul>
    </section>
  );
}

function Refusal(props: { answer: Answer }): JSX.Element {
  const { answer } = props;
  return (
    <section class="notice refusal">
      <p class="big">{say("refusal")}</p>
      {answer.terms.length > 0 && (
        <p class="quiet">
          {say("looked-for")}: {answer.terms.join(" · ")}
        </p>
      )}
      {locale === "en" && <p class="quiet">{answer.reason.replaceAll(/Library\/[^/\s]+\//g, "")}</p>}
      {!answer.near.length && <p class="quiet">{say("nothing-near")}</p>}
    </section>
  );
}

function MeaningOffer(props: { meaning: Meaning }): JSX.Element | null {
  const { offer, progress, failure, get, dismiss } = props.meaning;
  if (failure) return <Failed failure={failure} again={get} />;
  if (progress) return <p role="status">{say("model-getting", progress)}</p>;
  if (!offer) return null;
  return (
    <section class="notice row offer">
      <p>{say("model-offer", { size: offer })}</p>
      <div class="actions">
        <button type="button" class="main" onClick={get}>
          {say("model-get")}
        </button>
        <button type="button" onClick={dismiss}>
          {say("dismiss")}
        </button>
      </div>
    </section>
  );
}

interface Answers {
  found: Found | null;
  better: boolean;
  show: () => void;
  busy: boolean;
  failure: Failure | null;
  again: () => void;
}

/** Answers by words as soon as they are there; those by meaning replace them unless a person is at work in them. */
function useAnswers(question: string, byMeaning: boolean): Answers {
  const [found, setFound] = useState<Found | null>(null);
  const [waiting, setWaiting] = useState<Found | null>(null);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [round, setRound] = useState(0);
  const isFirst = useRef(true);

  useEffect(() => {
    setWaiting(null);
    setFailure(null);
    if (!question) {
      setFound(null);
      setBusy(false);
      return;
    }
    const aborter = new AbortController();
    setBusy(true);
    const ask = async (): Promise<void> => {
      const words = await call("query", { question, means: "words" }, { signal: aborter.signal });
      setFound({ question, answer: words });
      if (!byMeaning) return;
      const both = await call("query", { question }, { signal: aborter.signal });
      if (isAtWork()) setWaiting({ question, answer: both });
      else setFound({ question, answer: both });
    };
    const failed = (error: unknown): void => {
      if (!aborter.signal.aborted) setFailure(error instanceof CallError ? error : null);
    };
    const start = (): void => {
      void ask()
        .catch(failed)
        .finally(() => {
          if (!aborter.signal.aborted) setBusy(false);
        });
    };
    const timer = setTimeout(start, isFirst.current ? 0 : PAUSE_MS);
    isFirst.current = false;
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [question, byMeaning, round]);

  const show = (): void => {
    setFound(waiting);
    setWaiting(null);
  };
  return { found, better: waiting !== null, show, busy, failure, again: () => setRound((last) => last + 1) };
}

/** Whether the answers that are shown are in use: focus lies in them, one is unfolded, or the page was scrolled. */
function isAtWork(): boolean {
  const results = document.querySelector(".results");
  return Boolean(results?.contains(document.activeElement) || results?.querySelector("details[open]") || scrollY > 80);
}

function summary(answer: Answer): string {
  const means = { hybrid: "by-both", lexical: "by-words", dense: "by-meaning" } as const;
  if (answer.verdict !== "ok") return say("refusal");
  const answers = say("answers", { count: answer.candidates.length });
  return say("answers-by", { answers, means: say(means[answer.coverage.mode]) });
}

function coverage(answer: Answer): string {
  const { read, found, problems, note } = answer.coverage;
  const parts = [say("coverage", { read, count: found })];
  if (problems) parts.push(say("coverage-problems", { count: problems }));
  if (note) parts.push(note);
  return parts.join(locale === "zh" ? "；" : "; ");
}
