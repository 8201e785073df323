"""Runs inside the peers' own environment: one peer over one set, JSON in, JSON out. Imports nothing of the product.

    python peer_runner.py <peer> <input.json> <output.json>

Input: {"notes": {path: text}, "questions": [text]}. Output: rankings of ten paths, seconds to build, bytes on disk, and
milliseconds per question, all of one thread.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

TOP = 10
Search = Callable[[str], list[str]]
_WORDS = re.compile(r"\w+")


def _any_of(question: str) -> str:
    """The question's words, any of which may match, in the query language that FTS5 and Tantivy share."""
    return " OR ".join(f'"{word}"' for word in dict.fromkeys(_WORDS.findall(question.lower()))) or '""'


def bm25s(notes: dict[str, str], folder: Path) -> Search:
    import bm25s as engine
    import Stemmer

    stemmer, paths = Stemmer.Stemmer("english"), list(notes)
    index = engine.BM25(method="lucene", k1=1.2, b=0.75)
    index.index(
        engine.tokenize(list(notes.values()), stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False
    )
    index.save(str(folder))

    def search(question: str) -> list[str]:
        asked = engine.tokenize([question], stopwords="en", stemmer=stemmer, show_progress=False)
        found, scores = index.retrieve(asked, k=min(TOP, len(paths)), show_progress=False, n_threads=1)
        return [paths[number] for number, score in zip(found[0], scores[0], strict=True) if score > 0]

    return search


def tantivy(notes: dict[str, str], folder: Path) -> Search:
    import tantivy as engine

    schema = engine.SchemaBuilder().add_text_field("path", stored=True, tokenizer_name="raw")
    schema = schema.add_text_field("text", stored=False, tokenizer_name="en_stem").build()
    index = engine.Index(schema, path=str(folder))
    writer = index.writer(heap_size=128_000_000, num_threads=1)
    for path, text in notes.items():
        writer.add_document(engine.Document(path=[path], text=[text]))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def search(question: str) -> list[str]:
        query, _ = index.parse_query_lenient(_any_of(question), ["text"])
        return [searcher.doc(address)["path"][0] for _, address in searcher.search(query, TOP).hits]

    return search


def _fts5(tokenizer: str) -> Callable[[dict[str, str], Path], Search]:
    def build(notes: dict[str, str], folder: Path) -> Search:
        database = sqlite3.connect(folder / "index.sqlite")
        database.execute(f"CREATE VIRTUAL TABLE note USING fts5(path UNINDEXED, text, tokenize = '{tokenizer}')")
        database.executemany("INSERT INTO note VALUES (?, ?)", notes.items())
        database.commit()

        def search(question: str) -> list[str]:
            sql = f"SELECT path FROM note WHERE note MATCH ? ORDER BY bm25(note) LIMIT {TOP}"
            return [path for (path,) in database.execute(sql, (_fts5_query(question, tokenizer),))]

        return search

    return build


def _fts5_query(question: str, tokenizer: str) -> str:
    """Any of the words; of a trigram index, any of the trigrams, since a word there has to match as a whole."""
    if tokenizer != "trigram":
        return _any_of(question)
    parts = (word[at : at + 3] for word in _WORDS.findall(question.lower()) for at in range(max(1, len(word) - 2)))
    return " OR ".join(f'"{part}"' for part in dict.fromkeys(parts)) or '""'


def duckdb_fts(notes: dict[str, str], folder: Path) -> Search:
    import duckdb
    from duckdb_extensions import import_extension

    import_extension("fts")
    database = duckdb.connect(str(folder / "index.duckdb"), config={"threads": 1})
    database.execute("LOAD fts")
    database.execute("CREATE TABLE note (path VARCHAR, text VARCHAR)")
    database.executemany("INSERT INTO note VALUES (?, ?)", list(notes.items()))
    database.execute("PRAGMA create_fts_index('note', 'path', 'text', stemmer = 'english', stopwords = 'english')")
    database.execute("CHECKPOINT")
    sql = (
        "SELECT path FROM (SELECT path, fts_main_note.match_bm25(path, ?) AS score FROM note) "
        f"WHERE score IS NOT NULL ORDER BY score DESC LIMIT {TOP}"
    )

    def search(question: str) -> list[str]:
        return [path for (path,) in database.execute(sql, [question]).fetchall()]

    return search


PEERS: dict[str, Callable[[dict[str, str], Path], Search]] = {
    "bm25s": bm25s,
    "tantivy": tantivy,
    "fts5-porter": _fts5("porter unicode61"),
    "fts5-trigram": _fts5("trigram"),
    "duckdb-fts": duckdb_fts,
}


def run(peer: str, notes: dict[str, str], questions: list[str]) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        search = PEERS[peer](notes, Path(folder))
        build_s = time.process_time() - start
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        rankings, spent_ms = [], []
        for question in questions:
            start = time.process_time()
            rankings.append(search(question))
            spent_ms.append((time.process_time() - start) * 1000)
    return {"rankings": rankings, "build_s": build_s, "bytes": size, "query_ms": spent_ms}


if __name__ == "__main__":
    given = json.loads(Path(sys.argv[2]).read_text("utf-8"))
    Path(sys.argv[3]).write_text(json.dumps(run(sys.argv[1], given["notes"], given["questions"])), "utf-8")
