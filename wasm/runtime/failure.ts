// What went wrong, in the words of a Failure, whatever was thrown.

import type { Failure } from "./messages";

/** Errors of ours carry code and hint; anything else is `unavailable`. */
export function failureOf(error: unknown): Failure {
  const known = error as Partial<Failure>;
  if (error instanceof Error && typeof known.code === "string") {
    const { code, hint = "", issues = [] } = known;
    return { code, message: error.message, hint, issues };
  }
  return { code: "unavailable", message: error instanceof Error ? error.message : String(error), hint: "", issues: [] };
}
