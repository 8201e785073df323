// Indexing the person's own notes on this device: in slices, told as it goes, and cancelled by a tap.
import { Notice } from "obsidian";
import { isCancelled, messageOf } from "./failures";
import type OkfEdgePlugin from "./main";
import { say } from "./words";

export async function indexHere(plugin: OkfEdgePlugin): Promise<void> {
  const cancel = new AbortController();
  const notice = new Notice(say("index-now"), 0);
  notice.messageEl.addEventListener("click", () => {
    cancel.abort();
  });
  const onProgress = ({ done, total }: { done: number; total: number | null }): void =>
    void notice.setMessage(say("indexing", { done, total: total ?? "?" }));
  try {
    const status = await plugin.engine.call("index", {}, { signal: cancel.signal, onProgress });
    new Notice(say("indexed", { count: status.concepts }));
  } catch (error) {
    if (!isCancelled(error)) new Notice(messageOf(error), 0);
  } finally {
    notice.hide();
  }
}
