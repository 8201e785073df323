// Staleness and health of the vault, each finding a tap away from its page.
import { engineNotice } from "./engine_notice";
import { messageOf } from "./failures";
import { indexHere } from "./indexing";
import type OkfEdgePlugin from "./main";
import { openPage } from "./opening";
import { say } from "./words";

/** As `okf stale --json` prints it. */
interface Staleness {
  counts: { stale: number; uncooked: number; dangling: number };
  stale: { path: string; title: string; changed: { path: string }[] }[];
  uncooked: { path: string; title: string }[];
  dangling: { page: string; line: number; cited: string }[];
}

/** As `okf health --json` prints it. */
interface Health {
  score: number;
  checks: { good: number; total: number; words: string }[];
  findings: { path: string; line: number | null; message: string }[];
}

interface Row {
  path: string;
  text: string;
  line?: number;
}

const SHOWN_COUNT = 50;

export class UpkeepPane {
  constructor(
    private readonly plugin: OkfEdgePlugin,
    private readonly body: HTMLElement,
  ) {}

  async show(): Promise<void> {
    const presence = await this.plugin.engine.files.presence();
    if (presence.state !== "there") return engineNotice(this.body, this.plugin, presence);
    const status = this.body.createDiv({ cls: "okf-edge-status", text: say("looking"), attr: { role: "status" } });
    try {
      this.drawStale((await this.plugin.engine.call("stale", {})) as unknown as Staleness);
      this.drawHealth((await this.plugin.engine.call("health", {})) as unknown as Health);
      status.setText("");
      this.offerIndex();
    } catch (error) {
      status.setText(messageOf(error));
    }
  }

  private drawStale({ counts, stale, uncooked, dangling }: Staleness): void {
    if (!counts.stale) this.body.createEl("p", { text: say("nothing-stale") });
    const changed = (each: Staleness["stale"][number]): string => each.changed.map((source) => source.path).join(", ");
    this.section(
      "stale-count",
      counts.stale,
      stale.map((each) => ({ path: each.path, text: `${each.title}: ${changed(each)}` })),
    );
    const leads = dangling.map((each) => ({ path: each.page, text: each.cited, line: each.line }));
    this.section("dangling-count", counts.dangling, leads);
    this.section(
      "uncooked-count",
      counts.uncooked,
      uncooked.map((each) => ({ path: each.path, text: each.title })),
    );
  }

  private drawHealth({ score, checks, findings }: Health): void {
    this.body.createEl("h3", { text: say("health-score", { score }) });
    const list = this.body.createEl("ul", "okf-edge-findings");
    for (const { good, total, words } of checks) list.createEl("li", { text: `${good}/${total} ${words}` });
    this.rows(findings.map(({ path, line, message }) => ({ path, text: message, ...(line ? { line } : {}) })));
  }

  private section(key: "stale-count" | "dangling-count" | "uncooked-count", count: number, rows: Row[]): void {
    if (!count) return;
    const section = this.body.createEl("details", {
      cls: "okf-edge-why",
      attr: { open: key === "stale-count" || null },
    });
    section.createEl("summary", { text: say(key, { count }) });
    this.rows(rows, section);
  }

  private rows(rows: Row[], parent: HTMLElement = this.body): void {
    const list = parent.createEl("ul", "okf-edge-places");
    for (const { path, text, line } of rows.slice(0, SHOWN_COUNT)) {
      const button = list.createEl("li").createEl("button", { cls: "okf-edge-row", attr: { type: "button" } });
      button.createDiv({ text });
      button.createDiv({ cls: "okf-edge-quiet", text: path });
      button.addEventListener("click", () => void openPage(this.plugin.app, path, line && line - 1));
    }
  }

  private offerIndex(): void {
    const actions = this.body.createDiv("okf-edge-actions");
    const button = actions.createEl("button", { text: say("index-now"), attr: { type: "button" } });
    button.addEventListener("click", () => void indexHere(this.plugin));
  }
}
