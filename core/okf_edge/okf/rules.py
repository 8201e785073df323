"""Every rule that a finding can carry: its stable id, what it breaks, where the specification says so, and the fix.

`error` breaks conformance (specification section 11); `advice` and `info` never do. `silent` marks what the
specification leaves open: there the severity is our decision.

Source: OKF v0.2.
"""

from __future__ import annotations

from dataclasses import dataclass

from okf_edge.okf.document import Diagnostic, Severity


@dataclass(frozen=True, slots=True)
class Rule:
    id: str
    severity: Severity
    section: str
    title: str
    fix: str
    silent: bool = False


_RULES = (
    # bundle
    Rule(
        "OKF-B01", "error", "3", "No markdown file: an empty directory is not a bundle", "Add a concept document.", True
    ),
    Rule(
        "OKF-B02",
        "info",
        "3.1",
        "The extension is not spelled `.md`, so this is no concept",
        "Rename it to `.md`.",
        True,
    ),
    Rule(
        "OKF-B03",
        "advice",
        "3.1",
        "A reserved name in other letters is an ordinary concept, and collides on case-insensitive disks",
        "Rename it to `index.md` or `log.md`, or to another name.",
        True,
    ),
    Rule("OKF-B04", "advice", "3", "Two paths differ only by case or Unicode form", "Rename one of them.", True),
    Rule(
        "OKF-B05", "advice", "3", "A note is not downloaded, only its placeholder is here", "Download it, then retry."
    ),
    # bytes
    Rule("OKF-D01", "error", "4", "The bytes are not UTF-8", "Save the file as UTF-8."),
    Rule("OKF-D02", "info", "4", "A byte order mark precedes the text", "Save as UTF-8 without BOM.", True),
    # frontmatter
    Rule("OKF-F01", "error", "11.1", "No frontmatter block", "Start the file with `---`, `type: …`, `---`."),
    Rule("OKF-F02", "error", "11.1", "The frontmatter is not valid YAML", "Quote the value, or correct the line."),
    Rule("OKF-F03", "error", "4", "The frontmatter is never closed", "Close it with a line of `---`."),
    Rule("OKF-F04", "error", "4.1", "The frontmatter is not a mapping of keys to values", "Write `key: value` lines."),
    Rule("OKF-F05", "advice", "4.1", "A key is written more than once", "Keep one of them.", True),
    Rule("OKF-F06", "error", "11.1", "A tab indents YAML", "Indent with spaces."),
    Rule(
        "OKF-F07",
        "advice",
        "4.1",
        "A wikilink is not quoted, so YAML reads a nested list",
        'Quote it: "[[Name]]".',
        True,
    ),
    Rule("OKF-F08", "advice", "4.1", "A template placeholder was never filled in", "Fill it in, or quote it.", True),
    Rule("OKF-F09", "error", "11.1", "The frontmatter nests or repeats itself beyond any use", "Flatten it.", True),
    # concept
    Rule("OKF-T01", "error", "11.2", "`type` is missing or empty", "Add `type: <kind of concept>`."),
    Rule("OKF-T02", "advice", "4.1", "`type` is a number or a boolean; read as its text", "Quote it.", True),
    Rule(
        "OKF-T03", "error", "4.1", "`type` is a list or a mapping, not a short string", "Write one short string.", True
    ),
    Rule("OKF-T04", "advice", "4.1", "`tags` is not a list of strings; read leniently", "Write `tags: [one, two]`."),
    Rule("OKF-T05", "advice", "4.1", "A text field holds something else", "Write one line of text."),
    # provenance and trust
    Rule("OKF-P01", "advice", "5.1", "`sources` is not a list of mappings", "Write `- resource: …` entries."),
    Rule("OKF-P02", "advice", "5.1", "A source has no `resource`", "Add `resource: <url or path>`."),
    Rule("OKF-P03", "advice", "5.1", "A footnote names no `sources[].id`", "Add the source, or correct the label."),
    Rule("OKF-P04", "info", "13.1", "`timestamp` is the v0.1 spelling", "Write `generated: { by, at }`."),
    Rule("OKF-P05", "info", "13.1", "A `# Citations` list is the v0.1 spelling", "Move it into `sources`."),
    Rule("OKF-P06", "advice", "5.2", "`generated` is not `{ by, at }` with an actor", "Add `by: <actor>`."),
    Rule(
        "OKF-P07", "advice", "5.2", "`verified` holds an entry without an actor; it is ignored", "Write `{ by, at }`."
    ),
    Rule(
        "OKF-P08",
        "advice",
        "7",
        "An actor is not `<producer>/<version>`, `human:<id>` or `process:<id>`",
        "Use one of the three forms.",
    ),
    Rule("OKF-P09", "advice", "5", "A timestamp is no ISO 8601 instant with offset", "Write `2026-06-30T14:00:00Z`."),
    # lifecycle
    Rule(
        "OKF-S01", "advice", "5.4", "`status` is none of draft, stable, deprecated; read as stable", "Use one of them."
    ),
    Rule("OKF-S02", "advice", "5.5", "`stale_after` has no UTC offset; it is ignored", "Add `Z` or an offset."),
    Rule("OKF-S03", "advice", "5.5", "`stale_after` is no instant; it is ignored", "Write `2026-09-23T00:00:00Z`."),
    Rule("OKF-S04", "info", "5.5", "`stale_after` is a bare date; read as midnight UTC", "Write the instant."),
    # links
    Rule("OKF-K01", "advice", "6.1", "A link has no target in this bundle", "Correct it, or write the concept."),
    Rule("OKF-K02", "advice", "6.1", "A name matches several files", "Link with the path.", True),
    Rule("OKF-K03", "advice", "6.1", "The target has no such heading or block", "Correct the anchor.", True),
    Rule("OKF-K04", "advice", "6.1", "A wikilink is no standard markdown link", "Write `[label](/path.md)`.", True),
    Rule("OKF-K05", "info", "6.2", "A relative path leads nowhere from its document", "Begin it with `/`.", True),
    Rule("OKF-K06", "advice", "6.2", "A path names no file of this bundle", "Correct the path."),
    # attested computations
    Rule("OKF-A01", "advice", "10.2", "An Attested Computation has no `runtime`", "Add `runtime: <name>`."),
    Rule("OKF-A02", "advice", "10.3", "Neither `computation` nor a fence under `# Computation`", "Add one of them."),
    Rule("OKF-A03", "advice", "10.3", "Both `computation` and a fence under `# Computation`", "Keep one of them."),
    Rule("OKF-A04", "advice", "10.2", "A parameter is not `{ name, type, required }`", "Name and type it."),
    # index.md
    Rule("OKF-I01", "error", "8", "An index.md below the root carries frontmatter", "Remove the frontmatter."),
    Rule("OKF-I02", "error", "8", "The root index.md carries more than `okf_version`", "Keep `okf_version` only."),
    Rule("OKF-I03", "advice", "12", "`okf_version` is not known here; read as well as possible", 'Write "0.2".'),
    Rule("OKF-I04", "advice", "8", "Entries stand under no heading", "Put a `# Heading` above them."),
    Rule("OKF-I05", "advice", "8", "A list item is not `* [Title](url) - description`", "Write a link first."),
    # log.md
    Rule("OKF-G01", "error", "9", "A date heading is not ISO 8601 YYYY-MM-DD", "Write `## 2026-05-22`."),
    Rule("OKF-G02", "advice", "9", "Dates are not newest first", "Sort them."),
    Rule("OKF-G03", "advice", "9", "log.md carries frontmatter", "Remove it.", True),
    Rule("OKF-G04", "advice", "9", "Entries stand under no date heading", "Put a `## YYYY-MM-DD` above them."),
)

RULES: dict[str, Rule] = {rule.id: rule for rule in _RULES}


def finding(rule_id: str, path: str, line: int | None = None, detail: str = "", fix: str = "") -> Diagnostic:
    """A diagnostic of one rule. `detail` says what was found here; `fix` replaces the rule's own advice."""
    rule = RULES[rule_id]
    message = f"{rule.title}: {detail}" if detail else rule.title
    return Diagnostic(rule_id, path, line, message, fix or rule.fix, rule.severity)
