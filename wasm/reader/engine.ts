// The one engine of this page: started when needed, let go when the page is hidden, and what it answered, remembered.

import { useEffect, useState } from "preact/hooks";

import type { Part } from "../runtime/assets";
import { CallError, type CallOptions, failureOf, Runtime, type RuntimeState } from "../runtime/client";
import type { Argument, CallName, Failure, Result } from "../runtime/messages";
import { asked, within } from "./host/database";
import { readerHost } from "./host";

const IDLE_MS = 5 * 60_000;
const HIDDEN_MS = 30_000;
/** What words need. The rest is fetched when a person wants it. */
export const FOR_WORDS: Part[] = ["base", "engine"];

export const host = readerHost();
export const runtime = new Runtime(host, { folderName: "reader", idleMs: IDLE_MS });

/** Without encryption a browser has no digests: no file of engine or bundle could be proved. */
const INSECURE: Failure = { code: "insecure-origin", message: "this origin is not secure", hint: "", issues: [] };

let working = 0;
let hiddenTimer: ReturnType<typeof setTimeout> | undefined;

/** A use case of the core. Rejects with CallError. */
export async function call<Name extends CallName>(
  name: Name,
  argument: Argument<Name>,
  options: CallOptions = {},
): Promise<Result<Name>> {
  if (!isSecureContext) throw new CallError(INSECURE);
  working += 1;
  try {
    return await runtime.call(name, argument, options);
  } catch (error) {
    throw error instanceof CallError ? error : new CallError(failureOf(error));
  } finally {
    working -= 1;
  }
}

/** Memory goes back when nobody looks: a phone ends pages that keep it. The next call starts the engine again. */
export function restWhenHidden(): void {
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiddenTimer);
    if (document.visibilityState === "hidden") hiddenTimer = setTimeout(rest, HIDDEN_MS);
  });
}

function rest(): void {
  if (working === 0) runtime.terminate();
  else hiddenTimer = setTimeout(rest, HIDDEN_MS);
}

export function useEngine(): RuntimeState {
  const [state, setState] = useState(runtime.state);
  useEffect(() => runtime.onState(setState), []);
  return state;
}

export interface Reply<Value> {
  value: Value | null;
  failure: Failure | null;
  /** The value is what was last known; the engine has not confirmed it yet. */
  remembered: boolean;
  again: () => void;
}

type Remembered = "bundles" | "contents" | "page" | "feeds";

/** The reply to a call; the last known one is there at once, before the engine is. It is asked anew when `key` changes. */
export function useReply<Name extends Remembered>(name: Name, argument: Argument<Name>): Reply<Result<Name>> {
  const key = `${name} ${JSON.stringify(argument)}`;
  const [round, setRound] = useState(0);
  const [reply, setReply] = useState<{ key: string } & Omit<Reply<Result<Name>>, "again">>({ key, ...NOTHING });
  useEffect(() => {
    const aborter = new AbortController();
    const take = (change: Partial<typeof reply>): void => {
      if (!aborter.signal.aborted)
        setReply((last) => ({ ...(last.key === key ? last : { key, ...NOTHING }), ...change }));
    };
    void recall<Result<Name>>(key).then((value) => value && take({ value, remembered: true }));
    call(name, argument, { signal: aborter.signal }).then(
      (value) => {
        take({ value, failure: null, remembered: false });
        void remember(key, value);
      },
      (error: CallError) =>
        take(error.code === "not-found" || error.code === "no-concept" ? gone(error) : { failure: error }),
    );
    const stop = onChange(() => setRound((last) => last + 1));
    return () => {
      stop();
      aborter.abort();
    };
  }, [key, round]);
  const current = reply.key === key ? reply : NOTHING;
  return { ...current, again: () => setRound((last) => last + 1) };
}

const NOTHING = { value: null, failure: null, remembered: false };

function gone(failure: Failure): { value: null; failure: Failure } {
  return { value: null, failure };
}

const changes = new EventTarget();

/** Tell that bundles came or went: whatever was remembered is asked anew. */
export async function libraryChanged(): Promise<void> {
  await within(["notes"], "readwrite", (transaction) => {
    transaction.objectStore("notes").clear();
  });
  changes.dispatchEvent(new Event("change"));
}

function onChange(listener: () => void): () => void {
  changes.addEventListener("change", listener);
  return () => changes.removeEventListener("change", listener);
}

async function recall<Value>(key: string): Promise<Value | null> {
  try {
    const text = await within(["notes"], "readonly", (transaction) =>
      asked<string | undefined>(transaction.objectStore("notes").get(key)),
    );
    return text ? (JSON.parse(text) as Value) : null;
  } catch {
    return null; // what is remembered only saves waiting
  }
}

async function remember(key: string, value: unknown): Promise<void> {
  await within(["notes"], "readwrite", (transaction) => {
    transaction.objectStore("notes").put(JSON.stringify(value), key);
  }).catch(() => undefined); // a full disk costs only the waiting
}
