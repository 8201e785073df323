"""Words of the page and the plugin stand for something that happens, and are said once."""

from __future__ import annotations

import json
import re
import subprocess

from tests.browser.reader.conftest import REPOSITORY, WASM

CALL = """
import { build } from "esbuild";
const { outputFiles } = await build({ entryPoints: ["ui/failures.ts"], bundle: true, format: "esm", write: false });
const { failureIn } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
const given = JSON.parse(process.argv[1]);
console.log(JSON.stringify(given.map(([locale, code, message]) => failureIn(locale, { code, message }))));
"""


def failures(*given: tuple[str, str, str]) -> list[dict[str, str] | None]:
    command = ["node", "--input-type=module", "-e", CALL, json.dumps(given)]
    done = subprocess.run(command, cwd=WASM, capture_output=True, text=True, check=True, timeout=60)
    return list(json.loads(done.stdout))


def test_every_failure_that_is_told_in_chinese_has_a_code_that_something_fails_with() -> None:
    told = (REPOSITORY / "wasm/ui/failures.ts").read_text()
    codes = re.findall(r'^  "?([a-z-]+)"?: \{$|^  "?([a-z-]+)"?: \{ text', told, re.MULTILINE)
    python = [*(REPOSITORY / "core").rglob("*.py"), *(REPOSITORY / "wasm/okf_edge_wasm").glob("*.py")]
    sources = [*python, *(REPOSITORY / "wasm/reader").rglob("*.ts")]
    raised = set(re.findall(r'"([a-z]+(?:-[a-z0-9]+)*)"', "\n".join(each.read_text() for each in sources)))
    assert len(codes) > 30
    assert [one or other for one, other in codes if (one or other) not in raised] == []


def test_what_a_code_means_is_added_in_chinese_only_where_the_message_is_in_another_language() -> None:
    english, of_a_chinese_file, chinese, unknown, to_an_english_reader = failures(
        ("zh", "not-a-zip", "expected a zip archive, found none"),
        ("zh", "not-found", "expected a file at '笔记.md', found none"),
        ("zh", "too-large", "video.mp4 有 300 MB；知识包最多 256 MB。"),
        ("zh", "no-such-code", "expected one thing, found another"),
        ("en", "not-a-zip", "expected a zip archive, found none"),
    )
    assert english and english["text"] == "这不是压缩包。" and english["hint"]
    assert of_a_chinese_file and of_a_chinese_file["text"] == "它不在这里。"
    assert chinese is unknown is to_an_english_reader is None
