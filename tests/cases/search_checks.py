"""Checks of questions and of what a scan reports, asked through the use cases as `okf query` asks them."""

from __future__ import annotations

import time

from okf_edge.errors import OkfError
from okf_edge.retrieval.answer import Answer, Candidate, to_json
from okf_edge.retrieval.request import SearchRequest
from okf_edge_native.compose import okf_of
from tests.cases.suite import Spec
from tests.cases.vault import Vault

EVERYTHING = 50


async def search(vault: Vault, spec: Spec) -> None:
    """`search`: which notes answer, in which order, with which words, or that none does."""
    if "after" in spec:
        assert (vault.folder / spec["after"]).is_file(), "ran when the case was unpacked"
    answer = await ask(vault, spec["query"])
    paths = [candidate.path for candidate in answer.candidates]
    if "must_top" in spec:
        assert paths[:1] == [spec["must_top"]], answer.reason
    assert set(spec.get("must_include", [])) <= set(paths), answer.reason
    assert set(spec.get("must_not_include", [])) & set(paths) == set()
    if spec.get("must_be_empty") or spec.get("must_abstain") or spec.get("abstain"):
        assert answer.verdict == "no-confident-match"
        assert paths == []
        assert not [each for each in answer.near if spec["query"] in each.text]
    if "must_contain" in spec:
        words = spec["must_contain"]
        assert [
            word for word in ([words] if isinstance(words, str) else words) if word not in answer.candidates[0].text
        ] == []
    if "must_be_labelled" in spec:
        assert to_json(answer)["content"] == spec["must_be_labelled"]
    if "must_mention_conflict" in spec:
        assert spec["must_mention_conflict"] in _said(answer)


async def search_recall(vault: Vault, spec: Spec) -> None:
    """`search_recall`: exactly the notes that contain the words answer; what shares only a part of them may be near."""
    answer = await ask(vault, spec["query"])
    holding = {path for path in _paths(answer.candidates) if spec["query"] in vault.document(path).text}
    assert holding == set(spec["equals"])
    assert _paths(answer.candidates)[: len(holding)] == sorted(holding, key=_paths(answer.candidates).index)


async def no_index_is_no_refusal(vault: Vault, spec: Spec) -> None:
    """`error_not_abstain`: without its index, or with a damaged one, a folder answers or fails; it never refuses."""
    assert spec["when"] == "index missing"
    question = "when does the lock close"
    okf = okf_of(str(vault.root), quiet=True)
    await okf.build_index()
    index = vault.root / ".okf/index.duckdb"
    assert index.is_file()
    for damage in (index.unlink, lambda: index.write_bytes(b"not a database"), lambda: index.write_bytes(b"")):
        damage()
        try:
            assert (await ask(vault, question)).verdict == "ok"
        except OkfError as error:
            assert error.code.startswith("index")


async def scan_complete(vault: Vault, spec: Spec) -> None:
    """`scan_complete`: every note of the folder was found and read, however broken."""
    answer = await ask(vault, "anything at all")
    assert len(vault.scan.notes) == spec["notes"]
    assert (answer.coverage.read, answer.coverage.found) == (spec["notes"], spec["notes"])


async def report_lists(vault: Vault, spec: Spec) -> None:
    """`report_lists`: the answer counts these files as troubled, and the status names each with a reason and a fix."""
    assert (await ask(vault, "anything at all")).coverage.problems >= len(spec["paths"])
    status = await okf_of(str(vault.root), quiet=True).index_status()
    assert {each.path for each in status.problems if each.message and each.fix} >= set(spec["paths"])


async def bytes_unchanged(vault: Vault, spec: Spec) -> None:
    """`bytes_unchanged`: no command changes a note, the undecodable ones least of all."""
    before = vault.digests()
    okf = okf_of(str(vault.root), quiet=True)
    await okf.init()
    await okf.build_index()
    await ask(vault, "russet pears")
    await okf.read(next(iter(vault.documents)))
    after = vault.digests()
    assert {path: digest for path, digest in after.items() if path in before} == before


async def budget(vault: Vault, spec: Spec) -> None:
    """`budget`: a hostile folder is indexed within some seconds of processor time and some memory."""
    import resource

    before_s, before_kb = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    await okf_of(str(vault.root), quiet=True).build_index()
    assert time.process_time() - before_s <= spec["seconds"]
    grown_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb) / 1024
    assert grown_mb <= spec["extra_mb"] + ENGINE_MB


ENGINE_MB = 96
"""What loading and running DuckDB costs a process, whatever it indexes."""


def listed(words: str | list[str]) -> list[str]:
    return [words] if isinstance(words, str) else words


async def ask(vault: Vault, question: str) -> Answer:
    return await okf_of(str(vault.root), quiet=True).query(SearchRequest(question, k=EVERYTHING))


def _paths(candidates: tuple[Candidate, ...]) -> list[str]:
    """Each note once, best first."""
    return list(dict.fromkeys(candidate.path for candidate in candidates))


def _said(answer: Answer) -> str:
    return " ".join([answer.reason, *(word for candidate in answer.candidates for word in candidate.why)])


CHECKS = {
    "search": search,
    "search_recall": search_recall,
    "error_not_abstain": no_index_is_no_refusal,
    "scan_complete": scan_complete,
    "report_lists": report_lists,
    "bytes_unchanged": bytes_unchanged,
    "budget": budget,
}
