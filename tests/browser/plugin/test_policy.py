"""What Obsidian asks of a plugin, each demand that a machine can check.

Four are held by every run of the plugin in `phone.py`: nothing is fetched that nobody asked for, nothing is written
outside of its own places (so it never updates itself, and never edits a note), nothing is left uncaught, and nothing is
written to the console. What no machine can check: reviewers are asked before the plugin is listed. Until then people
side-load it.
"""

from __future__ import annotations

import json
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

import okf_edge
from okf_edge_native.plugin import PLUGIN_ID

REPOSITORY = Path(__file__).parents[3]
SOURCES = REPOSITORY / "wasm" / "obsidian"
MAIN_BYTES = 4_500_000

FIELDS = {"id", "name", "version", "minAppVersion", "description", "author", "authorUrl", "isDesktopOnly"}

MANIFEST = json.loads((SOURCES / "manifest.json").read_text())
STYLES = (SOURCES / "styles.css").read_text()
WORDS = (SOURCES / "words.ts").read_text()


@cache
def code() -> str:
    """All of our TypeScript that is built into main.js, without comments."""
    files = [*SOURCES.glob("*.ts"), *(REPOSITORY / "wasm" / "ui").glob("*.ts")]
    files += (REPOSITORY / "wasm" / "runtime").glob("*.ts")
    return "\n".join(re.sub(r"^\s*(//|/?\*).*$|\s// .*$", "", path.read_text(), flags=re.MULTILINE) for path in files)


@cache
def plugin_code() -> str:
    return "\n".join(
        re.sub(r"^\s*(//|/?\*).*$|\s// .*$", "", p.read_text(), flags=re.MULTILINE) for p in SOURCES.glob("*.ts")
    )


