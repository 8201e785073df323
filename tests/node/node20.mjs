// The conformance suite imports `globSync`, which Node has from 22 on and which it needs for no run against a server.
// On an older Node it gets one that finds nothing.
import { register } from "node:module";
import * as fs from "node:fs";

if (!("globSync" in fs)) {
  const shim = 'export * from "node:fs"; export { default } from "node:fs"; export const globSync = () => [];';
  const url = `data:text/javascript,${encodeURIComponent(shim)}`;
  const hook = `export const resolve = (name, context, next) =>
    name === "fs" && context.parentURL?.includes("/@modelcontextprotocol/conformance/")
      ? { url: ${JSON.stringify(url)}, shortCircuit: true }
      : next(name, context);`;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
}
