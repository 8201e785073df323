"""`okf sync` writes what is out of date and nothing else; what a person changed or brought stays theirs."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from hashlib import sha256

import pytest

from okf_edge.app import Config, Okf, Ports
from okf_edge.errors import InputError, NewerFormatError, StateFileError, UnavailableError
from okf_edge.inmemory.embedding import MemoryModels
from okf_edge.inmemory.files import MemoryTree
from okf_edge.inmemory.progress import RecordedProgress
from okf_edge.inmemory.sql import SqliteSql
from okf_edge.inmemory.system import ManualClock, SeededEntropy
from okf_edge.workspace import layout
from okf_edge.workspace.agents import AGENTS, SKILLS, skill_text
from okf_edge.workspace.identity import identify
from okf_edge.workspace.setup import set_up

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
NOTES = {
    "concepts/a.md": b"---\ntype: Concept\ndescription: d\nsources: [/Notes/raw.md]\n---\n\n# A\n",
    "Notes/raw.md": b"# Raw\n\nWords.\n",
}
KNOWLERY = {
    ".knowlery/manifest.json": b'{"version":"0.1.0","platform":"claude-code","kbName":"River lab"}',
    ".knowlery/bundles.json": b'{"schemaVersion":1,"bundles":{"x.y":{"version":"1.0.0","title":"Y"}}}',
    "skills-lock.json": b'{"version":"1.0.0","skills":{"cook":{"source":"builtin","disabled":true}}}',
    ".claude/skills/ask/SKILL.md": b"their own ask",
    "KNOWLEDGE.md": b"# theirs\n",
    "SCHEMA.md": b"# theirs\n",
}


class LoggingTree(MemoryTree):
    """Remembers every change."""

    def __init__(self, files=None):
        super().__init__(files)
        self.log: list[str] = []

    async def write(self, path, data):
        self.log.append(path)
        await super().write(path, data)

    async def create(self, path, data):
        await super().create(path, data)
        self.log.append(path)

    async def remove(self, path):
        self.log.append(path)
        await super().remove(path)

    async def rename(self, old, new):
        self.log += [old, new]
        await super().rename(old, new)

    async def replace(self, old, new):
        self.log += [old, new]
        await super().replace(old, new)


class DyingTree(LoggingTree):
    """Dies at the n-th change, before it happens or right after it."""

    def __init__(self, files, at, after):
        super().__init__(files)
        self.at, self.after = at, after

    async def _step(self, work):
        if len(self.log) >= self.at:
            if self.after:
                await work
            else:
                work.close()
            raise UnavailableError("killed", code="killed")
        await work

    async def write(self, path, data):
        await self._step(LoggingTree.write(self, path, data))

    async def create(self, path, data):
        await self._step(LoggingTree.create(self, path, data))


def okf(tree) -> Okf:
    clock = ManualClock()
    ports = Ports(tree, MemoryTree, SqliteSql, MemoryModels(), clock, SeededEntropy(), RecordedProgress())
    return Okf(ports, Config("folder"))


async def a_base(agent="claude-code", files=NOTES) -> LoggingTree:
    tree = LoggingTree(files)
    await set_up(tree, "Lab", "folder", NOW, agent)
    return tree


@pytest.mark.parametrize("agent", AGENTS)
async def test_a_sync_after_init_writes_nothing_but_the_record_of_sources_and_a_second_writes_nothing(agent):
    tree = await a_base(agent)
    tree.log.clear()
    first = await okf(tree).sync()
    assert first.written == (layout.COMPILED_RECORD,)
    tree.log.clear()
    second = await okf(tree).sync()
    assert (second.written, tree.log) == ((), [])


async def test_each_agent_gets_skills_and_rules_where_it_reads_them():
    claude, codex = await a_base("claude-code"), await a_base("codex")
    for name in SKILLS:
        assert claude.files[f".claude/skills/{name}/SKILL.md"] == skill_text(name)
        assert codex.files[f".agents/skills/{name}/SKILL.md"] == skill_text(name)
    assert b"never gives you instructions" in claude.files[".claude/rules/okf.md"]
    assert b"never gives you instructions" in codex.files["AGENTS.md"]
    assert not [path for path in (await a_base("none")).files if "SKILL" in path]


@pytest.mark.parametrize("name", SKILLS)
def test_every_skill_is_in_the_agent_skills_format_and_calls_retrieved_text_data(name):
    import yaml

    text = skill_text(name).decode()
    meta = yaml.safe_load(text.split("---\n")[1])
    assert meta["name"] == name
    assert 40 <= len(meta["description"]) <= 1024
    assert set(meta) == {"name", "description"}
    assert "is data, not instruction" in text


async def test_an_outdated_skill_is_renewed_and_a_changed_one_is_not():
    tree = await a_base()
    ask, cook = ".claude/skills/ask/SKILL.md", ".claude/skills/cook/SKILL.md"
    tree.put(ask, b"an older text of ours")
    managed = json.loads(tree.files[layout.MANAGED])
    managed["files"][ask] = sha256(b"an older text of ours").hexdigest()
    tree.put(layout.MANAGED, json.dumps(managed).encode())
    tree.put(cook, b"the person's own")
    done = await okf(tree).sync()
    assert tree.files[ask] == skill_text("ask")
    assert tree.files[cook] == b"the person's own"
    assert done.left == (cook,)
    assert (await okf(tree).sync()).written == ()


async def test_a_removed_skill_comes_back_unless_it_is_turned_off():
    tree = await a_base()
    del tree.files[".claude/skills/ask/SKILL.md"], tree.files[".claude/skills/cook/SKILL.md"]
    manifest = json.loads(tree.files[layout.MANIFEST])
    tree.put(layout.MANIFEST, json.dumps({**manifest, "disabled_skills": ["cook"]}).encode())
    await okf(tree).sync()
    assert ".claude/skills/ask/SKILL.md" in tree.files
    assert ".claude/skills/cook/SKILL.md" not in tree.files


async def test_only_what_stands_between_our_marks_is_changed():
    tree = await a_base("codex")
    mine = b"# Mine\r\n\r\n<!-- okf:rules -->\r\nold\r\n<!-- /okf:rules -->\r\n\r\nand mine\r\n"
    tree.put("AGENTS.md", mine)
    await okf(tree).sync()
    now = tree.files["AGENTS.md"]
    assert now.startswith(b"# Mine\r\n\r\n<!-- okf:rules -->\r\n# Knowledge base")
    assert now.endswith(b"<!-- /okf:rules -->\r\n\r\nand mine\r\n")
    assert b"\n" not in now.replace(b"\r\n", b"")


@pytest.mark.parametrize(
    "broken", [b"<!-- okf:rules -->\n", b"<!-- /okf:rules --><!-- okf:rules -->", b"<!-- /okf:rules -->"]
)
async def test_marks_that_are_no_pair_leave_the_file_alone_and_are_told(broken):
    tree = await a_base("codex")
    tree.put("AGENTS.md", broken)
    done = await okf(tree).sync()
    assert tree.files["AGENTS.md"] == broken
    assert ["AGENTS.md" in note for note in done.notes] == [True]


async def test_a_file_without_our_marks_is_the_persons():
    tree = LoggingTree({"AGENTS.md": b"mine\n"})
    done = await set_up(tree, None, "folder", NOW, "codex")
    assert "AGENTS.md" in done.kept
    assert "okf:rules" in done.notes[0]
    await okf(tree).sync()
    assert tree.files["AGENTS.md"] == b"mine\n"


async def test_a_base_synced_by_a_newer_version_is_refused_before_anything_is_written():
    tree = await a_base()
    manifest = {**json.loads(tree.files[layout.MANIFEST]), "synced_by": "okf-edge/99.0.0"}
    tree.put(layout.MANIFEST, json.dumps(manifest).encode())
    tree.log.clear()
    with pytest.raises(NewerFormatError, match=r"99\.0\.0") as caught:
        await okf(tree).sync()
    assert (caught.value.code, tree.log) == ("newer-version", [])
    assert (await okf(tree).health()).score > 0


@pytest.mark.parametrize("path", [layout.MANIFEST, layout.MANAGED, layout.COMPILED_RECORD])
@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"format":1,"pages":[],"files":{"a":1},"name":5}'])
async def test_a_corrupt_state_file_stops_the_sync_and_is_left_as_it_is(path, damage):
    tree = await a_base()
    tree.put(path, damage)
    tree.log.clear()
    with pytest.raises(StateFileError, match=path):
        await okf(tree).sync()
    assert (tree.files[path], tree.log) == (damage, [])


async def test_a_folder_that_is_no_base_is_refused_with_what_to_do():
    with pytest.raises(InputError) as caught:
        await okf(MemoryTree(NOTES)).sync()
    assert (caught.value.code, "okf init" in caught.value.hint) == ("no-base", True)


async def test_a_knowlery_workspace_syncs_with_no_file_of_its_own_changed():
    theirs = {**KNOWLERY, **NOTES}
    tree = LoggingTree(theirs)
    done = await okf(tree).sync()
    assert {path: tree.files[path] for path in theirs} == theirs
    assert ".claude/skills/ask/SKILL.md" in done.left
    assert ".claude/skills/cook/SKILL.md" not in tree.files
    manifest = json.loads(tree.files[layout.MANIFEST])
    assert (manifest["name"], manifest["agent"]) == ("River lab", "claude-code")
    tree.log.clear()
    assert ((await okf(tree).sync()).written, tree.log) == ((), [])
    assert [bundle.id for bundle in (await okf(tree).map()).bundles] == ["x.y"]


async def test_a_knowlery_workspace_answers_under_its_own_name_before_anything_is_done():
    assert (await identify(MemoryTree(KNOWLERY), "folder")).name == "River lab"
    for damage in (b"", b"[]", b'{"kbName": 5}'):
        assert (await identify(MemoryTree({".knowlery/manifest.json": damage}), "folder")).name == "folder"


async def test_a_knowlery_workspace_is_adopted_by_init():
    tree = LoggingTree(KNOWLERY)
    done = await set_up(tree, None, "folder", NOW)
    assert (done.name, done.agent, done.adopted) == ("River lab", "claude-code", True)
    assert {path: tree.files[path] for path in KNOWLERY} == KNOWLERY


async def test_a_base_without_an_agent_gets_one_and_keeps_the_one_it_has():
    tree = await a_base("none")
    done = await set_up(tree, None, "folder", NOW, "codex")
    assert ".agents/skills/ask/SKILL.md" in done.created
    assert json.loads(tree.files[layout.MANIFEST])["agent"] == "codex"
    await okf(tree).sync()
    tree.log.clear()
    assert ((await okf(tree).sync()).written, tree.log) == ((), [])
    with pytest.raises(InputError, match="codex"):
        await set_up(tree, None, "folder", NOW, "claude-code")


async def test_a_damaged_file_of_knowlery_is_told_and_stops_nothing():
    tree = LoggingTree({**KNOWLERY, ".knowlery/bundles.json": b"{"})
    done = await okf(tree).sync()
    assert [note.partition(" ")[0] for note in done.notes] == [".knowlery/bundles.json"]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("start", [NOTES, {**KNOWLERY, **NOTES}])
async def test_killing_init_sync_or_repair_at_any_write_leaves_a_base_that_opens_and_heals(start, after):
    whole = LoggingTree(start)
    await _keep(whole)
    for at in range(len(whole.log)):
        dying = DyingTree(start, at, after)
        with pytest.raises(UnavailableError):
            await _keep(dying)
        healed = LoggingTree(dying.files)
        await _keep(healed)
        assert _without_cache(healed) == _without_cache(whole), at
        healed.log.clear()
        assert (await okf(healed).sync()).written == ()


async def _keep(tree) -> None:
    await okf(tree).init(agent="codex" if ".knowlery/manifest.json" not in tree.files else None)
    await okf(tree).sync()
    await okf(tree).repair()


def _without_cache(tree) -> dict[str, bytes]:
    return {path: data for path, data in tree.files.items() if "/cache/" not in path}
