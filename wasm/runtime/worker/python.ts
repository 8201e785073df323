// Python in the worker: Pyodide from local bytes, and the wheels that its generated lock file names with their hashes.

import createPyodideModule from "pyodide/pyodide.asm.mjs";
import { loadPyodide, type PyodideAPI } from "pyodide";
import { type EngineFiles, release } from "./files";
import { ORIGIN, provide, withdraw } from "./origin";

const LOCK = "pyodide-lock.json";
const MODULE = "pyodide.asm.wasm";
const STDLIB = "python_stdlib.zip";
const WHEELS = "/lib/wheels";

interface Lock {
  info: Record<string, string>;
  packages: Record<string, { file_name: string }>;
}

interface PyList {
  append(value: string): void;
}

/** Args: folder: where the files lie on a host that reads files itself (Node); left out in a browser. */
export async function bootPython(files: EngineFiles, folder?: string): Promise<PyodideAPI> {
  const lock = JSON.parse(new TextDecoder().decode(await files.read(LOCK))) as Lock;
  const names = Object.values(lock.packages).map((each) => each.file_name);
  const [python, wheels] = await Promise.all([
    started(files, lock, folder), // it compiles while the wheels are unpacked
    Promise.all(names.map(async (name) => [name, await files.read(name)] as const)),
  ]);
  install(python, wheels);
  return python;
}

async function started(files: EngineFiles, lock: Lock, folder?: string): Promise<PyodideAPI> {
  const options = { lockFileContents: lock as never, checkAPIVersion: true };
  if (folder) return loadPyodide({ ...options, indexURL: folder, packageBaseUrl: folder });
  const [module, stdlib] = await Promise.all([files.stream(MODULE), files.read(STDLIB)]);
  provide(MODULE, module.body);
  provide(STDLIB, stdlib);
  const here = { ...options, indexURL: ORIGIN, packageBaseUrl: ORIGIN, createPyodideModule };
  const python = await Promise.race([loadPyodide(here as never), module.failed]);
  withdraw(MODULE);
  withdraw(STDLIB);
  release(stdlib);
  return python;
}

/** Wheels lie as they are on Python's path, since what is unpacked is held twice; only compiled parts have to be files. */
function install(python: PyodideAPI, wheels: readonly (readonly [string, Uint8Array])[]): void {
  python.FS.mkdirTree(WHEELS);
  const path = python.pyimport("sys.path") as PyList;
  for (const [name, data] of wheels) {
    if (!name.endsWith("-none-any.whl")) {
      python.unpackArchive(data, "wheel");
      release(data);
      continue;
    }
    python.FS.writeFile(`${WHEELS}/${name}`, data, { canOwn: true });
    path.append(`${WHEELS}/${name}`);
  }
}
