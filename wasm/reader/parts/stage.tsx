// What the engine is doing, as words: what is ready can be used.

import type { JSX } from "preact";

import type { RuntimeState } from "../../runtime/client";
import { sizeText } from "../../ui/words";
import { useEngine } from "../engine";
import { useFetching } from "../offline";
import { locale, say } from "../say";
import { useOnline } from "./online";

export function Stage(): JSX.Element {
  const state = useEngine();
  const online = useOnline();
  const fetching = useFetching();
  return (
    <p class="stage quiet" role="status">
      <span class={`dot ${state.phase}`} aria-hidden="true" />
      {fetching ? say("stage-fetching", sizes(fetching)) : stageText(state)}
      {!online && <span> {say("offline")}</span>}
    </p>
  );
}

function sizes(fetching: { done: number; total: number }): { done: string; total: string } {
  return { done: sizeText(fetching.done, locale), total: sizeText(fetching.total, locale) };
}

function stageText(state: RuntimeState): string {
  if (state.phase === "off") return say(state.crash ? "stage-crashed" : "stage-off");
  if (state.phase === "starting") return say("stage-starting");
  if (state.safe) return say("stage-safe");
  return say(state.ready === "meaning" ? "stage-meaning" : "stage-words");
}
