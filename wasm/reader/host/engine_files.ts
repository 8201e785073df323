// The engine's files: fetched once from beside the page, proved, and kept in IndexedDB for every later start.
//
// 1. What is kept is used, also offline. A chunk is kept only when it is what the manifest promises.
// 2. Chunks are kept by digest: those of an older engine go when those of the present one are used.

import {
  type AssetManifest,
  AssetError,
  type AssetSource,
  type Part,
  parseManifest,
  sha256Hex,
} from "../../runtime/assets";
import { asked, within } from "./database";

export const ENGINE_FOLDER = "engine/";
const MANIFEST = "manifest.json";
const AT_ONCE = 4;

export class EngineFiles implements AssetSource {
  private known: AssetManifest | null = null;
  private readonly running = new Map<string, Promise<Uint8Array>>();

  constructor(private readonly base: string) {}

  /** Those of a manifest that is at hand. */
  static of(base: string, text: string): EngineFiles {
    const files = new EngineFiles(base);
    files.known = parseManifest(text);
    return files;
  }

  /** Those that were used last on this device; null when there were none. */
  static async lastKept(base: string): Promise<EngineFiles | null> {
    const text = await keptManifest();
    return text ? EngineFiles.of(base, text) : null;
  }

  async manifest(): Promise<AssetManifest> {
    this.known ??= parseManifest(await this.manifestText());
    return this.known;
  }

  async chunk(file: string): Promise<Uint8Array> {
    const { sha256 } = await this.stated(file);
    return (await kept(sha256)) ?? this.fetched(file, sha256);
  }

  /** Fetch what is not kept yet, e.g. before the network goes. Tells bytes done of all that are missing. */
  async keep(parts: readonly Part[], tell: (done: number, total: number) => void = () => undefined): Promise<void> {
    const missing = await this.missing(parts);
    const total = missing.reduce((sum, chunk) => sum + chunk.bytes, 0);
    let done = 0;
    tell(done, total);
    const next = async (): Promise<void> => {
      for (let chunk = missing.shift(); chunk; chunk = missing.shift()) {
        const data = await this.fetched(chunk.file, chunk.sha256);
        if ((await sha256Hex(data)) !== chunk.sha256) throw damaged(chunk.file);
        done += chunk.bytes;
        tell(done, total);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
  }

  /** Bytes of these parts that are not kept on this device. */
  async missingBytes(parts: readonly Part[]): Promise<number> {
    return (await this.missing(parts)).reduce((sum, chunk) => sum + chunk.bytes, 0);
  }

  /** Parts of which every file is kept. */
  async keptParts(): Promise<Part[]> {
    const { assets } = await this.manifest();
    const parts = [...new Set(assets.map((asset) => asset.part))];
    const missing = await Promise.all(parts.map((part) => this.missingBytes([part])));
    return parts.filter((_, number) => missing[number] === 0);
  }

  /** Let go of these parts, and of everything that no present part needs. */
  async forget(parts: readonly Part[]): Promise<void> {
    const { assets } = await this.manifest();
    const needed = assets.filter((asset) => !parts.includes(asset.part)).flatMap((asset) => asset.chunks);
    const digests = new Set(needed.map((chunk) => chunk.sha256));
    await within(["chunks"], "readwrite", async (transaction) => {
      const store = transaction.objectStore("chunks");
      for (const key of await asked(store.getAllKeys())) {
        if (key !== MANIFEST && !digests.has(String(key))) store.delete(key);
      }
    });
  }

  private async missing(parts: readonly Part[]): Promise<{ file: string; bytes: number; sha256: string }[]> {
    const { assets } = await this.manifest();
    const wanted = assets.filter((asset) => parts.includes(asset.part)).flatMap((asset) => asset.chunks);
    const keys = await within(["chunks"], "readonly", (transaction) =>
      asked(transaction.objectStore("chunks").getAllKeys()),
    );
    const known = new Set(keys.map(String));
    return wanted.filter((chunk) => !known.has(chunk.sha256));
  }

  private async stated(file: string): Promise<{ sha256: string }> {
    const { assets } = await this.manifest();
    const found = assets.flatMap((asset) => asset.chunks).find((chunk) => chunk.file === file);
    if (!found) throw new AssetError("asset-missing", `expected ${file} among the engine's files, found none`, "");
    return found;
  }

  /** The newest manifest that can be had: from the network, else as it was kept. */
  private async manifestText(): Promise<string> {
    try {
      const text = new TextDecoder().decode(await this.loaded(MANIFEST, "no-cache"));
      parseManifest(text);
      await within(["chunks"], "readwrite", (transaction) => {
        transaction.objectStore("chunks").put(text, MANIFEST);
      });
      return text;
    } catch (error) {
      const text = await keptManifest();
      if (text) return text;
      throw error;
    }
  }

  /** Each file once, however many ask for it at a time. */
  private fetched(file: string, sha256: string): Promise<Uint8Array> {
    const running = this.running.get(sha256) ?? this.fetchedAnew(file, sha256);
    this.running.set(sha256, running);
    return running.finally(() => this.running.delete(sha256)).then((data) => data.slice());
  }

  private async fetchedAnew(file: string, sha256: string): Promise<Uint8Array> {
    const data = await this.loaded(file, "no-cache");
    if ((await sha256Hex(data)) !== sha256) return data; // not kept; whoever uses it proves it, and says so
    await within(["chunks"], "readwrite", (transaction) => {
      transaction.objectStore("chunks").put(data.slice().buffer, sha256);
    });
    return data;
  }

  private async loaded(file: string, cache: RequestCache): Promise<Uint8Array> {
    const response = await fetch(new URL(ENGINE_FOLDER + file, this.base), { cache }).catch((error: unknown) => {
      throw new AssetError("asset-missing", `${file} could not be fetched: ${String(error)}`, "");
    });
    if (!response.ok) throw new AssetError("asset-missing", `${file} is not on this site (${response.status})`, "");
    return new Uint8Array(await response.arrayBuffer());
  }
}

function damaged(file: string): AssetError {
  return new AssetError("asset-damaged", `expected ${file} as it was published, found other bytes`, "");
}

async function kept(sha256: string): Promise<Uint8Array | null> {
  const data = await within(["chunks"], "readonly", (transaction) =>
    asked<ArrayBuffer | undefined>(transaction.objectStore("chunks").get(sha256)),
  );
  return data ? new Uint8Array(data) : null;
}

async function keptManifest(): Promise<string | undefined> {
  return within(["chunks"], "readonly", (transaction) =>
    asked<string | undefined>(transaction.objectStore("chunks").get(MANIFEST)),
  );
}
