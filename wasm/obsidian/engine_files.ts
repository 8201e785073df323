// The engine's files, which lie as chunks in the plugin's folder. They are read and proved, never fetched.
import { type DataAdapter, normalizePath } from "obsidian";
import {
  type Asset,
  AssetError,
  type AssetManifest,
  type AssetSource,
  MANIFEST_NAME,
  parseManifest,
  proveChunks,
  sha256Hex,
} from "../runtime/assets";

/** Below the plugin's folder. */
export const ENGINE_FOLDER = "engine";

/** The sha256 of the list of files that this plugin was built with: it pins every chunk. Empty in a build without one. */
declare const ENGINE_SHA256: string;

export type Presence =
  | { state: "there"; manifest: AssetManifest }
  | { state: "absent" }
  | { state: "other-version"; found: string }
  | { state: "damaged"; reason: string };

export class EngineFiles implements AssetSource {
  constructor(
    private readonly adapter: DataAdapter,
    readonly folder: string,
    private readonly version: string,
  ) {}

  /** Rejects with AssetError: not there, of another version, or not the list that this plugin was built with. */
  async manifest(): Promise<AssetManifest> {
    const found = await this.presence();
    if (found.state === "there") return found.manifest;
    if (found.state === "absent") throw new AssetError("asset-missing", "the engine's files are not here", "");
    const reason = found.state === "damaged" ? found.reason : `the engine's files are of version ${found.found}`;
    throw new AssetError("asset-damaged", reason, "");
  }

  async chunk(file: string): Promise<Uint8Array> {
    return new Uint8Array(await this.adapter.readBinary(this.path(file)));
  }

  /** Whether the list of files is there and is ours. Chunks are proved when they are used, or by `firstFault`. */
  async presence(): Promise<Presence> {
    if (!(await this.adapter.exists(this.path(MANIFEST_NAME)))) return { state: "absent" };
    const text = await this.adapter.read(this.path(MANIFEST_NAME));
    try {
      const manifest = parseManifest(text);
      if (manifest.version !== this.version) return { state: "other-version", found: manifest.version };
      const digest = await sha256Hex(new TextEncoder().encode(text));
      if (!ENGINE_SHA256 || digest === ENGINE_SHA256) return { state: "there", manifest: await this.atHand(manifest) };
      return {
        state: "damaged",
        reason: "The list of the engine's files is not the one that this plugin was made with.",
      };
    } catch (error) {
      return { state: "damaged", reason: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Reads every file of the engine; null when all are whole. */
  async firstFault(): Promise<AssetError | null> {
    try {
      const manifest = await this.manifest();
      for (const asset of manifest.assets) await proveChunks(this, asset);
      return null;
    } catch (error) {
      if (error instanceof AssetError) return error;
      throw error;
    }
  }

  /** Without the models that were not brought along: they are a choice, not a fault. */
  private async atHand(manifest: AssetManifest): Promise<AssetManifest> {
    const { files } = await this.adapter.list(normalizePath(this.folder));
    const names = new Set(files.map((path) => path.slice(path.lastIndexOf("/") + 1)));
    const isMissing = ({ part, chunks }: Asset): boolean =>
      part.startsWith("model:") && chunks.some((chunk) => !names.has(chunk.file));
    const missing = new Set(manifest.assets.filter(isMissing).map((asset) => asset.part));
    return { ...manifest, assets: manifest.assets.filter((asset) => !missing.has(asset.part)) };
  }

  private path(file: string): string {
    return normalizePath(`${this.folder}/${file}`);
  }
}
