"""`okf publish` of a reviewed base, to a folder and to GitHub, from review to rollback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from github_stand_in import TOKEN, StandIn, standing_in
from tests.e2e.conftest import Run, snapshot

ID = "ada.weir"
PAGES = {
    "concepts/weir.md": "---\ntype: Concept\ntitle: Weir\n---\n\nIt turns. Write to ada@weirworks.com. See [[gate]].\n",
    "concepts/gate.md": "---\ntype: Concept\ntitle: Gate\n---\n\nThe gate opens at dawn.\n",
    "Notes/secret.md": "Nobody reads this.\n",
}


@pytest.fixture
def github() -> Iterator[StandIn]:
    with standing_in() as state:
        yield state


@pytest.fixture
def base(okf: Run, tmp_path: Path) -> Path:
    """A base whose pages were approved."""
    folder = tmp_path / "base"
    for path, text in PAGES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    assert okf("init", folder).code == 0
    approve(okf, folder)
    return folder


def approve(okf: Run, base: Path) -> None:
    listed = okf("review", "weir", "--id", ID, "--dir", base, "--list", "--json").json
    risks = [each["id"] for item in listed["items"] for each in item["risks"] if each["severity"] == "blocking"]
    accepted = [word for each in risks for word in ("--accept", f"{each}=it is public")]
    items = [word for each in listed["items"] for word in ("--approve", each["id"])]
    done = okf("review", "weir", "--id", ID, "--dir", base, *items, *accepted, "--reviewer", "ada")
    assert done.code == 0, done.out + done.err


@pytest.fixture
def shelf(okf: Run, tmp_path: Path) -> Path:
    assert okf("feed", "init", "shelf").code == 0
    assert okf("feed", "add-creator", "shelf", "ada").code == 0
    return tmp_path / "shelf"


def published(okf: Run, base: Path, to: str, version: str, *more: str, **options):
    return okf(
        "publish", "weir", "--id", ID, "--dir", base, "--to", to, "--version", version, *more, "--json", **options
    )


def test_a_reviewed_base_is_published_read_updated_and_rolled_back(okf, base, shelf, tmp_path):
    first = published(okf, base, "shelf", "1.0.0", "--licence", "CC0-1.0", "--needs", "ada.terms@^1")
    assert first.code == 0, first.err
    assert first.json["outcome"] == "done"
    assert {each["path"] for each in first.json["files"]} >= {"concepts/weir.md", "concepts/gate.md", "log.md"}
    assert first.json["dependencies"] == [{"id": "ada.terms", "version": "^1"}]
    (tmp_path / "terms").mkdir()
    (tmp_path / "terms/t.md").write_text("---\ntype: Term\ntitle: Weir\n---\n\nA dam.\n")
    assert okf("publish", "terms", "--id", "ada.terms", "--version", "1.2.0", "--to", "shelf").code == 0
    (base / "concepts/gate.md").write_text(PAGES["concepts/gate.md"] + "\nAnd closes at dusk.\n")
    refused = published(okf, base, "shelf", "1.1.0")
    assert (refused.code, refused.error["code"]) == (1, "review-required")
    approve(okf, base)
    assert published(okf, base, "shelf", "1.1.0").json["outcome"] == "done"
    (tmp_path / "reader").mkdir()
    okf("init", "reader")
    okf("feed", "trust", "shelf", "--dir", "reader")
    done = okf("install", f"{ID}@1.0.0", "--feed", "--dir", "reader", "--json").json
    assert [each["id"] for each in done["needed"]] == ["ada.terms"]
    assert okf("update", "--all", "--dir", "reader").code == 0
    log = (tmp_path / f"reader/Library/{ID}/log.md").read_text()
    assert "Gate" in log
    assert okf("rollback", ID, "--dir", "reader", "--json").json["bundle"]["version"] == "1.0.0"


def test_where_a_version_went_is_kept_beside_its_review(okf, base, shelf):
    hint = okf("review", "--id", ID, "--dir", base, "--list").out
    assert f"okf publish --id {ID} --version 1.0.0" in hint
    done = published(okf, base, "shelf", "1.0.0").json
    assert published(okf, base, "shelf", "1.0.0", "--dry-run").code == 0
    assert published(okf, base, "shelf", "1.0.0").json["outcome"] == "unchanged"
    listed = okf("review", "--id", ID, "--dir", base, "--list", "--json").json
    [receipt] = listed["publications"]
    assert (receipt["version"], receipt["feed"], receipt["outcome"]) == ("1.0.0", "shelf", "done")
    assert (receipt["sha256"], f"sha256:{receipt['root']}") == (done["sha256"], done["root"])
    shown = okf("review", "--id", ID, "--dir", base, "--list").out
    assert "published 1.0.0 to shelf" in shown
    assert f"okf publish --id {ID} --version 1.1.0" in shown


def test_a_dry_run_shows_all_that_would_leave_and_changes_nothing_anywhere(okf, base, shelf):
    before = snapshot(base), snapshot(shelf)
    shown = published(okf, base, "shelf", "1.0.0", "--dry-run")
    assert (snapshot(base), snapshot(shelf)) == before
    assert shown.json["dry_run"] is True
    assert [each["severity"] for each in shown.json["risks"]]
    done = published(okf, base, "shelf", "1.0.0")
    assert done.json["files"] == shown.json["files"] or done.json["content_digest"] == shown.json["content_digest"]
    text = okf("publish", "weir", "--id", ID, "--dir", base, "--to", "shelf", "--version", "1.0.1", "--dry-run").out
    assert "concepts/weir.md" in text
    assert "secret" not in text


def test_publishing_a_version_again_finishes_or_changes_nothing(okf, base, shelf):
    first = published(okf, base, "shelf", "1.0.0").json
    again = published(okf, base, "shelf", "1.0.0").json
    assert (first["outcome"], again["outcome"]) == ("done", "unchanged")
    assert (again["sha256"], again["written"]) == (first["sha256"], [])
    (shelf / "metadata/timestamp.json").unlink()
    assert published(okf, base, "shelf", "1.0.0").json["outcome"] == "done"


def test_what_a_feed_refuses_is_no_release_of_the_base(okf, base, tmp_path):
    okf("feed", "init", "closed")
    refused = published(okf, base, "closed", "1.0.0")
    assert refused.error["code"] == "unknown-creator"
    assert json.loads((base / f".okf/reviews/{ID}.json").read_text())["releases"] == []


def test_an_unreviewed_page_is_never_published(okf, base, shelf):
    refused = okf("publish", "secret", "--dir", base, "--to", "shelf", "--version", "1.0.0", "--json")
    assert (refused.code, refused.error["code"]) == (1, "review-required")
    assert not (shelf / "targets").exists()


# --- GitHub ----------------------------------------------------------------------------------------------------------


def at(github: StandIn, token: str = TOKEN) -> dict[str, str]:
    return {"OKF_GITHUB_API": github.api, "GH_TOKEN": token, "no_proxy": "127.0.0.1,localhost"}


def test_a_feed_in_a_private_repository_serves_those_who_may_read_it(okf, base, github, tmp_path):
    env = at(github)
    made = okf("feed", "init", "github:ada/feed", "--json", env=env)
    assert made.code == 0, made.err
    assert github.repos["ada/feed"].private
    assert okf("feed", "add-creator", "github:ada/feed", "ada", env=env).code == 0
    done = published(okf, base, "github:ada/feed", "1.0.0", env=env)
    assert (done.code, done.json["audience"]) == (0, "private"), done.err
    (tmp_path / "reader").mkdir()
    okf("init", "reader")
    stranger = okf("feed", "trust", "github:ada/feed", "--dir", "reader", "--json", env=at(github, ""))
    assert (stranger.code, stranger.error["code"]) == (2, "not-found")
    assert okf("feed", "trust", "github:ada/feed", "--dir", "reader", env=env).code == 0
    installed = okf("install", ID, "--feed", "--dir", "reader", "--json", env=env)
    assert installed.json["bundle"]["signer"] == "ada"
    kept = b"".join(snapshot(tmp_path / "reader").values()) + b"".join(snapshot(tmp_path / "home").values())
    assert TOKEN.encode() not in kept
    assert {each.authorization for each in github.seen if each.host == "localhost"} == {""}


def test_a_public_repository_asks_again_for_every_risk(okf, base, github):
    env = at(github)
    github.repo("ada/feed", private=False)
    okf("feed", "init", "github:ada/feed", env=env)
    okf("feed", "add-creator", "github:ada/feed", "ada", env=env)
    before = len(github.repos["ada/feed"].releases)
    dry = published(okf, base, "github:ada/feed", "1.0.0", "--dry-run", env=env).json
    assert dry["audience"] == "public"
    assert dry["unsettled"], "the review's acceptance does not count for everybody"
    accepted = [word for each in dry["unsettled"] for word in ("--accept", f"{each}=on the web already")]
    for some in ([], ["--public"], accepted):
        refused = published(okf, base, "github:ada/feed", "1.0.0", *some, env=env)
        assert (refused.code, refused.error["code"]) == (1, "public-target")
    assert len(github.repos["ada/feed"].releases) == before
    done = published(okf, base, "github:ada/feed", "1.0.0", "--public", *accepted, env=env)
    assert done.code == 0, done.err


def test_a_source_archive_of_a_repository_is_installed_as_unsigned(okf, github, tmp_path):
    import io
    import zipfile

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("ada-notes-1a2b3c4/README.md", "# Notes\n")
        archive.writestr("ada-notes-1a2b3c4/tides.md", "---\ntype: Note\ntitle: Tides\n---\n\nHigh at noon.\n")
        archive.writestr("ada-notes-1a2b3c4/.github/workflows/run.yml", "on: push\n")
    github.repo("ada/notes").zipballs[""] = packed.getvalue()
    (tmp_path / "reader").mkdir()
    okf("init", "reader")
    done = okf("install", "github:ada/notes", "--accept-nonconformant", "--dir", "reader", "--json", env=at(github))
    assert done.code == 0, done.err
    assert done.json["bundle"]["signature"] == "absent"
    assert not [path for path in snapshot(tmp_path / "reader/Library") if ".github" in path]
