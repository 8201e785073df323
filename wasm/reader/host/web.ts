// One address, fetched because a person asked for it: within a limit, without credentials, never downgraded.

import { type Fetched, HostError } from "../../runtime/messages";

export async function fetchUrl(url: string, method: "GET" | "HEAD", maxBytes: number): Promise<Fetched> {
  const wanted = webAddress(url);
  const response = await fetch(wanted, {
    method,
    credentials: "omit",
    referrerPolicy: "no-referrer",
    cache: "no-cache",
  }).catch(() => {
    throw unreachable(wanted);
  });
  if (wanted.protocol === "https:" && !response.url.startsWith("https:")) {
    throw new HostError("unavailable", `${wanted.host} leads to an address that is not encrypted`, "Ask its owner.");
  }
  const data = method === "HEAD" ? new Uint8Array() : await bodyOf(response, maxBytes, wanted);
  const version = response.headers.get("etag") ?? response.headers.get("last-modified") ?? "";
  const length = Number(response.headers.get("content-length") ?? data.byteLength);
  return { status: response.status, data, version, bytes: method === "HEAD" ? length : data.byteLength };
}

function webAddress(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : null;
  if (!address || !["http:", "https:"].includes(address.protocol)) {
    throw new HostError("unavailable", `expected an http or https address, found ${url.slice(0, 200)}`);
  }
  address.username = "";
  address.password = "";
  return address;
}

async function bodyOf(response: Response, maxBytes: number, wanted: URL): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    bytes += part.value.byteLength;
    if (bytes > maxBytes) {
      await reader?.cancel();
      throw new HostError("too-large", `${wanted.host} sent more than ${maxBytes} bytes`);
    }
    parts.push(part.value);
  }
  return new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}

/** A browser doesn't tell why a foreign address can't be read; the two usual reasons are named. */
function unreachable(wanted: URL): HostError {
  if (!navigator.onLine) return new HostError("unavailable", "there is no network now", "Try again when there is.");
  return new HostError(
    "unavailable",
    `${wanted.host} can't be reached, or does not let other pages read it`,
    "Download the file in your browser and drop it here.",
  );
}
