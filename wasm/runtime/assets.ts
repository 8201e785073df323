// The engine's files: how they are named, cut into chunks, and proved before they are used.
//
// 1. An asset is kept as chunks of at most CHUNK_BYTES, so that sync services carry them and no store holds 30 MB in one value.
// 2. A chunk is a slice of the asset's bytes after its encoding; chunks are joined in order, then decoded. Whoever reads
//    brings the decoders that the platform has not: only the worker unpacks xz.
// 3. Nothing is used before its sha256 was checked: of each chunk, and of the asset that they make.

export const CHUNK_BYTES = 4 * 1024 * 1024;
export const MANIFEST_NAME = "manifest.json";
export const MANIFEST_FORMAT = 1;
const ENCODINGS = ["gzip", "identity", "xz"];

/** What an asset is needed for. `base` answers by words in safe mode; `engine` adds DuckDB; `meaning` adds ONNX Runtime. */
export type Part = "base" | "engine" | "meaning" | `model:${string}`;

export interface Chunk {
  /** Name of the file beside the manifest: letters, digits, `-` and `.` only. */
  file: string;
  bytes: number;
  sha256: string;
}

export interface Asset {
  /** What the worker asks for, e.g. `pyodide.asm.wasm` or `minilm-l6/model.onnx`. */
  name: string;
  part: Part;
  /** Of the asset as it is used. */
  bytes: number;
  sha256: string;
  /** What the joined chunks are in. */
  encoding: "gzip" | "identity" | "xz";
  chunks: Chunk[];
}

export interface AssetManifest {
  format: typeof MANIFEST_FORMAT;
  /** Version of okf-edge that the assets belong to. */
  version: string;
  assets: Asset[];
}

/** Where chunks lie: IndexedDB for the reader, the plugin's folder in Obsidian. */
export interface AssetSource extends Chunks {
  manifest(): Promise<AssetManifest>;
}

export interface Chunks {
  /** The bytes of one chunk file. Rejects when it is not there; what it holds is checked by the caller. */
  chunk(file: string): Promise<Uint8Array>;
}

/** Why an asset can't be used. `code` is stable. */
export class AssetError extends Error {
  constructor(
    readonly code: "asset-missing" | "asset-damaged" | "manifest-damaged" | "manifest-newer",
    message: string,
    readonly hint: string,
  ) {
    super(message);
    this.name = "AssetError";
  }
}

/** How an encoding is taken off a stream. */
export type Decoders = Partial<Record<Asset["encoding"], (stored: Stored) => ReadableStream<Uint8Array>>>;
type Stored = ReadableStream<Uint8Array<ArrayBuffer>>;

const OF_PLATFORM: Decoders = {
  identity: (stored) => stored,
  gzip: (stored) => stored.pipeThrough(new DecompressionStream("gzip")),
};
const AGAIN = "Put the engine's files there again, all of one version.";

/** An asset, whole and proved. Its chunks are read one by one: little more than the asset is held. Rejects with AssetError. */
export async function readAsset(
  source: Chunks,
  manifest: AssetManifest,
  name: string,
  decoders: Decoders = {},
): Promise<Uint8Array> {
  const asset = manifest.assets.find((each) => each.name === name);
  if (!asset) throw new AssetError("asset-missing", `expected ${name} in the engine's files, found none`, AGAIN);
  const decoded = { ...OF_PLATFORM, ...decoders }[asset.encoding];
  if (!decoded) throw new AssetError("asset-damaged", `${name} can't be unpacked here: it is ${asset.encoding}`, AGAIN);
  const data = await filled(asset, decoded(chunksOf(source, asset)));
  await requireDigest(data, asset, asset.name);
  return data;
}

/** Reads every chunk of an asset and proves it, without unpacking. Rejects with AssetError. */
export async function proveChunks(source: Chunks, asset: Asset): Promise<void> {
  for (const chunk of asset.chunks) await readChunk(source, asset, chunk);
}

/** The manifest of a text, checked. Throws AssetError. */
export function parseManifest(text: string): AssetManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AssetError(
      "manifest-damaged",
      "expected the list of the engine's files, found text that is no JSON",
      AGAIN,
    );
  }
  const manifest = value as AssetManifest;
  if (typeof manifest?.format === "number" && manifest.format > MANIFEST_FORMAT) {
    throw new AssetError(
      "manifest-newer",
      `expected engine files of format ${MANIFEST_FORMAT}, found ${manifest.format}`,
      "Update this app first.",
    );
  }
  if (manifest?.format !== MANIFEST_FORMAT || !Array.isArray(manifest.assets) || !manifest.assets.every(isAsset)) {
    throw new AssetError("manifest-damaged", "expected the list of the engine's files, found another JSON", AGAIN);
  }
  return manifest;
}

/** Bytes that a part needs on disk, compressed as they are kept. */
export function storedBytes(manifest: AssetManifest, parts: readonly Part[]): number {
  const chosen = manifest.assets.filter((asset) => parts.includes(asset.part));
  return chosen.flatMap((asset) => asset.chunks).reduce((sum, chunk) => sum + chunk.bytes, 0);
}

export async function sha256Hex(data: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", data as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function readChunk(source: Chunks, asset: Asset, chunk: Chunk): Promise<Uint8Array> {
  let data: Uint8Array;
  try {
    data = await source.chunk(chunk.file);
  } catch (error) {
    throw new AssetError("asset-missing", `${asset.name} is not complete: ${chunk.file} is missing (${error})`, AGAIN);
  }
  await requireDigest(data, chunk, `${chunk.file} of ${asset.name}`);
  return data;
}

async function requireDigest(data: Uint8Array, stated: { bytes: number; sha256: string }, name: string): Promise<void> {
  if (data.byteLength !== stated.bytes || (await sha256Hex(data)) !== stated.sha256) {
    throw new AssetError(
      "asset-damaged",
      `${name} is damaged: expected ${stated.bytes} bytes with sha256 ${stated.sha256.slice(0, 12)}…, found ${data.byteLength} other bytes`,
      AGAIN,
    );
  }
}

function chunksOf(source: Chunks, asset: Asset): Stored {
  let next = 0;
  return new ReadableStream(
    {
      pull: async (controller) => {
        const chunk = asset.chunks[next++];
        if (chunk) controller.enqueue((await readChunk(source, asset, chunk)) as Uint8Array<ArrayBuffer>);
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The bytes of a stream, and never more than the manifest states: a swapped chunk must not unpack without end. */
async function filled(asset: Asset, stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const all = new Uint8Array(asset.bytes);
  const reader = stream.getReader();
  let at = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (at + part.value.byteLength > all.byteLength) throw new RangeError("more than stated");
      all.set(part.value, at);
      at += part.value.byteLength;
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined); // a decoder that is left open would keep the next one waiting
    if (error instanceof AssetError) throw error;
    throw new AssetError("asset-damaged", `${asset.name} can't be unpacked: ${error}`, AGAIN);
  }
  return at === all.byteLength ? all : all.subarray(0, at);
}

function isAsset(value: unknown): value is Asset {
  const asset = value as Asset;
  return (
    typeof asset?.name === "string" &&
    typeof asset.part === "string" &&
    isSized(asset) &&
    ENCODINGS.includes(asset.encoding) &&
    Array.isArray(asset.chunks) &&
    asset.chunks.every((chunk) => /^[\w][\w.-]*$/.test(chunk?.file) && isSized(chunk))
  );
}

function isSized(value: { bytes: number; sha256: string }): boolean {
  return Number.isSafeInteger(value.bytes) && value.bytes >= 0 && /^[0-9a-f]{64}$/.test(value.sha256);
}
