// Updates from feeds, told in notices.
import { Notice } from "obsidian";
import type { Standing } from "../runtime/messages";
import { messageOf } from "./failures";
import type OkfEdgePlugin from "./main";
import { say } from "./words";

/** How every bundle of a feed stands there now; tells what is new, withdrawn or out of reach. */
export async function checkUpdates(plugin: OkfEdgePlugin): Promise<Standing[]> {
  const notice = new Notice(say("check-updates"), 0);
  try {
    const { bundles } = await plugin.engine.call("checkUpdates", {});
    new Notice(summary(bundles), 8000);
    return bundles;
  } catch (error) {
    new Notice(messageOf(error), 0);
    return [];
  } finally {
    notice.hide();
  }
}

export async function updateAll(plugin: OkfEdgePlugin): Promise<void> {
  const standings = await checkUpdates(plugin);
  const ids = standings.filter((each) => each.offered).map((each) => each.id);
  if (ids.length) await update(plugin, ids);
}

/** Bring bundles to what their feeds offer. False when that failed; it was told then. */
export async function update(plugin: OkfEdgePlugin, ids: string[]): Promise<boolean> {
  const notice = new Notice(say("update-all"), 0);
  try {
    const onProgress = ({ label }: { label: string }): void =>
      void notice.setMessage(say("installing", { step: label }));
    const { updated } = await plugin.engine.call("update", { ids }, { onProgress });
    for (const { bundle } of updated) new Notice(say("updated", { title: bundle.title, version: bundle.version }));
    return true;
  } catch (error) {
    new Notice(messageOf(error), 0);
    return false;
  } finally {
    notice.hide();
  }
}

function summary(standings: Standing[]): string {
  if (!standings.length) return say("no-feed");
  const lines = standings.filter((each) => each.offered || each.yanked || each.trouble).map(lineOf);
  return lines.length ? lines.join("\n") : say("no-updates");
}

function lineOf(standing: Standing): string {
  if (standing.yanked) return `${standing.id}: ${say("yanked", { reason: standing.yanked })}`;
  if (standing.offered) return `${standing.id}: ${say("update", { version: standing.offered })}`;
  return `${standing.id}: ${standing.trouble}`;
}
