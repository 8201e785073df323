// What was installed here, kept apart from the bundles themselves: so that the page can say when a browser removed them.

import type { Bundle } from "../runtime/messages";
import { keep, kept } from "./words_kept";

const KEY = "okf-edge-installed";

export interface Known {
  id: string;
  title: string;
  origin: string;
}

export function knownBundles(): Known[] {
  try {
    const value: unknown = JSON.parse(kept(KEY) ?? "[]");
    return Array.isArray(value) ? (value as Known[]).filter((each) => typeof each?.id === "string") : [];
  } catch {
    return [];
  }
}

export function noteInstalled(bundles: readonly Bundle[]): void {
  const known = bundles.map(({ id, title, origin }): Known => ({ id, title, origin }));
  keep(KEY, JSON.stringify(known));
}