@pytest.fixture(scope="module")
def main_js(tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("plugin")
    build = (
        f"import {{ buildPlugin }} from {json.dumps(str(REPOSITORY / 'wasm/build/plugin.mjs'))};"
        f"await buildPlugin({json.dumps(str(out))});"
    )
    subprocess.run(["node", "--input-type=module", "-e", build], check=True, timeout=60)
    assert (out / "manifest.json").read_bytes() == (SOURCES / "manifest.json").read_bytes()
    return (out / "main.js").read_text()


def test_the_manifest_has_the_projects_one_version_and_every_field() -> None:
    assert MANIFEST["version"] == okf_edge.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+", MANIFEST["version"])
    assert re.fullmatch(r"\d+\.\d+\.\d+", MANIFEST["minAppVersion"])
    assert MANIFEST["isDesktopOnly"] is False
    assert MANIFEST["author"]
    assert set(MANIFEST) <= FIELDS


def test_id_name_and_description_are_as_the_directory_wants_them() -> None:
    assert re.fullmatch(r"[a-z-]+", MANIFEST["id"])
    assert "obsidian" not in MANIFEST["id"] and not MANIFEST["id"].endswith("plugin")
    assert MANIFEST["id"] == PLUGIN_ID, "the folder has the plugin's name"
    assert len(MANIFEST["name"]) <= 20
    assert re.fullmatch(r"[\x20-\x7e]+", MANIFEST["name"])
    assert not re.search("obsidian|plugin", MANIFEST["name"], re.IGNORECASE)
    description = MANIFEST["description"]
    assert len(description) <= 250 and description.endswith(".") and description.isascii()
    assert description.split()[0] in {"Install", "Search", "Ask", "Read"}


def test_the_oldest_app_that_is_named_has_all_that_is_used() -> None:
    declared = (REPOSITORY / "wasm/node_modules/obsidian/obsidian.d.ts").read_text()
    known, later = set(), set()
    for since, name in re.findall(SINCE_AND_NAME, declared):
        (later if _version(since) > _version(MANIFEST["minAppVersion"]) else known).add(name)
    assert len(later - known) > 10, "the types tell since when there is what"
    imports = " ".join(re.findall(r"import (?:type )?\{([^}]+)\} from \"obsidian\"", plugin_code()))
    used = set(re.findall(r"\w+", imports)) | set(
        re.findall(r"\b(?:app|vault|workspace|adapter|leaf)\.(\w+)", plugin_code())
    )
    assert {"Plugin", "getLanguage", "revealLeaf"} <= used
    assert used & (later - known) == set()


SINCE_AND_NAME = (
    r"@since (\d+\.\d+\.\d+)(?:(?!/\*\*)[\s\S])*?\*/\s*"
    r"(?:export |declare |abstract |static |readonly |class |interface |function |const |type )*(\w+)"
)


def _version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def test_main_js_is_small_and_readable_by_old_iphones(main_js: str) -> None:
    assert len(main_js.encode()) <= MAIN_BYTES
    assert not re.search(r"\(\?<[=!]", main_js), "iOS before 16.4 has no lookbehind"
    assert main_js.count("\n") < 20, "minified"
    assert not re.search(r"[A-Za-z0-9+/]{2000}", main_js), "nothing is hidden in it"


def test_nothing_of_node_or_electron_is_asked_for(main_js: str) -> None:
    assert set(re.findall(r"""require\(["']([^"']+)["']\)""", main_js)) == {"obsidian"}
    assert not re.search(r"\bprocess\.(?:env|platform|versions)|\bBuffer\.from|electron|__dirname", main_js)


def test_the_network_has_one_door_and_code_never_comes_through_it(main_js: str) -> None:
    assert not re.search(r"(?<![\w.])fetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|importScripts", main_js)
    askers = [path.name for path in SOURCES.glob("*.ts") if "requestUrl" in path.read_text()]
    assert askers == ["downloads.ts"]
    engine = (SOURCES / "engine_files.ts").read_text() + (SOURCES / "engine.ts").read_text()
    assert "download(" not in engine, "the plugin never downloads its engine"
    hosts = {host for host in re.findall(r"https?://([\w.-]+)", main_js) if "." in host}
    assert hosts <= {"www.w3.org", "127.0.0.1"}, "no address of anybody's is built in"


def test_nothing_is_evaluated_and_no_html_is_made_from_text(main_js: str) -> None:
    assert not re.search(r"\beval\(|new Function\(", main_js)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write", plugin_code())


def test_the_console_stays_quiet_and_the_global_app_is_never_used() -> None:
    assert "console." not in code()
    assert not re.search(
        r"(?:window|globalThis)\.app\b", plugin_code()
    )  # a bare `app` does not compile: no type has it


def test_everything_registered_is_cleaned_up_and_leaves_stay() -> None:
    assert not re.search(r"(?:document|window)\.addEventListener|setInterval\(", plugin_code())
    assert "detachLeavesOfType" not in plugin_code() and ".detach()" not in plugin_code()
    assert "onunload" not in plugin_code(), "all cleaning is by registration"


def test_no_view_is_kept_and_none_that_is_deferred_is_used() -> None:
    made = re.findall(r"new PanelView\(|[=:]\s*PanelView\b", plugin_code())
    assert made == ["new PanelView("] and "registerView(PANEL, (leaf) => new PanelView(" in plugin_code()
    assert not re.search(r"\bleaf\.view\b|\.view as\b", plugin_code()), "views are found by their type"


def test_commands_have_no_hotkeys_and_ids_without_the_plugins() -> None:
    assert "hotkeys" not in plugin_code()
    ids = re.findall(r"""add\("([a-z-]+)"|id: "([a-z-]+)\"""", (SOURCES / "commands.ts").read_text())
    names = [one or other for one, other in ids]
    assert len(names) == len(set(names)) >= 13
    assert not any("okf" in name or "command" in name for name in names)


def test_commands_that_can_do_nothing_now_are_not_offered() -> None:
    """Of the commands only these depend on what is open."""
    conditional = re.findall(r'addCommand\(\{\s*id: "([a-z-]+)",[^}]*checkCallback', plugin_code())
    assert sorted(conditional) == ["leave-safe", "trust"]
    assert "editorCallback" not in plugin_code()


def test_styles_are_classes_of_ours_and_variables_of_the_theme() -> None:
    for selectors in re.findall(r"^([^@{}/]+)\{", STYLES, re.MULTILINE):
        for selector in selectors.split(","):
            assert selector.strip().startswith(".okf-edge"), selector
    colours = re.findall(r"#[0-9a-fA-F]{3,8}\b|\brgba?\(|\bhsla?\(", STYLES)
    assert colours == [] and "!important" not in STYLES
    assert not re.search(r"\.style\b|setCssStyles|cssText", plugin_code())


def test_words_are_in_sentence_case_and_headings_do_not_say_settings() -> None:
    english = WORDS[WORDS.index("const en") : WORDS.index("satisfies")]
    for text in re.findall(r'^\s+"?[a-z-]+"?:\s*"([^"]+)"', english, re.MULTILINE):
        words = re.findall(r"(?<![.…?!:] )(?<!^)\b[A-Z][a-z]+\b", text)
        assert set(words) <= {"Library", "Obsidian", "Tap", "Run", "Or"}, text
    headings = re.findall(r'setName\(say\("([a-z-]+)"\)\)\.setHeading', (SOURCES / "settings_tab.ts").read_text())
    assert len(headings) > 1
    assert not any("settings" in _english(key).lower() for key in headings)


def _english(key: str) -> str:
    found = re.search(rf'^\s+"?{key}"?:\s*"([^"]+)"', WORDS, re.MULTILINE)
    assert found, key
    return found[1]


def test_paths_are_normalised_and_notes_found_by_path() -> None:
    assert "getAbstractFileByPath" not in plugin_code()
    assert not re.search(r"getFiles\(\)|getMarkdownFiles\(\)", plugin_code()), "no scan where a look is enough"
    assert not re.search(r"vault\.(?:modify|append|create|delete|rename|trash)\(", plugin_code())
    assert not re.search(r"FileManager|processFrontMatter|editor\b", plugin_code()), "no note is ever edited"


def test_the_adapter_is_used_only_for_what_the_vault_does_not_know() -> None:
    """Hidden folders, what is written in several steps, and the app's own configuration; notes are the vault's."""
    users = {path.name for path in SOURCES.glob("*.ts") if re.search(r"adapter\.\w+\(", path.read_text())}
    assert users == {"engine_files.ts", "excluded.ts", "library.ts", "vault_tree.ts"}
    for name in users - {"excluded.ts"}:
        assert "normalizePath" in (SOURCES / name).read_text(), name


def test_there_is_no_secret_to_keep() -> None:
    settings = (SOURCES / "settings.ts").read_text()
    assert re.findall(r"^  (\w+): (\w+);$", settings, re.MULTILINE) == [("byMeaning", "boolean")]
    assert not re.search(r"password|secret|apiKey|authorization|cookie", plugin_code(), re.IGNORECASE)


def test_the_readme_discloses_and_attributes() -> None:
    readme = (SOURCES / "README.md").read_text()
    disclosed = ("Network", "telemetry", "no account", "advertisement", "Files outside of the vault")
    for word in (*disclosed, "does not download or update itself", "Apache License 2.0"):
        assert word in readme
    package = json.loads((REPOSITORY / "wasm/package.json").read_text())
    assert {"pyodide", "@duckdb/duckdb-wasm", "onnxruntime-web"} <= set(package["dependencies"])
    for part in ("Pyodide", "DuckDB-Wasm", "ONNX Runtime Web", "pydantic", "tuf"):
        assert part in readme, part
    assert (REPOSITORY / "LICENSE").is_file()


def test_nothing_heavy_happens_before_the_layout_is_there() -> None:
    main = (SOURCES / "main.ts").read_text()
    onload = main[main.index("async onload()") : main.index("onLayoutReady")]
    assert not re.search(r"\.call\(|\.start\(|presence|\.list\(", onload)
    assert '.on("create"' not in onload, "the app tells every file once while it loads"
