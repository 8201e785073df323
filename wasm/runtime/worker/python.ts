// Python in the worker: Pyodide from local bytes, and the wheels that its generated lock file names with their hashes.

import createPyodideModule from "pyodide/pyodide.asm.mjs";
import { loadPyodide, type PyodideAPI } from "pyodide";
import { ORIGIN, provide, withdraw } from "./origin";

const LOCK = "pyodide-lock.json";
const BINARIES = ["pyodide.asm.wasm", "python_stdlib.zip"];

export type ReadAsset = (name: string) => Promise<Uint8Array>;

interface Lock {
  info: Record<string, string>;
  packages: Record<string, { file_name: string }>;
}

/** Args: folder: where the files lie on a host that reads files itself (Node); left out in a browser. */
export async function bootPython(read: ReadAsset, folder?: string): Promise<PyodideAPI> {
  const lock = JSON.parse(new TextDecoder().decode(await read(LOCK))) as Lock;
  const wheels = Object.values(lock.packages).map((each) => each.file_name);
  const indexURL = folder ?? ORIGIN;
  const options = {
    indexURL,
    packageBaseUrl: indexURL,
    lockFileContents: lock as never,
    checkAPIVersion: true,
    ...(folder ? {} : { createPyodideModule }),
  };
  const provided = async (names: string[]): Promise<void> => {
    if (!folder) await Promise.all(names.map(async (name) => provide(name, await read(name))));
  };
  const [python] = await Promise.all([
    provided(BINARIES).then(() => loadPyodide(options as never)), // it compiles while the wheels are unpacked
    provided(wheels),
  ]);
  await python.loadPackage(Object.keys(lock.packages), { checkIntegrity: false, messageCallback: () => undefined });
  for (const name of [...BINARIES, ...wheels]) withdraw(name);
  return python;
}
