// The engine's files: how they are named, cut into chunks, and proved before they are used.
//
// 1. An asset is kept as chunks of at most CHUNK_BYTES, so that sync services carry them and no store holds 30 MB in one value.
// 2. A chunk is a slice of the asset's bytes after its encoding; chunks are joined in order, then decoded. Whoever reads
//    brings the decoders that the platform has not: only the worker unpacks xz.
// 3. Nothing is used before its sha256 was checked: of each chunk, and of the asset that they make. A module that is
//    compiled while it is unpacked is proved by its chunks, and by what they unpack to in number.

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
  const asset = assetOf(manifest, name);
  const data = await filled(asset, decoded(source, asset, decoders));
  await requireDigest(data, asset, asset.name);
  return data;
}

/** An asset while it is unpacked. `failed` rejects with an AssetError, as not every reader of a stream passes it on. */
export interface Streamed {
  body: ReadableStream<Uint8Array<ArrayBuffer>>;
  failed: Promise<never>;
}

/** An asset whose bytes are never held whole, e.g. a module that is compiled meanwhile. Throws AssetError. */
export function streamAsset(source: Chunks, manifest: AssetManifest, name: string, decoders: Decoders = {}): Streamed {
  let fail: (failure: AssetError) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  const body = decoded(source, assetOf(manifest, name), decoders, fail);
  return { body: body as Streamed["body"], failed };
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

/** Never more than the manifest states: a swapped chunk must not unpack without end. What fails is told too. */
function decoded(
  source: Chunks,
  asset: Asset,
  decoders: Decoders,
  told: (failure: AssetError) => void = () => undefined,
): ReadableStream<Uint8Array> {
  const decoder = { ...OF_PLATFORM, ...decoders }[asset.encoding];
  if (!decoder)
    throw new AssetError("asset-damaged", `${asset.name} can't be unpacked here: it is ${asset.encoding}`, AGAIN);
  const reader = decoder(chunksOf(source, asset)).getReader();
  let left = asset.bytes;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    try {
      const part = await reader.read();
      left -= part.value?.byteLength ?? 0;
      if (left < 0 || (part.done && left > 0)) throw new RangeError(`expected ${asset.bytes} bytes, found others`);
      if (part.done) controller.close();
      else controller.enqueue(part.value);
    } catch (error) {
      await reader.cancel().catch(() => undefined); // a decoder that is left open would keep the next one waiting
      const failure = error instanceof AssetError ? error : undecodable(asset, error);
      told(failure);
      controller.error(failure);
    }
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

function undecodable(asset: Asset, error: unknown): AssetError {
  return new AssetError("asset-damaged", `${asset.name} can't be unpacked: ${error}`, AGAIN);
}

async function filled(asset: Asset, stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const all = new Uint8Array(asset.bytes);
  const reader = stream.getReader();
  let at = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    all.set(part.value, at);
    at += part.value.byteLength;
  }
  return all;
}

function assetOf(manifest: AssetManifest, name: string): Asset {
  const asset = manifest.assets.find((each) => each.name === name);
  if (!asset) throw new AssetError("asset-missing", `expected ${name} in the engine's files, found none`, AGAIN);
  return asset;
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
