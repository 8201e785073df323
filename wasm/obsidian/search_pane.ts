// One field; places as you type, better ones a moment later, in place.
import { Component } from "obsidian";
import type { Answer, Candidate } from "../runtime/messages";
import { answerCard } from "./answer_card";
import { engineNotice } from "./engine_notice";
import { isCancelled, messageOf, sentence } from "./failures";
import type OkfEdgePlugin from "./main";
import { openPlace } from "./opening";
import { locale, say } from "./words";

const TYPING_MS = 200;
const PAUSE_MS = 700;

export class SearchPane extends Component {
  private readonly field: HTMLInputElement;
  private readonly status: HTMLElement;
  private readonly results: HTMLElement;
  private asking = new AbortController();
  private timer = 0;
  private summary = "";

  constructor(
    private readonly plugin: OkfEdgePlugin,
    private readonly body: HTMLElement,
    private question: string,
    private readonly remember: (question: string) => void,
  ) {
    super();
    const form = body.createEl("form", { cls: "okf-edge-ask", attr: { role: "search" } });
    this.field = form.createEl("input", { type: "search", placeholder: say("ask"), value: question });
    this.field.setAttrs({ "aria-label": say("ask-label"), enterkeyhint: "search", autocomplete: "off" });
    this.status = body.createDiv({ cls: "okf-edge-status", attr: { role: "status" } });
    this.results = body.createDiv({ cls: "okf-edge-results" });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.ask(0);
    });
    this.field.addEventListener("input", () => {
      void this.ask(TYPING_MS);
    });
  }

  override onload(): void {
    this.register(
      this.plugin.engine.onState(() => {
        this.tellState();
      }),
    );
    this.registerDomEvent(this.body, "keydown", (event) => {
      this.move(event);
    });
    this.register(() => {
      this.stop();
    });
  }

  /** The field with what was asked last; without an engine, or anything to ask, what to do about it. */
  async show(): Promise<void> {
    this.tellState();
    const presence = await this.plugin.engine.files.presence();
    if (presence.state !== "there") return engineNotice(this.results, this.plugin, presence);
    if (!this.question) await this.greet();
    else await this.ask(0);
    this.field.focus();
  }

  private async greet(): Promise<void> {
    const bundles = await this.plugin.library.list().catch(() => []);
    if (bundles.length || this.results.hasChildNodes()) return;
    const empty = this.results.createDiv("okf-edge-empty");
    empty.createEl("h3", { text: say("empty-title") });
    empty.createEl("p", { text: say("empty-text") });
    const install = empty.createEl("button", { cls: "mod-cta", text: say("install"), attr: { type: "button" } });
    install.addEventListener("click", () => {
      this.plugin.installFrom("");
    });
  }

  /** By words while typing; by meaning too once the person pauses, or presses Enter. */
  private async ask(delayMs: number): Promise<void> {
    this.stop();
    this.question = this.field.value.trim();
    this.remember(this.question);
    if (!this.question) return this.clear();
    const { signal } = (this.asking = new AbortController());
    if (!(await this.waited(delayMs, signal))) return;
    if (!(await this.answer("words", signal)) || !this.plugin.settings.byMeaning) return;
    if (await this.waited(delayMs && PAUSE_MS, signal)) await this.answer("both", signal);
  }

  private async answer(means: "words" | "both", signal: AbortSignal): Promise<boolean> {
    this.tell(say(means === "words" ? "looking" : "looking-meaning"));
    try {
      const answer = await this.plugin.engine.call("query", { question: this.question, means, k: 20 }, { signal });
      if (signal.aborted) return false;
      if (means === "both" && this.isAtWork()) this.tell(this.summary);
      else this.draw(answer);
      return true;
    } catch (error) {
      if (!signal.aborted && !isCancelled(error)) await this.fail(error);
      return false;
    }
  }

  /** Whether a person is in the places that are shown: they stay as they are then. */
  private isAtWork(): boolean {
    return this.results.contains(document.activeElement) || this.results.querySelector("details[open]") !== null;
  }

  private draw(answer: Answer): void {
    this.results.empty();
    this.summary = summary(answer);
    this.tell(this.summary);
    if (answer.verdict === "ok") return this.drawPlaces(answer.candidates, answer);
    this.results.createEl("p", { cls: "okf-edge-refusal", text: say("no-answer") });
    if (answer.reason && locale() === "en") this.results.createEl("p", { cls: "okf-edge-quiet", text: answer.reason });
    if (answer.near.length) this.results.createEl("h3", { cls: "okf-edge-near", text: say("not-an-answer") });
    this.drawPlaces(answer.near, answer);
  }

  private drawPlaces(places: Candidate[], answer: Answer): void {
    const list = this.results.createEl("ol", "okf-edge-places");
    for (const place of places) {
      answerCard(list.createEl("li"), place, answer.terms, () => void openPlace(this.plugin.app, place, answer.terms));
    }
  }

  private async fail(error: unknown): Promise<void> {
    this.tell("");
    this.results.empty();
    const presence = await this.plugin.engine.files.presence();
    if (presence.state !== "there") return engineNotice(this.results, this.plugin, presence);
    const failed = this.results.createDiv({ cls: "okf-edge-failure", attr: { role: "alert" } });
    failed.createEl("p", { text: messageOf(error) });
    const again = failed.createEl("button", { text: say("again"), attr: { type: "button" } });
    again.addEventListener("click", () => void this.ask(0));
  }

  private clear(): void {
    this.results.empty();
    this.tellState();
  }

  private tell(text: string): void {
    this.status.setText(text);
  }

  /** What the engine is doing, in words, as long as nothing else is to be told. */
  private tellState(): void {
    const { phase, ready, stage, safe } = this.plugin.engine.state;
    if (phase === "starting") this.tell(say("opening", { stage: stage || "…" }));
    else if (!this.question && safe) this.tell(say("safe"));
    else if (!this.question)
      this.tell(phase === "off" ? say("asleep") : say(ready === "meaning" ? "ready-meaning" : "ready-words"));
  }

  /** Arrows go from field to places and between them; Enter opens, as on every button. */
  private move(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const stops = [this.field, ...this.results.querySelectorAll<HTMLElement>(".okf-edge-open")];
    const next = stops[stops.indexOf(event.target as HTMLInputElement) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  private async waited(delayMs: number, signal: AbortSignal): Promise<boolean> {
    if (delayMs) await new Promise((resolve) => (this.timer = window.setTimeout(resolve, delayMs)));
    return !signal.aborted;
  }

  private stop(): void {
    window.clearTimeout(this.timer);
    this.asking.abort();
  }
}

function summary(answer: Answer): string {
  const found = answer.verdict === "ok" ? answer.candidates.length : 0;
  const isByBoth = answer.coverage.mode !== "lexical" && !answer.coverage.note;
  const places = found ? say(isByBoth ? "found-both" : "found-words", { count: found }) : "";
  const unread = answer.coverage.problems ? say("unread", { count: answer.coverage.problems }) : "";
  return [places, unread, sentence(answer.coverage.note)].filter(Boolean).join(" ");
}
