"""Whoever runs the server sees who called what and how it ended, in logs, metrics and spans, and no content in any."""

from __future__ import annotations

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx

from tests.served import Served, run_okf, serving

SECRET = "zanzibar"


def test_logs_metrics_and_spans_tell_of_calls_without_their_content(tmp_path: Path) -> None:
    root = tmp_path / "notes"
    (root / "concepts").mkdir(parents=True)
    (root / f"concepts/{SECRET}.md").write_text(f"---\ntype: Concept\ntitle: {SECRET}\n---\n\nThe {SECRET} plan.\n")
    home, sent = tmp_path / "home", []
    home.mkdir()
    collector = collecting(sent)
    port = free_port()
    more = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}",
        "OTEL_BSP_SCHEDULE_DELAY": "100",
    }
    options = ("--log", "--metrics", str(port), "--trace", "--allow", "capture")
    with serving(root, home, *options, grants=("--scope", "read", "--scope", "capture"), more=more) as served:
        told = everything_asked(served)
        assert SECRET in told
        page = httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False).text
        log = json.dumps(run_okf(served.environment, "audit", "tail", "-n", "100", "--json"))
    collector.shutdown()
    lines = [json.loads(line) for line in (home / "log").read_text().splitlines() if line.startswith("{")]
    spans = b"".join(sent)

    calls = {(line["tool"], line["outcome"], line["code"]) for line in lines}
    assert {("query", "done", ""), ("read", "failed", "no-concept"), ("capture", "done", "")} <= calls
    assert {("unknown", "failed", "no-tool"), ("http", "denied", "token-unknown")} <= calls
    assert 'okf_calls_total{code="",outcome="done",tool="query"} 1.0' in page
    assert 'okf_call_seconds_count{tool="query"}' in page
    assert b"tools/call query" in spans and b"okf-edge" in spans and b"no-concept" in spans
    for told in (json.dumps(lines), page, spans.decode("utf-8", "replace"), log, (home / "log").read_text()):
        assert SECRET not in told.lower()
        assert served.token not in told


def everything_asked(served: Served) -> str:
    """Calls of all kinds, each with the secret somewhere in it."""
    replies = [
        served.call("tools/call", {"name": "query", "arguments": {"question": SECRET}}),
        served.call("tools/call", {"name": "read", "arguments": {"page": f"{SECRET}.md#{SECRET}"}}),
        served.call("tools/call", {"name": "read", "arguments": {"page": f"{SECRET} nowhere"}}),
        served.call("tools/call", {"name": "query", "arguments": {"question": "x", "kb": SECRET}}),
        served.call("tools/call", {"name": "query", "arguments": {"question": "x", SECRET: 1}}),
        served.call("tools/call", {"name": SECRET, "arguments": {SECRET: SECRET}}),
        served.call("tools/call", {"name": "capture", "arguments": {"content": SECRET, "title": SECRET}}),
        served.call("resources/read", {"uri": f"okf://notes/concepts/{SECRET}.md"}),
        served.call("resources/read", {"uri": f"okf://{SECRET}/concepts/{SECRET}.md"}),
        served.call("prompts/get", {"name": SECRET}),
        served.call(SECRET, {SECRET: SECRET}),
    ]
    httpx.post(served.url, headers={"authorization": f"Bearer {SECRET}"}, content=SECRET, trust_env=False)
    return json.dumps(replies)


def collecting(sent: list[bytes]) -> ThreadingHTTPServer:
    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                import gzip

                data = gzip.decompress(data)
            sent.append(data)
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *told: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
