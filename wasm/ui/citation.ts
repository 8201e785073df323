/** How a place is cited, so that whoever reads the citation finds it again. */

import { linesText } from "./words";
import type { Locale } from "./messages";

export interface Cited {
  title: string;
  heading: string;
  lines: readonly [number, number];
  bundle: string;
  version: string;
  uri: string;
}

/** Title and heading path without saying the title twice. */
export function placeName(title: string, heading: string): string {
  if (!heading || heading === title) return title;
  return heading.startsWith(`${title} > `)
    ? heading.replaceAll(" > ", " › ")
    : `${title} › ${heading.replaceAll(" > ", " › ")}`;
}

/** One line: what, where in it, of which bundle in which version, and the address that opens it. */
export function citation(place: Cited, locale: Locale): string {
  const owner = place.bundle ? `${place.bundle} ${place.version}` : "";
  const parts = [`“${placeName(place.title, place.heading)}”`, owner, linesText(place.lines, locale)];
  return `${parts.filter(Boolean).join(", ")} <${place.uri}>`;
}
