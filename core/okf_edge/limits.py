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

    state_file_bytes: int = 4 * 1024 * 1024
    """One of our own state files. A registry of 10,000 bundles is 2 MB."""

    question_chars: int = 20_000
    """One question. A pasted page is a question too; a pasted book is a mistake, and tokenising it stalls a phone."""

    question_terms_count: int = 48
    """Index terms that a question is searched by, the most telling first. Each is one branch of the query; more adds
    cost in proportion and, beyond a paragraph, no quality."""

    answer_candidates_count: int = 100
    """Places in one answer. Nobody reads more, and each one costs reading a file."""

    evidence_chars: int = 4_000
    """Quoted text of one place. A chunk is about 1,000 characters; a table or fence that can't be split may be large."""


LIMITS = Limits()
