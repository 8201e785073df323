// Keeping `Library/` out of graph, search and quick switcher: by the app's own list of excluded files.
import type { Vault } from "obsidian";

const LIBRARY = "Library/";
const KEY = "userIgnoreFilters";

export async function isLibraryExcluded(vault: Vault): Promise<boolean> {
  return excludedIn(await configText(vault)).includes(LIBRARY);
}

/** Add the library to the excluded files, or take it out; everything else in the file stays as it is. */
export async function excludeLibrary(vault: Vault, excluded: boolean): Promise<void> {
  const path = configPath(vault);
  if (!(await vault.adapter.exists(path))) await vault.adapter.write(path, "{}");
  await vault.adapter.process(path, (text) => changed(text, excluded));
}

function changed(text: string, excluded: boolean): string {
  const others = excludedIn(text).filter((each) => each !== LIBRARY);
  const config = configOf(text);
  return JSON.stringify({ ...config, [KEY]: excluded ? [...others, LIBRARY] : others }, null, 2);
}

function excludedIn(text: string): string[] {
  const filters = configOf(text)[KEY];
  return Array.isArray(filters) ? filters.map(String) : [];
}

function configOf(text: string): Record<string, unknown> {
  return JSON.parse(text || "{}") as Record<string, unknown>;
}

async function configText(vault: Vault): Promise<string> {
  const path = configPath(vault);
  return (await vault.adapter.exists(path)) ? vault.adapter.read(path) : "{}";
}

const configPath = (vault: Vault): string => `${vault.configDir}/app.json`;
