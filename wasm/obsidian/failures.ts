// Failures in words for people: what happened, then what to do.
import { failureOf } from "../runtime/failure";
import { say } from "./words";

export function messageOf(error: unknown): string {
  const { code, message, hint, issues } = failureOf(error);
  const advice = code === "disk-full" ? say("storage-fix") : hint;
  return [sentence(message), ...issues, sentence(advice)].filter(Boolean).join("\n");
}

export const isCancelled = (error: unknown): boolean =>
  failureOf(error).code === "cancelled" || (error instanceof DOMException && error.name === "AbortError");

function sentence(text: string): string {
  const trimmed = text.trim();
  if (!trimmed) return "";
  const begun = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?。！？]$/.test(begun) ? begun : `${begun}.`;
}
