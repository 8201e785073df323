// What the host of this page offers beside it: `site.json`, written by `okf bundle-site`.

import { useEffect, useState } from "preact/hooks";

export interface SiteBundle {
  id: string;
  version: string;
  title: string;
  description: string;
  bytes: number;
}

export interface Site {
  title: string;
  /** The feed, as an address from this page, and the digest of its root. */
  feed: string;
  root: string;
  bundles: SiteBundle[];
}

let loaded: Promise<Site | null> | null = null;

/** The site's offers; null where the page stands alone. */
export function useSite(): Site | null {
  const [site, setSite] = useState<Site | null>(null);
  useEffect(() => {
    loaded ??= load();
    void loaded.then(setSite);
  }, []);
  return site;
}

async function load(): Promise<Site | null> {
  try {
    const response = await fetch(new URL("site.json", document.baseURI), { cache: "no-cache" });
    const site = (await response.json()) as Site;
    return response.ok && Array.isArray(site.bundles) ? site : null;
  } catch {
    return null; // no such file, or no network: the page works without
  }
}
