# What people and machines run here. `make help` lists it. Everything is made inside the checkout (.venv) and, for the
# embedding models, in the user's cache.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
JOBS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
PYTEST := $(BIN)/python -m pytest -n $(JOBS) --dist worksteal

.PHONY: help
help: ## list what can be made
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

.PHONY: demo
demo: .venv/.stamp-product ## see it work: index, ask, refuse, pack, install elsewhere, ask again
	@$(BIN)/python tools/demo.py

.PHONY: test
test: lint models-if-reachable wasm/node_modules/.package-lock.json browsers tests/node/node_modules/.package-lock.json ## all layers, long loops on samples
	@$(PYTEST) -m "not slow"

.PHONY: test-all
test-all: lint models-if-reachable wasm/node_modules/.package-lock.json browsers tests/node/node_modules/.package-lock.json ## all layers, every loop in full
	@$(PYTEST)

.PHONY: conformance
conformance: .venv/.stamp-develop tests/node/node_modules/.package-lock.json ## the public suite of the Model Context Protocol, in both versions
	@$(BIN)/python -m pytest tests/conformance -s

.PHONY: lint
lint: .venv/.stamp-develop wasm/node_modules/.package-lock.json .build/infra-lint.stamp ## style, types and import rules
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check . || { echo "run: $(BIN)/ruff format ."; exit 1; }
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports >.venv/lint-imports.log || { cat .venv/lint-imports.log; exit 1; }
	@npm --prefix wasm run --silent lint || { echo "run: npm --prefix wasm run format"; exit 1; }
	@echo "lint: clean"

.PHONY: e2e-lambda
e2e-lambda: .venv/.stamp-develop ## the whole service on this machine: publish, ask, rotate, expire, kill
	@$(BIN)/python -m pytest tests/e2e/test_lambda_story.py tests/e2e/test_lambda_service.py tests/e2e/test_lambda_bad_input.py

.PHONY: bench
bench: .venv/.stamp-develop models ## quality and cost, as a table and as JSON in bench-out/
	@$(BIN)/python -m tests.bench

.PHONY: report
report: .venv/.stamp-develop models ## measure quality, refusals and cost; a handbook page and bench-out/report.html show them
	@$(BIN)/python -m tests.bench.report --measure

.PHONY: report-full
report-full: .venv/.stamp-develop models ## the same with every cost, whole tools, and up to a million chunks; takes hours
	@$(BIN)/python -m tests.bench.scale
	@$(BIN)/python -m tests.bench.ranges
	@$(BIN)/python -m tests.bench.tools
	@$(BIN)/python -m tests.bench.tool_quality
	@$(BIN)/python -m tests.bench cost
	@$(BIN)/python -m tests.bench.report --measure

.PHONY: models
models: .venv/.stamp-product ## build the embedding models into the user's cache
	@$(BIN)/okf model build

.PHONY: models-if-reachable
models-if-reachable: .venv/.stamp-product
	@$(BIN)/okf model build || echo "no models: what needs one is skipped, everything else runs"

.PHONY: browsers
browsers: ## Chromium and WebKit for the tests of the WebView, unless they are there
	@tools/browsers

.PHONY: web
web: models-if-reachable wasm/node_modules/.package-lock.json ## web reader and Obsidian plugin with their engine and models, in wasm/dist
	@$(BIN)/python wasm/build/reader.py
	@$(BIN)/python wasm/build/assets.py --models "$$($(BIN)/python -c 'from okf_edge_native.compose import shelf; print(shelf().folder)')"
	@node wasm/build/plugin.mjs wasm/dist/assets

.PHONY: release-web
release-web: web ## the same as one archive for --assets, in dist/
	@$(BIN)/python wasm/build/release.py dist

.PHONY: bench-web
bench-web: .venv/.stamp-develop web browsers ## what the WebView costs in Chromium and WebKit: start, questions, memory, download
	@$(BIN)/python -m tests.browser.bench

.PHONY: wheel
wheel: .venv/.stamp-develop ## the distribution, in dist/
	@$(BIN)/python -m hatchling build --target wheel

.PHONY: lambda
lambda: .venv/.stamp-develop models ## the zips of the service for arm64 and x86_64, in dist/lambda/
	@$(BIN)/python -m okf_edge_infra.package

.PHONY: lambda-cost
lambda-cost: .venv/.stamp-develop ## what the service takes under load: shards, cold starts, dollars, and what breaks
	@$(BIN)/python -m okf_edge_infra.capacity

.PHONY: lambda-lock
lambda-lock: .venv/.stamp-develop ## resolve and lock the dependencies of the service anew
	@$(BIN)/python -m okf_edge_infra.package --lock

.build/infra-lint.stamp: infra/template.yaml infra/okf_edge_infra/lint.py .build/sam/.stamp .build/checkov/.stamp
	@$(BIN)/python -m okf_edge_infra.lint
	@touch $@

# each in an environment of its own: together their dependencies don't resolve
.build/sam/.stamp: | .venv/bin/python
	@echo "installing the linters of the template into .build"
	@$(BIN)/python -m venv .build/sam
	@.build/sam/bin/python -m pip --disable-pip-version-check install --quiet cfn-lint==1.58.0 aws-sam-cli==1.170.0
	@touch $@

.build/checkov/.stamp: | .venv/bin/python
	@$(BIN)/python -m venv .build/checkov
	@.build/checkov/bin/python -m pip --disable-pip-version-check install --quiet checkov==3.3.30
	@touch $@

.PHONY: clean
clean: ## remove what was made here
	@rm -rf .venv dist bench-out .build wasm/node_modules tests/node/node_modules .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

wasm/node_modules/.package-lock.json: wasm/package-lock.json
	@command -v npm >/dev/null || { echo "no npm: install Node 20 or later; parity with the browser is tested in it"; exit 1; }
	@echo "installing the browser's packages into wasm/node_modules"
	@cd wasm && npm ci --ignore-scripts --no-audit --no-fund --silent
	@touch $@

tests/node/node_modules/.package-lock.json: tests/node/package-lock.json
	@command -v npm >/dev/null || { echo "no npm: install Node 20 or later; clients of agents are tested in it"; exit 1; }
	@echo "installing the clients that the tests speak with into tests/node/node_modules"
	@cd tests/node && npm ci --ignore-scripts --no-audit --no-fund --silent
	@touch $@

.venv/bin/python:
	@python=$$(tools/find-python) && echo "making .venv with $$python" && "$$python" -m venv .venv

.venv/.stamp-product: pyproject.toml .venv/bin/python
	@echo "installing okf-edge into .venv"
	@$(PIP) install --quiet --editable .
	@touch $@

.venv/.stamp-develop: pyproject.toml .venv/.stamp-product
	@echo "installing the tools for tests into .venv"
	@$(PIP) install --quiet --editable '.[dev]'
	@touch $@
