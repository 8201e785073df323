// What page and worker say to each other. Everything is plain data that structured cloning carries; bytes are transferred.
//
// 1. The page calls use cases of the core by name. Results are the objects that `okf … --json` prints, and nothing else.
// 2. The worker asks its page for what it can't do itself: files, one URL, the engine's files.
// 3. Whatever fails is a Failure: a stable code, what was expected and found, and what to do.

import type { AssetManifest } from "./assets";

// --- use cases ------------------------------------------------------------------------------------------------------

export interface Question {
  question: string;
  /** Places to return: 1 to 100, 10 when left out. */
  k?: number;
  types?: string[];
  tags?: string[];
  paths?: string[];
  /** By which means. `words` never waits for the model and never loads it. Left out: by both, or by words as long as
   * there is no model. */
  means?: "both" | "words" | "meaning";
  explain?: boolean;
}

export interface Candidate {
  path: string;
  title: string;
  heading: string;
  lines: [number, number];
  text: string;
  score: number;
  confidence: number;
  tier: "agent" | "user" | "bundle";
  kb: string;
  bundle: string;
  version: string;
  uri: string;
  trust: string;
  fresh: boolean;
  why: string[];
}

/** `core/okf_edge/schemas/answer.schema.json` fixes it. */
export interface Answer {
  verdict: "ok" | "no-confident-match";
  reason: string;
  content: "untrusted";
  terms: string[];
  candidates: Candidate[];
  near: Candidate[];
  coverage: { read: number; found: number; problems: number; mode: "hybrid" | "lexical" | "dense"; note: string };
  timings: Record<string, number>;
  explain?: Record<string, unknown>;
}

export interface Page {
  path: string;
  title: string;
  heading: string;
  lines: [number, number];
  content: "untrusted";
  text: string;
  trust: string;
  fresh: boolean;
  stale_after: string;
}

export interface Neighbour {
  path: string;
  title: string;
  line: number;
  cites: boolean;
}

export interface Neighbours {
  path: string;
  content: "untrusted";
  links: Neighbour[];
  linked_from: Neighbour[];
}

/** A page as a list names it. */
export interface Listed {
  path: string;
  title: string;
  type: string;
  description: string;
}

/** A page of an installed bundle as a reader shows it. */
export interface PageView extends Listed {
  tags: string[];
  status: "draft" | "stable" | "deprecated";
  trust: string;
  fresh: boolean;
  stale_after: string;
  generated_at: string;
  sources: { resource: string; title: string }[];
  bundle: string;
  version: string;
  content: "untrusted";
  /** The page without its frontmatter; `first_line` is where it begins in the file. */
  text: string;
  first_line: number;
  /** `raw` is the destination as typed; `path` is empty where it leads to no file of the bundle. */
  links: { raw: string; path: string; anchor: string; line: number }[];
  links_to: Listed[];
  linked_from: Listed[];
}

/** What a bundle holds. `start` is the page to begin with, empty when there is none. */
export interface Contents {
  id: string;
  version: string;
  title: string;
  content: "untrusted";
  start: string;
  /** Pages that ask to be looked at again by now. */
  stale: number;
  pages: Listed[];
  files: { path: string; bytes: number }[];
}

export interface Bundle {
  id: string;
  version: string;
  title: string;
  kind: string;
  path: string;
  origin: string;
  installed_at: string;
  content_digest: string;
  signature: "valid" | "absent" | "invalid";
  signer: string;
  feed: string;
  previous: string;
  index: "shipped" | "built" | "none";
  embedder: string;
  left_out: string[];
}

export interface InstallChoices {
  force?: boolean;
  acceptRisks?: boolean;
  acceptNonconformant?: boolean;
}

/** An archive by its bytes, which are transferred, or by a URL that the page fetches. */
export type Archive = { data: Uint8Array; name: string } | { url: string };

export type InstallRequest = Archive & InstallChoices & { sha256?: string; id?: string; version?: string };

