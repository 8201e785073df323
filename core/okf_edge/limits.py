"""Every limit of okf-edge, in one place: name, unit, reason.

A limit guards against content that would cost a host its memory, disk or time; none is a policy. Units are in the
names: `_bytes`, `_count`, `_seconds`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits, with their defaults. Tests and constrained hosts make their own."""

    note_bytes: int = 16 * 1024 * 1024
    """One markdown file. The largest curated notes are below 1 MB; more is a dump, and parsing it stalls a phone."""

    yaml_depth: int = 48
    """Collections inside collections in frontmatter. People nest three deep; parsers slow down or overflow deeper."""

    yaml_extra_values: int = 10_000
    """Values that aliases in one frontmatter block may add to those it spells out. Ten lines can make a billion."""

    yaml_repairs_count: int = 300
    """Values of one frontmatter block that are tried again in repaired form. Each costs a parse; people break a few."""

    state_file_bytes: int = 4 * 1024 * 1024
    """One of our own state files. A registry of 10,000 bundles is 2 MB."""

    facts_bytes: int = 128 * 1024 * 1024
    """What reports keep of all pages of a folder. 10,000 pages with ten links each are 15 MB; larger is made anew."""

    question_chars: int = 20_000
    """One question. A pasted page is a question too; a pasted book is a mistake, and tokenising it stalls a phone."""

    question_terms_count: int = 48
    """Index terms that a question is searched by, the most telling first. Each is one branch of the query; more adds
    cost in proportion and, beyond a paragraph, no quality."""

    answer_candidates_count: int = 100
    """Places in one answer. Nobody reads more, and each one costs reading a file."""

    evidence_chars: int = 4_000
    """Quoted text of one place. A chunk is about 1,000 characters; a table or fence that can't be split is larger."""

    archive_bytes: int = 256 * 1024 * 1024
    """One bundle archive as it travels. It is held in memory while it is verified; a WebView has little more."""

    archive_entries_count: int = 20_000
    """Entries of one archive. The largest public vaults have 7,000 notes; each entry costs a file operation."""

    archive_file_bytes: int = 48 * 1024 * 1024
    """One file inside an archive, unpacked. An index of 40,000 chunks is 48 MB; a file is held whole to be written."""

    archive_total_bytes: int = 512 * 1024 * 1024
    """All files of one archive, unpacked: what an installation may cost a disk."""

    archive_ratio: int = 100
    """Unpacked over packed size, of a file or archive above `archive_ratio_floor_bytes`. Prose reaches 5, tables 20;
    deflate's own ceiling is 1,032, which only a bomb comes near."""

    archive_ratio_floor_bytes: int = 1024 * 1024
    """Below this size no ratio is taken: a small file of one repeated letter is odd, not dangerous."""

    path_chars: int = 200
    """One path inside a bundle. Windows stops at 260 with the vault's own folder in front."""

    path_segment_bytes: int = 240
    """One name in a path, in UTF-8 bytes. File systems stop at 255, and writers append suffixes."""

    path_depth_count: int = 32
    """Folders in a path. Deeper trees are made by accident or to hurt recursive code."""

    manifest_bytes: int = 8 * 1024 * 1024
    """A bundle's manifest. 20,000 files with hashes are 4 MB."""

    feed_root_bytes: int = 512_000
    """One root of a feed. The sizes and the number of rotations are those of the TUF reference client."""

    feed_timestamp_bytes: int = 16_384
    """A feed's timestamp, fetched at each check."""

    feed_snapshot_bytes: int = 2_000_000
    """A feed's snapshot, one line a creator."""

    feed_targets_bytes: int = 5_000_000
    """The releases of one creator, or the creators of a feed: 6,000 releases are 5 MB."""

    feed_fetches_count: int = 8
    """Creators of a feed that are fetched at once. A browser opens six connections to a host; servers count on it."""

    feed_rotations_count: int = 256
    """Roots followed in one check. A feed that rotates daily and is visited yearly needs more, and a new pin."""

    feed_dependencies_count: int = 200
    """Bundles that one bundle needs, and those need. More is a mistake, or made to keep a device busy."""

    http_connect_seconds: float = 10.0
    """Until a server takes the connection. Mobile networks need a few seconds."""

    http_silence_seconds: float = 30.0
    """Between two parts of an answer; a server that dribbles is stopped by the total."""

    http_total_seconds: float = 600.0
    """One download from start to end: the largest bundle over a slow line."""

    http_redirects_count: int = 5
    """Release hosts use two or three; more is a loop."""

    http_part_bytes: int = 64 * 1024
    """How much of an answer is held before its limit is checked again."""

    github_answer_bytes: int = 32 * 1024 * 1024
    """One answer of GitHub's API: a listing of 100,000 files is 30 MB."""

    github_wait_seconds: int = 60
    """How long a limit of GitHub's is waited for: its secondary limits end within a minute."""

    github_waits_count: int = 3
    """How often a limit is waited for before it is told."""

    github_conflicts_count: int = 8
    """How often a write is made again that met another commit of its branch."""

    github_pages_count: int = 100
    """Pages of releases that are listed, each of a hundred: more than GitHub keeps."""

    call_bytes: int = 1024 * 1024
    """One call of a tool as it arrives. A captured page is below 100 KB; parsing more costs many callers at once."""

    json_depth: int = 64
    """Collections inside collections in a JSON file. Ours nest six deep; a parser in a browser overflows its stack."""

    call_depth: int = 32
    """Collections inside collections in a call. Tools nest three deep; parsers slow down or overflow deeper."""

    result_bytes: int = 1024 * 1024
    """One result of a tool as it leaves. It is far beyond what a model can read, so more is a mistake."""

    result_tokens: int = 50_000
    """What a caller may ask for in one result: a quarter of a large model's context."""

    capture_chars: int = 400_000
    """One captured text: a book's chapter. It fits a call, and more is a file rather than a thought."""

    path_rules_count: int = 200
    """Path rules of one token. Each is tried on each path of a base."""

    path_rule_chars: int = 512
    """One path rule. A longer one is a list, and belongs in several."""

    callers_count: int = 10_000
    """Callers whose rate is remembered at once. Each costs a few hundred bytes."""

    confirmation_seconds: float = 300.0
    """How long a confirmation holds: a person reads, decides and answers."""

    call_seconds: float = 50.0
    """One call of a tool over a network, run. Clients stop waiting after a minute; what takes longer is an index that
    is built first, or a source that does not answer."""

    claim_seconds: float = 60.0
    """After which a call that began and never ended counts as dead. Tools that write end in seconds."""

    idempotency_seconds: float = 86_400.0
    """How long a call's key is remembered. Clients retry within minutes, and a night offline is a day."""

    http_idle_seconds: float = 30.0
    """Until a client has sent its request whole; one that dribbles holds a place that others need."""

    keys_bytes: int = 256 * 1024
    """A document of a token issuer: its metadata or its keys. Large ones have 20 KB."""

    keys_count: int = 100
    """Signing keys of an issuer that are looked at; issuers have two or three."""

    keys_seconds: float = 3600.0
    """How long an issuer's keys are believed: a key that was withdrawn stops working within it."""

    keys_pause_seconds: float = 30.0
    """Between two fetches of keys: tokens that name keys that nobody has cause no more traffic than that."""

    keys_fetch_seconds: float = 10.0
    """Until an issuer has answered; its callers wait."""

    clock_skew_seconds: float = 30.0
    """By which the clock of an issuer may differ from ours."""

    subject_chars: int = 200
    """The name of a caller in a token; it goes into every line of the log."""

    http_requests_count: int = 200
    """Requests that one server works on at once. More queue up in memory and none gets faster."""

    service_answer_bytes: int = 6 * 1024 * 1024
    """One JSON answer of a service: what a function may answer with."""

    service_wait_seconds: float = 180.0
    """Until a service has taken a publication in. Verifying and indexing the largest bundle takes a minute."""

    service_pause_seconds: float = 0.5
    """Before a service is asked again whether a publication is in; it doubles up to ten times this."""


LIMITS = Limits()
