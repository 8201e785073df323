// Keeps the page itself, all of one version: what is kept answers first, so page and engine always fit together.
// The engine's own files are kept by the page, in IndexedDB; a new version brings those that the old one had.

import { EngineFiles } from "./host/engine_files";

/** The part of a service worker's world that is used here; the library of types has it only without that of pages. */
interface Extendable extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetching extends Event {
  request: Request;
  respondWith(response: Promise<Response>): void;
}
interface World {
  registration: ServiceWorkerRegistration;
  clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(name: "install" | "activate", listener: (event: Extendable) => void): void;
  addEventListener(name: "message", listener: (event: MessageEvent) => void): void;
  addEventListener(name: "fetch", listener: (event: Fetching) => void): void;
}

const worker = self as unknown as World;
const SHELL = `okf-shell-${__SHELL_DIGEST__}`;
const OFFERS = "okf-offers";
const MANIFEST = "engine/manifest.json";
/** Only asked for where a site allows no worker of a blob: kept from then on. */
const ENGINE_WORKER = "worker.js";

worker.addEventListener("install", (event) => event.waitUntil(install()));
worker.addEventListener("activate", (event) => event.waitUntil(activate()));
worker.addEventListener("message", (event) => {
  if (event.data === "take-over") void worker.skipWaiting();
  if (event.data === "keep-worker") void keptFromNow(fresh(ENGINE_WORKER));
});
worker.addEventListener("fetch", (event) => {
  const address = new URL(event.request.url);
  if (event.request.method !== "GET" || address.origin !== location.origin) return;
  const name = nameOf(address);
  if (event.request.mode === "navigate" && name === "") event.respondWith(kept("index.html", event.request));
  else if (__SHELL__.includes(name) || name === MANIFEST) event.respondWith(kept(name, event.request));
  else if (name === ENGINE_WORKER) event.respondWith(keptFromNow(event.request));
  else if (name === "site.json") event.respondWith(newest(event.request));
});

async function install(): Promise<void> {
  const cache = await caches.open(SHELL);
  await cache.addAll(__SHELL__.map(fresh));
  await cache.add(fresh(MANIFEST)).catch(() => undefined); // a page without an engine still lists what is here
  const before = await EngineFiles.lastKept(worker.registration.scope);
  const manifest = await cache.match(addressOf(MANIFEST));
  if (!before || !manifest) return;
  const parts = await before.keptParts();
  await EngineFiles.of(worker.registration.scope, await manifest.text()).keep(parts);
}

async function activate(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== SHELL && name !== OFFERS).map((name) => caches.delete(name)));
  await worker.clients.claim();
}

async function kept(name: string, request: Request): Promise<Response> {
  const cache = await caches.open(SHELL);
  return (await cache.match(addressOf(name))) ?? fetch(request);
}

async function keptFromNow(request: Request): Promise<Response> {
  const cache = await caches.open(SHELL);
  const before = await cache.match(addressOf(ENGINE_WORKER));
  if (before) return before;
  const response = await fetch(request);
  if (response.ok) await cache.put(addressOf(ENGINE_WORKER), response.clone());
  return response;
}

async function newest(request: Request): Promise<Response> {
  const cache = await caches.open(OFFERS);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch {
    return (await cache.match(request)) ?? Response.error();
  }
}

function nameOf(address: URL): string {
  const scope = new URL(worker.registration.scope);
  return address.pathname.startsWith(scope.pathname) ? address.pathname.slice(scope.pathname.length) : "/";
}

function addressOf(name: string): string {
  return new URL(name, worker.registration.scope).href;
}

function fresh(name: string): Request {
  return new Request(addressOf(name), { cache: "no-cache" });
}
