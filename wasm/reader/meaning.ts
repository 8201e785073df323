// Searching by meaning: which model the installed bundles need, whether it is on this device, and getting it when wanted.

import { useEffect, useState } from "preact/hooks";

import type { Part } from "../runtime/assets";
import { failureOf } from "../runtime/client";
import type { Bundle, Failure } from "../runtime/messages";
import { sizeText } from "../ui/words";
import { host } from "./engine";
import { locale } from "./say";
import { keep, kept } from "./words_kept";

const DISMISSED_KEY = "okf-edge-words-only";

export interface Meaning {
  /** A model of the installed bundles is on this device. */
  ready: boolean;
  /** The size of what a person may download for it; empty when there is nothing to offer. */
  offer: string;
  progress: { done: string; total: string } | null;
  failure: Failure | null;
  get: () => void;
  dismiss: () => void;
}

/** The parts of the engine that a question by meaning over these bundles needs. */
export function partsFor(bundles: readonly Bundle[]): Part[] {
  const models = new Set(bundles.map((bundle) => bundle.embedder).filter(Boolean));
  return models.size ? ["meaning", ...[...models].map((id): Part => `model:${id}`)] : [];
}

export function useMeaning(bundles: readonly Bundle[]): Meaning {
  const [missing, setMissing] = useState<number | null>(null);
  const [progress, setProgress] = useState<Meaning["progress"]>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [dismissed, setDismissed] = useState(() => kept(DISMISSED_KEY) !== null);
  const parts = partsFor(bundles);
  const key = parts.join();

  useEffect(() => {
    if (!parts.length) return;
    let current = true;
    void bytesMissing(parts).then((bytes) => current && setMissing(bytes));
    return () => {
      current = false;
    };
  }, [key]);

  const get = (): void => {
    setFailure(null);
    host.assets
      .keep(parts, (done, total) => setProgress({ done: sizeText(done, locale), total: sizeText(total, locale) }))
      .then(() => setMissing(0))
      .catch((error: unknown) => setFailure(failureOf(error)))
      .finally(() => setProgress(null));
  };
  const dismiss = (): void => {
    keep(DISMISSED_KEY, "1");
    setDismissed(true);
  };
  const offer = !dismissed && missing ? sizeText(missing, locale) : "";
  return { ready: parts.length > 0 && missing === 0, offer, progress, failure, get, dismiss };
}

/** Null where the site does not bring what is needed: then there is nothing to offer. */
async function bytesMissing(parts: readonly Part[]): Promise<number | null> {
  try {
    const { assets } = await host.assets.manifest();
    const brought = new Set(assets.map((asset) => asset.part));
    return parts.every((part) => brought.has(part)) ? await host.assets.missingBytes(parts) : null;
  } catch {
    return null; // no engine files at all: the stage tells that
  }
}
