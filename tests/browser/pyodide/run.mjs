// Runs suites inside Pyodide: pytest over the repository's own files, which are mounted. Prints one line of JSON.
// Arguments: the repository, wheels to unpack as JSON, arguments of pytest as JSON, `sample` or `whole`.
import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { loadPyodide } from "../../../wasm/node_modules/pyodide/pyodide.mjs";

const [, , repository, wheels, suites, whole] = process.argv;
const DIST = `${repository}/wasm/dist`;
const PKCS8_OF_ED25519 = Buffer.from("302e020100300506032b657004220420", "hex");

const bytes = (buffer) => new Uint8Array(buffer);
const keyOf = (seed) =>
  createPrivateKey({ key: Buffer.concat([PKCS8_OF_ED25519, seed]), format: "der", type: "pkcs8" });

const pyodide = await loadPyodide({ stdout: (line) => console.error(line) });
for (const wheel of JSON.parse(wheels)) {
  pyodide.unpackArchive(bytes(readFileSync(wheel)), "whl", { extractDir: "/wheels" });
}
const { Database } = await import(`${DIST}/testing/parts.mjs`);
pyodide.registerJsModule("okf_edge_host", {
  database: await Database.open(async (name) => bytes(readFileSync(`${DIST}/engine/${name}`))),
  publicKey: (seed) => bytes(createPublicKey(keyOf(seed)).export({ format: "der", type: "spki" }).subarray(-32)),
  sign: (seed, message) => bytes(sign(null, message, keyOf(seed))),
});
pyodide.FS.mkdir("/repository");
pyodide.mountNodeFS("/repository", repository);
pyodide.runPython(`import sys; sys.dont_write_bytecode = True
sys.path[:0] = ["/wheels"] + ["/repository/" + each for each in ("tests/browser/pyodide", "", "core", "wasm", "tests")]`);
console.log(pyodide.pyimport("suites").run(suites, whole === "whole"));
