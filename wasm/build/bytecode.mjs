// Compiles the Python of every archive in the first folder into the second, by the Python that will run it.

import { readFileSync } from "node:fs";
import { loadPyodide } from "pyodide";

const [, , source, target] = process.argv;
const python = await loadPyodide();
python.mountNodeFS("/source", source);
python.mountNodeFS("/target", target);
python.runPython(readFileSync(new URL("bytecode.py", import.meta.url), "utf8"));
python.globals.get("compile_archives")("/source", "/target");
