"""What no browser has, and why: whatever needs it is skipped in Pyodide for that reason. There is no other list."""

SUITES = {
    "tests/contract/test_disk_faults.py": "a browser has no disk whose calls fail one by one",
    "tests/unit/cli": "the command is native only",
    "tests/unit/native_models": "models are built natively only",
    "tests/unit/service": "the service runs natively only",
}
"""By the folder or file."""

TESTS = {
    "tests/contract/test_file_tree.py::test_a_name_that_no_disk_can_hold_is_refused": "files in memory have any name",
    "tests/contract/test_file_tree.py::test_nobody_else_enters_a_stage_until_it_is_in_place": "a browser has one user",
    "tests/contract/test_github.py::test_the_token_comes_from_the_environment_then_from_gh": "programs are native only",
}
"""By the function."""

PACKAGES = {
    "_multiprocessing": "processes are native only",
    "aiohttp": "the page fetches in a browser",
    "boto3": "S3 is reached natively only",
    "cryptography": "keys of creators are made natively only",
    "duckdb": "native DuckDB; here stands the stripped one",
    "fastapi": "the service runs natively only",
    "httpx": "the page fetches in a browser",
    "mcp": "MCP is served natively only",
    "numpy": "the core has no numpy, and neither has the browser",
    "onnxruntime": "native ONNX Runtime",
    "resource": "a browser tells nobody what memory was used",
    "rich": "a terminal is native only",
    "tokenizers": "the native tokenizers",
    "urllib3": "the page fetches in a browser",
    "uvicorn": "servers are native only",
}
"""By their names when they are imported."""

NO_CPU_CLOCK = "Pyodide has no clock of CPU time"
NO_HARD_LINKS = "Pyodide has no hard links"
ONE_DATABASE = "a worker has one database, in which each name is attached once"
FAILURES = {
    ONE_DATABASE: ONE_DATABASE,
    NO_HARD_LINKS: NO_HARD_LINKS,
    "SubprocessStreamProtocol": "processes are native only",
    "emscripten does not support processes": "processes are native only",
    "has no attribute 'mkfifo'": "pipes are native only",
    "can't start new thread": "threads are native only",
    "from 'seaweed'": "S3 is reached natively only",
}
"""By what a test fails with."""

FIXTURES = {
    "models_fixture": {"models": "the native shelf of models"},
    "seaweed": {"s3_endpoint": "S3 is reached natively only"},
    "tests.e2e.lambda_fixtures": dict.fromkeys(("aws_endpoint", "published"), "the service runs natively only"),
}
"""By the plugin that has them: they build models and start servers."""

CASES = {
    "tests.cases.browser_checks": {"browser_profile": "browsers are driven natively"},
    "tests.cases.lambda_checks": {"lambda_repeat": "the service runs natively only"},
    "tests.cases.serving_checks": {"http_requests": "MCP is served natively only"},
}
"""By the module that checks them, and their kind."""


def reason_of(failure: str) -> str:
    """Why the failure says nothing here; empty when it says something."""
    for name, reason in PACKAGES.items():
        if f"ModuleNotFoundError: No module named '{name}" in failure:
            return reason
    return next((reason for told, reason in FAILURES.items() if told in failure), "")
