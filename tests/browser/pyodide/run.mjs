// Runs suites inside Pyodide: pytest over the repository's own files, which are mounted. Prints one line of JSON.
// Arguments: the repository, wheels to unpack as JSON, arguments of pytest as JSON.
import { readFileSync } from "node:fs";
import { loadPyodide } from "../../../wasm/node_modules/pyodide/pyodide.mjs";

const [, , repository, wheels, suites] = process.argv;
const pyodide = await loadPyodide({ stdout: (line) => console.error(line) });
for (const wheel of JSON.parse(wheels)) {
  pyodide.unpackArchive(new Uint8Array(readFileSync(wheel)), "whl", { extractDir: "/wheels" });
}
pyodide.FS.mkdir("/repository");
pyodide.mountNodeFS("/repository", repository);
pyodide.runPython(`import sys; sys.dont_write_bytecode = True
sys.path[:0] = ["/wheels", "/repository", "/repository/core", "/repository/tests"]`);
pyodide.runPython(readFileSync(new URL("suites.py", import.meta.url), "utf8"), { filename: "suites.py" });
console.log(pyodide.globals.get("run")(suites));