export interface Installation {
  outcome: "installed" | "updated" | "repaired" | "unchanged";
  bundle: Bundle;
  notes: string[];
}

export interface Verified {
  kind: string;
  id: string;
  version: string;
  files: number;
  content_digest: string;
  signature: "valid" | "absent" | "invalid";
  index: "rebuilt-equal" | "not-compared" | "none";
  local: boolean;
  left_out: string[];
  notes: string[];
}

/** What a person is shown before an installation. */
export interface Preview extends Verified {
  title: string;
  description: string;
  creator: string;
  licence: string;
  bytes: number;
  embedder: string;
  /** Of the installed bundle of the same id; empty when there is none. */
  installed: string;
  /** What was found in its text: an installation is refused unless `acceptRisks` is given. */
  risks: string[];
  /** How it departs from OKF: an installation is refused unless `acceptNonconformant` is given. */
  breaches: string[];
}

export interface Feed {
  name: string;
  url: string;
  root: string;
  confirmed: boolean;
}

export interface Offer {
  feed: string;
  id: string;
  version: string;
  title: string;
  description: string;
  bytes: number;
  signer: string;
}

export interface Standing {
  id: string;
  version: string;
  feed: string;
  offered: string;
  yanked: string;
  trouble: string;
}

export interface Status {
  place: "folder" | "cache" | "none";
  found: number;
  read: number;
  concepts: number;
  chunks: number;
  bytes: number;
  embedder: string;
  pipeline: string;
  writer: string;
  unusable: string;
  changes: { added: number; touched: number; removed: number };
  problems: { path: string; line: number | null; rule: string; message: string; fix: string }[];
  skipped: { path: string; reason: string }[];
}

/** A report as `schemas/` fixes it: map, stale, health. */
export type Report = Record<string, unknown>;

/** Every use case: what goes in, what comes out. */
export interface Calls {
  query: [Question, Answer];
  read: [{ concept: string }, Page];
  neighbours: [{ concept: string }, Neighbours];
  page: [{ path: string }, PageView];
  contents: [{ id: string }, Contents];
  map: [Nothing, Report];
  stale: [Nothing, Report];
  health: [Nothing, Report];
  bundles: [Nothing, { bundles: Bundle[] }];
  install: [InstallRequest, Installation];
  preview: [Archive & { sha256?: string }, Preview];
  verify: [Archive & { sha256?: string; rebuild?: boolean }, Verified];
  uninstall: [{ id: string; force?: boolean }, { bundle: Bundle }];
  rollback: [{ id: string; force?: boolean }, { bundle: Bundle }];
  feeds: [Nothing, { feeds: Feed[] }];
  /** The root of a feed as it is found now, for a person to compare before it is followed. */
  rootAt: [{ url: string }, { url: string; root: string }];
  trust: [{ url: string; root?: string; name?: string }, Feed];
  searchFeed: [{ words: string[]; feed?: string }, { bundles: Offer[]; troubles: string[] }];
  installFromFeed: [{ wanted: string; feed?: string } & InstallChoices, Installation & { needed: Bundle[] }];
  checkUpdates: [Nothing, { bundles: Standing[] }];
  update: [{ ids: string[] } & InstallChoices, { updated: Installation[] }];
  /** Build the index of the folder's own notes anew; in slices, each told as progress. */
  index: [{ embedder?: string }, Status];
  status: [Nothing, Status];
}

export type Nothing = Record<string, never>;
export type CallName = keyof Calls;
export type Argument<Name extends CallName> = Calls[Name][0];
export type Result<Name extends CallName> = Calls[Name][1];

export interface Failure {
  /** Stable: scripts and pages may match it. */
  code: string;
  message: string;
  hint: string;
  issues: string[];
}

// --- what the worker asks of its page -------------------------------------------------------------------------------

/** `base`: the folder that is asked. `spare`: derived files, when the base can't be written. `device`: what this device
 * alone trusts and never syncs. */
