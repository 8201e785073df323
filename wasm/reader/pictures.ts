// Pictures of a page: those of its bundle from the store; others only when the reader asks for that one.

import { LOCAL_PICTURE, REMOTE_PICTURE } from "../ui/markdown";
import { host } from "./engine";
import { say } from "./say";

const MOST_BYTES = 20_000_000;
const TYPES: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  bmp: "image/bmp",
  svg: "image/svg+xml", // as a picture it runs nothing and loads nothing
};

export function showLocal(picture: HTMLImageElement): void {
  const path = picture.getAttribute(LOCAL_PICTURE) ?? "";
  const type = TYPES[path.split(".").at(-1)?.toLowerCase() ?? ""];
  if (!type) return;
  host.trees.base
    .read(path)
    .then((data) => show(picture, new Blob([data as Uint8Array<ArrayBuffer>], { type })))
    .catch(() => picture.setAttribute("title", say("link-missing")));
}

/** Without cookies and without telling where the reader is. Where its host forbids that, it can be opened elsewhere. */
export async function loadRemote(offer: HTMLButtonElement): Promise<void> {
  const address = offer.getAttribute(REMOTE_PICTURE) ?? "";
  offer.disabled = true;
  try {
    const { status, data } = await host.fetch(address, "GET", MOST_BYTES);
    const type = TYPES[new URL(address).pathname.split(".").at(-1)?.toLowerCase() ?? ""] ?? "image/png";
    if (status !== 200) throw new Error(String(status));
    const picture = new Image();
    picture.alt = offer.dataset.alt ?? "";
    show(picture, new Blob([data as Uint8Array<ArrayBuffer>], { type }));
    offer.replaceWith(picture);
  } catch {
    offer.replaceWith(elsewhere(address));
  }
}

function show(picture: HTMLImageElement, content: Blob): void {
  const address = URL.createObjectURL(content);
  picture.addEventListener("load", () => URL.revokeObjectURL(address), { once: true });
  picture.src = address;
}

function elsewhere(address: string): HTMLAnchorElement {
  const link = document.createElement("a");
  link.href = address;
  link.target = "_blank";
  link.rel = "noopener noreferrer nofollow";
  link.className = "to-external";
  link.textContent = say("remote-failed", { host: new URL(address).host });
  return link;
}
