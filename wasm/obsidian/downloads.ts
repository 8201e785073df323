// The only door to the network: bundles and feeds, when a person asked for them. Engine files never come this way.
import { requestUrl } from "obsidian";
import { type Fetched, HostError } from "../runtime/messages";
import { say } from "./words";

/** Over the bridge of Android a body takes a multiple of its size; larger bundles are put into the vault as a file. */
export const ARCHIVE_BYTES = 48 * 1024 * 1024;

/** Fetch a web address. Rejects with HostError in words for people. */
export async function download(url: string, method: "GET" | "HEAD", maxBytes: number): Promise<Fetched> {
  const host = hostOf(url);
  const reply = await requestUrl({ url, method, throw: false }).catch(() => {
    throw new HostError("unavailable", say("no-answer-from", { host }));
  });
  const data = method === "HEAD" ? new Uint8Array() : new Uint8Array(reply.arrayBuffer);
  if (data.byteLength > maxBytes) throw new HostError("too-large", `${url} has ${data.byteLength} bytes`);
  const header = (name: string): string => headerOf(reply.headers, name);
  return {
    status: reply.status,
    data,
    version: header("etag") || header("last-modified"),
    bytes: Number(header("content-length")) || data.byteLength,
  };
}

/** The link of a person, or of a feed, as an address. Throws HostError: it is none, or not of the web. */
export function webAddress(link: string): URL {
  const address = URL.canParse(link.trim()) ? new URL(link.trim()) : null;
  const isLoopback = address?.protocol === "http:" && ["127.0.0.1", "localhost"].includes(address.hostname);
  if (address && (address.protocol === "https:" || isLoopback)) return address;
  throw new HostError("unavailable", say("not-a-link", { link: link.slice(0, 200) }));
}

const hostOf = (url: string): string => webAddress(url).host;

function headerOf(headers: Record<string, string>, name: string): string {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] ?? "";
}
