// Where a person is, as the part of the address after `#`: so links, the back button and reloading work on any host.

import { useEffect, useState } from "preact/hooks";

export type Route =
  | { at: "library" }
  | { at: "search"; question: string }
  | { at: "page"; path: string; anchor: string; lines: [number, number] | null }
  | { at: "bundle"; id: string }
  | { at: "install"; url: string }
  | { at: "settings" };

/** The address of a place, ready for `href`. */
export function href(route: Route): string {
  switch (route.at) {
    case "search":
      return `#/search${route.question ? `?q=${encodeURIComponent(route.question)}` : ""}`;
    case "page":
      return pageHref(route);
    case "bundle":
      return `#/bundle/${encodeURIComponent(route.id)}`;
    case "install":
      return `#/install${route.url ? `?url=${encodeURIComponent(route.url)}` : ""}`;
    case "settings":
      return "#/settings";
    case "library":
      return "#/";
  }
}

export function pageTo(path: string, anchor = "", lines: [number, number] | null = null): string {
  return href({ at: "page", path, anchor, lines });
}

/** The place that an address names; whatever it does not know is the library. */
export function routeOf(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [at, ...rest] = path.split("/").map(decoded);
  const asked = new URLSearchParams(query);
  if (at === "search") return { at, question: asked.get("q") ?? "" };
  if (at === "page" && rest.length) {
    return { at, path: rest.join("/"), anchor: asked.get("at") ?? "", lines: linesOf(asked.get("lines")) };
  }
  if (at === "bundle" && rest[0]) return { at, id: rest[0] };
  if (at === "install") return { at, url: asked.get("url") ?? "" };
  return at === "settings" ? { at } : { at: "library" };
}

export function go(route: Route, how: "push" | "replace" = "push"): void {
  const target = href(route);
  if (how === "push") location.hash = target;
  else {
    history.replaceState(history.state, "", target);
    dispatchEvent(new HashChangeEvent("hashchange"));
  }
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  useEffect(() => {
    const changed = (): void => setRoute(routeOf(location.hash));
    addEventListener("hashchange", changed);
    changed(); // whoever was quick went on before anybody listened
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}

/** `?open=URL` in a link to this page is the same as opening the URL by hand; it is asked once. */
export function takeOpenParameter(): void {
  const address = new URL(location.href);
  const wanted = address.searchParams.get("open");
  if (wanted === null) return;
  address.searchParams.delete("open");
  history.replaceState(null, "", `${address.pathname}${address.search}${href({ at: "install", url: wanted })}`);
}

function pageHref(route: { path: string; anchor: string; lines: [number, number] | null }): string {
  const asked = new URLSearchParams();
  if (route.anchor) asked.set("at", route.anchor);
  if (route.lines) asked.set("lines", route.lines.join("-"));
  const query = asked.toString();
  const path = route.path.split("/").map(encodeURIComponent).join("/");
  return `#/page/${path}${query ? `?${query}` : ""}`;
}

function linesOf(text: string | null): [number, number] | null {
  const found = /^(\d{1,9})-(\d{1,9})$/.exec(text ?? "");
  return found ? [Number(found[1]), Number(found[2])] : null;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
