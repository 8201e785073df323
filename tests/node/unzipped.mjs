// What fflate makes of the archives in a folder: a JSON object of the name of each archive to its files as Base64, or
// to null where it refuses.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";

const folder = process.argv[2];
const found = {};
for (const name of readdirSync(folder)) {
  try {
    const files = unzipSync(readFileSync(join(folder, name)));
    found[name] = Object.fromEntries(
      Object.entries(files)
        .filter(([path]) => !path.endsWith("/"))
        .map(([path, data]) => [path, Buffer.from(data).toString("base64")]),
    );
  } catch {
    found[name] = null;
  }
}
console.log(JSON.stringify(found));