export type TreeName = "base" | "spare" | "device";

/** Whole path, bytes, time of the last change in milliseconds, kind. A write always changes bytes or time. */
export type Entry = [path: string, bytes: number, mtime: number, kind: "file" | "folder" | "link" | "other"];

export interface Fetched {
  /** HTTP's own number. */
  status: number;
  data: Uint8Array;
  /** ETag, else date of change, else empty. */
  version: string;
  /** From the header, else the length of the data. */
  bytes: number;
}

/** What can be asked for: argument and reply. Paths are relative to the tree's root, as the host spells them. */
export interface Services {
  /** What lies directly in these folders, folders too; "" is the root. A folder that is not there holds nothing. */
  "tree.list": [{ tree: TreeName; folders: string[] }, Entry[]];
  /** null: nothing is there. */
  "tree.stat": [{ tree: TreeName; path: string }, Entry | null];
  "tree.read": [{ tree: TreeName; path: string }, Uint8Array];
  /** Replace or create; afterwards the file is whole, old or new. Folders above it are made. */
  "tree.write": [{ tree: TreeName; path: string; data: Uint8Array }, null];
  "tree.create": [{ tree: TreeName; path: string; data: Uint8Array }, null];
  /** Move a file or folder; refused when the new path is taken. */
  "tree.rename": [{ tree: TreeName; from: string; to: string }, null];
  "tree.replace": [{ tree: TreeName; from: string; to: string }, null];
  "tree.remove": [{ tree: TreeName; path: string }, null];
  "tree.makeFolder": [{ tree: TreeName; path: string }, null];
  fetch: [{ url: string; method: "GET" | "HEAD"; maxBytes: number }, Fetched];
  /** What the engine's files are. */
  manifest: [object, AssetManifest];
  /** A piece of one, as it is kept: the worker proves and unpacks it. */
  chunk: [{ file: string }, Uint8Array];
}

export type ServiceName = keyof Services;
export type Request<Name extends ServiceName> = Services[Name][0];
export type Reply<Name extends ServiceName> = Services[Name][1];

/** Codes of failures that a host may give; anything else counts as `unavailable`. */
export type HostCode =
  "not-found" | "already-exists" | "too-large" | "disk-full" | "read-only" | "permission-denied" | "unavailable";

/** What a host throws. */
export class HostError extends Error {
  constructor(
    readonly code: HostCode,
    message: string,
    readonly hint = "",
  ) {
    super(message);
    this.name = "HostError";
  }
}

// --- the wire -------------------------------------------------------------------------------------------------------

export interface StartOptions {
  /** By words only, over sqlite3: no DuckDB, no model. */
  safe: boolean;
  /** What the base is called until it says so itself. */
  folderName: string;
  /** Ids of models whose files are at hand. */
  models: string[];
}

export type ToWorker =
  | { type: "start"; options: StartOptions }
  | { type: "call"; id: number; name: CallName; argument: unknown }
  | { type: "cancel"; id: number }
  | { type: "reply"; id: number; value?: unknown; failure?: Failure }
  | { type: "ping"; id: number };

/** `words`: questions are answered by words. `meaning`: a model is loaded too. */
export type Ready = "words" | "meaning";

export type ToPage =
  | { type: "stage"; label: string }
  | { type: "ready"; ready: Ready; model: string }
  | { type: "progress"; id: number; label: string; done: number; total: number | null }
  | { type: "note"; id: number; text: string }
  | { type: "result"; id: number; value: unknown }
  | { type: "failed"; id: number; failure: Failure }
  | { type: "ask"; id: number; service: ServiceName; argument: unknown }
  /** The engine could not be opened, e.g. a file of it is damaged. */
  | { type: "unstarted"; failure: Failure }
  /** The engine broke while it ran. */
  | { type: "crash"; message: string }
  | { type: "pong"; id: number };
