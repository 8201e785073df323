// One place that answers: where it is, the sentence, what to think of it, and why it was chosen.
import type { Candidate } from "../runtime/messages";
import { placeName } from "../ui/citation";
import { marked, passage } from "../ui/evidence";
import { confidenceWord, freshnessText, trustText, wordsIn } from "../ui/words";
import { locale, say } from "./words";

export function answerCard(parent: HTMLElement, place: Candidate, terms: string[], open: () => void): void {
  const card = parent.createEl("article", "okf-edge-card");
  const button = card.createEl("button", { cls: "okf-edge-open", attr: { type: "button" } });
  button.createDiv({ cls: "okf-edge-place", text: placeName(place.title, place.heading) });
  const quote = button.createDiv("okf-edge-quote");
  for (const piece of marked(passage(place.text, terms), terms)) {
    if (piece.marked) quote.createEl("mark", { text: piece.text });
    else quote.appendText(piece.text);
  }
  button.createDiv({ cls: "okf-edge-quiet", text: aboutOf(place) });
  button.addEventListener("click", open);
  const why = card.createEl("details", "okf-edge-why");
  why.createEl("summary", { text: say("why") });
  const reasons = why.createEl("ul");
  for (const reason of place.why) reasons.createEl("li", { text: reason });
}

/** Bundle, trust, freshness, confidence: one quiet line. */
function aboutOf(place: Candidate): string {
  const words = wordsIn(locale());
  const isClaim = place.tier === "bundle";
  const from = isClaim ? `${place.bundle} ${place.version}` : words(place.tier === "agent" ? "compiled" : "mine");
  const trust = trustText(place.trust, isClaim, locale());
  const fresh = freshnessText(place.fresh, "", locale());
  return [from, trust, fresh, words(confidenceWord(place.confidence))].join(" · ");
}
