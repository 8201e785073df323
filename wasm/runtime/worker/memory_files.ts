// Files of DuckDB that lie in the worker's own memory, outside of WebAssembly's: read by the page, grown as it writes.
//
// DuckDB-Wasm's own buffers are copied into its memory, which never shrinks, and what it creates there can't be read back.
// It talks to the origin's private file system through access handles, which are synchronous: these files look like such.

import {
  BROWSER_RUNTIME,
  DuckDBDataProtocol,
} from "../../node_modules/@duckdb/duckdb-wasm/dist/duckdb-browser-blocking";

const NULL_IF_ABSENT = 1 << 7;
const FIRST_BYTES = 64 * 1024;

interface OpenRuntime {
  _files: Map<string, unknown>;
  _fileInfoCache: Map<number, unknown>;
  getFileInfo(module: never, fileId: number): { fileName: string; dataProtocol: number } | null;
  getDefaultDataProtocol(module: never): number;
  openFile(module: never, fileId: number, flags: number): number;
  closeFile(module: never, fileId: number): void;
}

/** The bytes of one file, with the methods of FileSystemSyncAccessHandle that DuckDB's glue calls. */
export class MemoryFile {
  constructor(
    private bytes: Uint8Array = new Uint8Array(),
    private size = bytes.byteLength,
  ) {}

  get data(): Uint8Array {
    return this.bytes.slice(0, this.size);
  }

  getSize(): number {
    return this.size;
  }

  read(target: Uint8Array, { at }: { at: number }): number {
    const part = this.bytes.subarray(at, Math.min(at + target.byteLength, this.size));
    // whatever DuckDB asks for is there in a whole file; what a cut one lacks, it would ask for without an end
    if (part.byteLength < target.byteLength) throw new Error(`the file ends at byte ${this.size}`);
    target.set(part);
    return part.byteLength;
  }

  write(source: Uint8Array, { at }: { at: number }): number {
    this.truncate(Math.max(this.size, at + source.byteLength));
    this.bytes.set(source, at);
    return source.byteLength;
  }

  truncate(size: number): void {
    if (size > this.bytes.byteLength) {
      const grown = new Uint8Array(Math.max(FIRST_BYTES, size, this.bytes.byteLength * 2));
      grown.set(this.bytes.subarray(0, this.size));
      this.bytes = grown;
    }
    if (size < this.size) this.bytes.fill(0, size, this.size);
    this.size = size;
  }

  flush(): void {
    // there is nothing behind it
  }

  close(): void {
    // what was written stays until it is dropped
  }
}

/** Make DuckDB's runtime keep what it creates in files of ours. Returns these files by name. */
export function memoryFiles(): Map<string, MemoryFile> {
  const runtime = BROWSER_RUNTIME as unknown as OpenRuntime;
  const scope = globalThis as { FileSystemSyncAccessHandle?: unknown };
  scope.FileSystemSyncAccessHandle ??= MemoryFile; // the glue compares with it, where there is none too
  const files = new Map<string, MemoryFile>();
  runtime._files = files;
  const openFile = runtime.openFile.bind(runtime);
  runtime.getDefaultDataProtocol = () => DuckDBDataProtocol.BROWSER_FSACCESS;
  runtime.openFile = (module, fileId, flags) => {
    const name = runtime.getFileInfo(module, fileId)?.fileName;
    if (name && !files.has(name)) {
      if (flags & NULL_IF_ABSENT) return 0;
      files.set(name, new MemoryFile());
    }
    return openFile(module, fileId, flags);
  };
  runtime.closeFile = (_, fileId) => void runtime._fileInfoCache.delete(fileId); // also of what was found to be absent
  return files;
}
