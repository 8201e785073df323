// Failures in words for people: what happened, then what to do.
import { failureOf } from "../runtime/failure";
import { failureIn } from "../ui/failures";
import { locale, say } from "./words";

export function messageOf(error: unknown): string {
  const { code, message, hint, issues } = failureOf(error);
  const ours = failureIn(locale(), { code, message });
  const advice = code === "disk-full" ? say("storage-fix") : (ours?.hint ?? hint);
  return [ours?.text ?? "", sentence(message), ...issues, sentence(advice)].filter(Boolean).join("\n");
}

export const isCancelled = (error: unknown): boolean =>
  failureOf(error).code === "cancelled" || (error instanceof DOMException && error.name === "AbortError");

/** The text as a sentence of its own; a name of a file or command that it begins with stays as it is. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  if (!trimmed) return "";
  const begun = /^[a-z]+[ ,:]/.test(trimmed) ? trimmed.charAt(0).toUpperCase() + trimmed.slice(1) : trimmed;
  return /[.!?。！？]$/.test(begun) ? begun : `${begun}.`;
}
