// DuckDB-Wasm in the worker: the blocking build, one thread, no extension, no file but those that were handed over.

import * as duckdb from "../../node_modules/@duckdb/duckdb-wasm/dist/duckdb-browser-blocking";
import { DataType, type Table, type Vector } from "apache-arrow";
import { MemoryFile, memoryFiles } from "./memory_files";

const MODULE = "duckdb.wasm";
const SETTINGS = [
  "SET autoinstall_known_extensions = false",
  "SET autoload_known_extensions = false",
  "SET allow_community_extensions = false",
  "SET memory_limit = '400MB'",
];

/** A module by the name of its file: compiled, or its bytes. */
export type LoadModule = (name: string) => Promise<WebAssembly.Module | BufferSource>;

/** What the bindings call to make an instance; the imports may not be looked into. */
interface Glue {
  instantiateWasm(
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): object;
}

/** A column as Python takes it: numbers as a typed array where none is absent, else values as JSON. */
export type Column =
  { kind: "numbers"; data: Int32Array | Float32Array | Float64Array } | { kind: "values"; json: string };

/** One database in memory, to which files are attached. Errors are thrown as DuckDB words them. */
export class Database {
  private constructor(
    private readonly db: duckdb.DuckDBBindings,
    private readonly connection: duckdb.DuckDBConnection,
    private readonly files: Map<string, MemoryFile>,
  ) {}

  static async open(load: LoadModule): Promise<Database> {
    const loaded = await load(MODULE);
    const module = loaded instanceof WebAssembly.Module ? loaded : await WebAssembly.compile(loaded);
    const memory = memoryFiles();
    const db = await bindings();
    instantiatedFrom(db, module);
    await db.instantiate(() => undefined);
    // its own buffer of pages would keep back the last header of a file that is written
    db.open({ path: ":memory:", useDirectIO: true, query: { castBigIntToDouble: false, castDecimalToDouble: false } });
    const connection = db.connect();
    for (const statement of SETTINGS) connection.query(statement);
    return new Database(db, connection, memory);
  }

  /** Run one statement; its rows, column by column. */
  run(sql: string): Column[] {
    const table = this.connection.query(sql) as unknown as Table;
    return table.schema.fields.map((_, at) => columnOf(table.getChildAt(at) as Vector));
  }

  /** The same over a prepared statement; a `?` takes a text or a number. */
  runPrepared(sql: string, parameters: (string | number | null)[]): Column[] {
    const statement = this.connection.prepare(sql);
    try {
      const table = statement.query(...parameters) as unknown as Table;
      return table.schema.fields.map((_, at) => columnOf(table.getChildAt(at) as Vector));
    } finally {
      statement.close();
    }
  }

  /** Make the bytes a file that can be attached under this name. */
  addFile(name: string, data: Uint8Array): void {
    const { BROWSER_FSACCESS } = duckdb.DuckDBDataProtocol;
    this.db.registerFileHandle(name, new MemoryFile(data), BROWSER_FSACCESS, true);
  }

  /** What was written to a file by DuckDB itself. */
  fileData(name: string): Uint8Array {
    const file = this.files.get(name);
    if (!file) throw new Error(`expected a file ${name}, found none`);
    return file.data;
  }

  /** Let go of a file that is not attached any more, and of what DuckDB kept beside it. */
  dropFile(name: string): void {
    for (const each of [name, `${name}.wal`]) {
      if (this.files.has(each)) this.db.dropFile(each);
      this.files.delete(each);
    }
  }
}

function bindings(): Promise<duckdb.DuckDBBindings> {
  const unused = { mainModule: "", mainWorker: "" };
  return duckdb.createDuckDB({ mvp: unused, eh: unused }, new duckdb.VoidLogger(), duckdb.BROWSER_RUNTIME);
}

/** Make the glue take a compiled module instead of fetching one. */
function instantiatedFrom(db: duckdb.DuckDBBindings, module: WebAssembly.Module): void {
  const glue = db as unknown as Glue;
  glue.instantiateWasm = (imports, done) => {
    Object.assign(globalThis, { DUCKDB_RUNTIME: duckdb.BROWSER_RUNTIME });
    void WebAssembly.instantiate(module, imports).then((instance) => done(instance, module));
    return {};
  };
}

function columnOf(vector: Vector): Column {
  const { type } = vector;
  if (vector.nullCount === 0 && vector.length > 0) {
    if (DataType.isInt(type) && type.bitWidth <= 32) {
      const data = vector.toArray() as Int32Array;
      return { kind: "numbers", data: data instanceof Int32Array ? data : Int32Array.from(data) };
    }
    if (DataType.isFloat(type)) return { kind: "numbers", data: vector.toArray() as Float64Array };
  }
  return { kind: "values", json: JSON.stringify(Array.from(vector, (value) => plain(value, type))) };
}

/** A value that JSON carries: bytes as hex in an object, large integers as numbers written in full. */
function plain(value: unknown, type: DataType): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === "bigint") return exact(value);
  if (DataType.isDecimal(type)) return exact(fromWords(value as Uint32Array));
  if (value instanceof Uint8Array)
    return { hex: Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("") };
  return DataType.isFloat(type) ? { float: String(value) } : value;
}

/** An integer as a number where that is exact, else as its digits. */
function exact(value: bigint): unknown {
  return Number.isSafeInteger(Number(value)) ? Number(value) : { int: String(value) };
}

/** A 128-bit integer of scale 0, e.g. DuckDB's sum over integers, from its four words, least first. */
function fromWords(words: Uint32Array): bigint {
  let value = 0n;
  for (let at = words.length - 1; at >= 0; at--) value = (value << 32n) | BigInt(words[at] ?? 0);
  return BigInt.asIntN(32 * words.length, value);
}
