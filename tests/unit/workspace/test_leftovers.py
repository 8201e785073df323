"""Other tools' leftovers are known by their names, and a note about a conflict is none of them."""

from __future__ import annotations

import pytest

from okf_edge.workspace.leftovers import is_conflict_copy


@pytest.mark.parametrize(
    "name",
    [
        "Plan (Ada's conflicted copy 2026-05-01).md",
        "Plan (conflicted copy 2026-05-01 101010).md",
        "Plan (Conflicted copy phone 202605011010).md",
        "Plan (case conflict 1).md",
        "Plan (SFConflict ada@example.org 2026-05-01-10-10-10).md",
        "Plan (In Konflikt stehende Kopie von Ada 2026-05-01).md",
        "Plan (Copie en conflit de Ada 2026-05-01).md",
        "Plan (Ada 的冲突副本 2026-05-01).md",
        "Plan (Ada の競合コピー 2026-05-01).md",
        "Plan.sync-conflict-20260501-101010-ABCDEFG.md",
        "Plan_conflict-20260501-101010.md",
        "Plan_laptop_May-01-1010-2026_Conflict.md",
    ],
)
def test_a_conflict_copy_is_known_by_its_name(name):
    assert is_conflict_copy(f"Notes/{name}")


@pytest.mark.parametrize(
    "name",
    [
        "Conflict resolution.md",
        "Git merge conflict.md",
        "冲突.md",
        "Trade conflict (1930).md",
        "Plan (Zielkonflikt).md",
        "sync-conflict.md",
    ],
)
def test_a_note_about_conflicts_is_a_note(name):
    assert not is_conflict_copy(f"Notes/{name}")
