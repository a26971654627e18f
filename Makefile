# Everything that a developer runs. `make help` lists it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
TOOLS := $(VENV)/.tools
INSTALL = $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt
SOURCES := clients/python/recalld server/recalld_server mcp_bridge/recalld_mcp

.DEFAULT_GOAL := help
.PHONY: help demo serve test lint gen bench bench-full soak fuzz clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(STAMP): constraints.txt clients/python/pyproject.toml server/pyproject.toml mcp_bridge/pyproject.toml requirements.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV) (once)…"
	@$(INSTALL) -r requirements.txt
	@touch $@

$(TOOLS): $(STAMP) requirements-dev.txt
	@echo "installing what tests and checks need (once)…"
	@$(INSTALL) -r requirements-dev.txt
	@touch $@

# --trace is a flag of make itself, which hands it on
demo: DEMO ?= $(filter --trace,$(MAKEFLAGS))
demo: $(STAMP) ## Two agents share a memory, on the embedded default; about a minute. --trace: show a search's spans
	@$(BIN)/python -m recalld_server demo $(DEMO)

serve: $(STAMP) ## Serve on 127.0.0.1:50051 with the embedded default
	@$(BIN)/python -m recalld_server serve

# most tests wait for servers more than they compute, so more workers than cores do no harm
test: $(TOOLS) ## Run every test, four files at a time; again alone, aloud, those that failed beside others
	@$(BIN)/python -m pytest -n 4 --dist loadfile || { test $$? -eq 1 && \
	  echo "failed beside others; once more, each alone:" && \
	  $(BIN)/python -m pytest --last-failed --last-failed-no-failures none -v; }

lint: $(TOOLS) ## Format check, lint, types, import rules, protos
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy $(SOURCES) tests
	@$(BIN)/lint-imports
	@$(BIN)/buf lint
	@$(BIN)/buf format --diff --exit-code
	@$(BIN)/python proto/generate.py --check
	@$(BIN)/python proto/document.py --check
	@$(BIN)/python clients/python/generate_sync.py --check

gen: $(TOOLS) ## Generate the Python modules of the contract, its reference and the blocking client
	@$(BIN)/python proto/generate.py
	@$(BIN)/python proto/document.py
	@$(BIN)/python clients/python/generate_sync.py

bench: $(TOOLS) ## Measure, short; see bench/README.md
	@$(BIN)/python -m bench

bench-full: $(TOOLS) ## Measure at every size: about an hour
	@$(BIN)/python -m bench --full

soak: $(TOOLS) ## Half an hour of mixed load; nothing may creep
	@$(BIN)/python -m bench.soak

fuzz: $(TOOLS) ## Some 13,000 generated requests over gRPC and MCP (`make test` sends 600)
	@HYPOTHESIS_PROFILE=nightly $(BIN)/python -m pytest --timeout 3600 tests/rpc/test_fuzz.py tests/mcp/test_fuzz.py

clean: ## Remove the environment and caches
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
