"""Runs inside the peers' own environment: one peer, one step. Imports nothing of the product.

    python peer_runner.py <peer> build <notes.json> <folder>
    python peer_runner.py <peer> ask <folder> <questions.json> <output.json>

Notes are {path: text}, questions [text]. `build` leaves the index in the folder, and `built.json` with the seconds that
it took. The output of `ask` has a ranking of ten paths and the milliseconds of each question, and those of opening.
Times are processor time of one thread.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path

TOP = 10
Notes = dict[str, str]
Build = Callable[[Notes, Path], None]
Search = Callable[[str], list[str]]
Open = Callable[[Path], Search]
_WORDS = re.compile(r"\w+")


def _any_of(question: str) -> str:
    """The question's words, any of which may match, in the query language that FTS5 and Tantivy share."""
    return " OR ".join(f'"{word}"' for word in dict.fromkeys(_WORDS.findall(question.lower()))) or '""'


def _build_bm25s(notes: Notes, folder: Path) -> None:
    import bm25s as engine
    import Stemmer

    index = engine.BM25(method="lucene", k1=1.2, b=0.75)
    stemmer = Stemmer.Stemmer("english")
    tokens = engine.tokenize(list(notes.values()), stopwords="en", stemmer=stemmer, show_progress=False)
    index.index(tokens, show_progress=False)
    index.save(str(folder))
    (folder / "paths.json").write_text(json.dumps(list(notes)))


def _open_bm25s(folder: Path) -> Search:
    import bm25s as engine
    import Stemmer

    index, stemmer = engine.BM25.load(str(folder)), Stemmer.Stemmer("english")
    paths = json.loads((folder / "paths.json").read_text())

    def search(question: str) -> list[str]:
        asked = engine.tokenize([question], stopwords="en", stemmer=stemmer, show_progress=False)
        found, scores = index.retrieve(asked, k=min(TOP, len(paths)), show_progress=False, n_threads=1)
        return [paths[number] for number, score in zip(found[0], scores[0], strict=True) if score > 0]

    return search


def _build_tantivy(notes: Notes, folder: Path) -> None:
    import tantivy as engine

    schema = engine.SchemaBuilder().add_text_field("path", stored=True, tokenizer_name="raw")
    schema = schema.add_text_field("text", stored=False, tokenizer_name="en_stem").build()
    index = engine.Index(schema, path=str(folder))
    writer = index.writer(heap_size=128_000_000, num_threads=1)
    for path, text in notes.items():
        writer.add_document(engine.Document(path=[path], text=[text]))
    writer.commit()
    writer.wait_merging_threads()


def _open_tantivy(folder: Path) -> Search:
    import tantivy as engine

    index = engine.Index.open(str(folder))
    searcher = index.searcher()

    def search(question: str) -> list[str]:
        query, _ = index.parse_query_lenient(_any_of(question), ["text"])
        return [searcher.doc(address)["path"][0] for _, address in searcher.search(query, TOP).hits]

    return search


def _build_fts5(tokenizer: str) -> Build:
    def build(notes: Notes, folder: Path) -> None:
        database = sqlite3.connect(folder / "index.sqlite")
        database.execute(f"CREATE VIRTUAL TABLE note USING fts5(path UNINDEXED, text, tokenize = '{tokenizer}')")
        database.executemany("INSERT INTO note VALUES (?, ?)", notes.items())
        database.commit()

    return build


def _open_fts5(tokenizer: str) -> Open:
    def open_index(folder: Path) -> Search:
        database = sqlite3.connect(folder / "index.sqlite")
        sql = f"SELECT path FROM note WHERE note MATCH ? ORDER BY bm25(note) LIMIT {TOP}"
        return lambda question: [path for (path,) in database.execute(sql, (_fts5_query(question, tokenizer),))]

    return open_index


def _fts5_query(question: str, tokenizer: str) -> str:
    """Any of the words; of a trigram index, any of the trigrams, since a word there has to match as a whole."""
    if tokenizer != "trigram":
        return _any_of(question)
    parts = (word[at : at + 3] for word in _WORDS.findall(question.lower()) for at in range(max(1, len(word) - 2)))
    return " OR ".join(f'"{part}"' for part in dict.fromkeys(parts)) or '""'


def _build_duckdb(notes: Notes, folder: Path) -> None:
    database = _duckdb(folder)
    database.execute("CREATE TABLE note (path VARCHAR, text VARCHAR)")
    database.executemany("INSERT INTO note VALUES (?, ?)", list(notes.items()))
    database.execute("PRAGMA create_fts_index('note', 'path', 'text', stemmer = 'english', stopwords = 'english')")
    database.execute("CHECKPOINT")


def _open_duckdb(folder: Path) -> Search:
    database = _duckdb(folder)
    sql = (
        "SELECT path FROM (SELECT path, fts_main_note.match_bm25(path, ?) AS score FROM note) "
        f"WHERE score IS NOT NULL ORDER BY score DESC LIMIT {TOP}"
    )
    return lambda question: [path for (path,) in database.execute(sql, [question]).fetchall()]


def _duckdb(folder: Path):  # type: ignore[no-untyped-def]  # the engine is not there when types are checked
    import duckdb
    from duckdb_extensions import import_extension

    import_extension("fts")
    database = duckdb.connect(str(folder / "index.duckdb"), config={"threads": 1})
    database.execute("LOAD fts")
    return database


PEERS: dict[str, tuple[Build, Open]] = {
    "bm25s": (_build_bm25s, _open_bm25s),
    "tantivy": (_build_tantivy, _open_tantivy),
    "fts5-porter": (_build_fts5("porter unicode61"), _open_fts5("porter unicode61")),
    "fts5-trigram": (_build_fts5("trigram"), _open_fts5("trigram")),
    "duckdb-fts": (_build_duckdb, _open_duckdb),
}


def build(peer: str, notes: Notes, folder: Path) -> None:
    start = time.process_time()
    PEERS[peer][0](notes, folder)
    built = {"build_s": time.process_time() - start}
    built["bytes"] = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    (folder / "built.json").write_text(json.dumps(built))


def ask(peer: str, folder: Path, questions: list[str]) -> dict[str, object]:
    start = time.process_time()
    search = PEERS[peer][1](folder)
    open_ms = (time.process_time() - start) * 1000
    rankings, query_ms = [], []
    for question in questions:
        start = time.process_time()
        rankings.append(search(question))
        query_ms.append((time.process_time() - start) * 1000)
    return {"rankings": rankings, "open_ms": open_ms, "query_ms": query_ms}


if __name__ == "__main__":
    peer, step, *places = sys.argv[1:]
    if step == "build":
        build(peer, json.loads(Path(places[0]).read_text("utf-8")), Path(places[1]))
    else:
        asked = json.loads(Path(places[1]).read_text("utf-8"))
        Path(places[2]).write_text(json.dumps(ask(peer, Path(places[0]), asked)), "utf-8")
