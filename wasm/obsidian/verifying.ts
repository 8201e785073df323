// Comparing every file of every bundle with what its publisher made: by hash, without the engine.
import { Notice } from "obsidian";
import { LibraryError } from "./library";
import type OkfEdgePlugin from "./main";
import { say } from "./words";

export async function verifyAll(plugin: OkfEdgePlugin): Promise<void> {
  const notice = new Notice(say("verify-all"), 0);
  try {
    for (const line of await lines(plugin, notice)) new Notice(line, 0);
  } finally {
    notice.hide();
  }
}

async function lines(plugin: OkfEdgePlugin, notice: Notice): Promise<string[]> {
  try {
    const bundles = await plugin.library.list();
    const told = (_done: number, count: number): void => void notice.setMessage(say("verifying", { count }));
    const found: string[] = [];
    for (const bundle of bundles) {
      const { files, differences } = await plugin.library.check(bundle, told);
      const text = differences.length
        ? [say("verify-bad", { count: differences.length }), ...differences]
        : [say("verify-good", { count: files })];
      found.push(`${bundle.title}\n${text.join("\n")}`);
    }
    return found.length ? found : [say("no-bundles")];
  } catch (error) {
    if (error instanceof LibraryError) return [error.message];
    throw error;
  }
}
