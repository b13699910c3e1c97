# Everything runs in .venv, which each target sets up as far as it needs and no further. On a
# machine with Python 3.11 or newer, pip and make, start with `make lookup` or `make test`.
SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
# A stamp is newer than the files that say what to install, so a second run installs nothing.
CORE := $(VENV)/core.stamp
ALL := $(VENV)/all.stamp
BROWSER := $(VENV)/browser.stamp
SAMPLE := docs/sample-traceback.txt
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# CPU builds are enough for everything here; on Linux a plain `pip install torch` brings gigabytes of
# CUDA. Triton runs the kernels on the CPU through its interpreter.
TORCH := torch==2.13.0
TRITON := triton==3.7.1
TORCH_INDEX := https://download.pytorch.org/whl/cpu

export NO_MKDOCS_2_WARNING := 1
export FILE

.PHONY: help lookup test lint unit examples check verify matrix schema readme site browser serve clean

# List the targets.
help:
	@awk '/^# /{text=substr($$0, 3)} /^[a-z]+:/{sub(":.*", ""); printf "make %-9s %s\n", $$0, text}' Makefile

# Look up a traceback: FILE=…, standard input when piped, or else a sample.
lookup: $(CORE)
	@if [ -n "$$FILE" ]; then $(BIN)/errorkb lookup "$$FILE"; \
	elif [ -p /dev/stdin ] || [ -f /dev/stdin ]; then $(BIN)/errorkb lookup -; \
	else $(BIN)/errorkb lookup $(SAMPLE); fi

# Run everything that needs no GPU: lint, unit tests, examples, gates, site and its links.
test: lint unit examples check site

# Check style and types.
lint: $(ALL)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Run the unit tests of errorkb and of the kernels.
unit: $(ALL)
	$(BIN)/pytest tests kernels/tests

# Execute every example in the places that need no GPU.
examples: $(ALL)
	$(BIN)/pytest examples

# Run the gates that compare records, kernels, examples and ledgers.
check: $(ALL)
	$(BIN)/errorkb check

# Execute every example and write the ledger of this machine.
verify: $(ALL)
	$(BIN)/errorkb verify --write

# Execute the examples with other releases of Triton: ARGS='--release 3.5 --family triton'.
matrix: $(ALL)
	$(BIN)/python tools/matrix.py $(ARGS)

# Write the JSON Schema with which editors complete and check records.
schema: $(CORE)
	$(BIN)/errorkb new --schema

# Write what is printed today into the README, and the committed times into their page.
readme: $(CORE)
	$(BIN)/python tools/readme.py
	$(BIN)/python tools/performance.py

# Build the site into site/ and check every link of it.
site: $(ALL)
	$(BIN)/errorkb render
	$(BIN)/mkdocs build --strict --quiet
	$(BIN)/errorkb render --search-index site
	$(BIN)/errorkb check --gate 6 --site site

# Open the built site in Chromium, which the system must have (Debian: chromium).
browser: $(BROWSER)
	$(BIN)/pytest tests/browser -m browser

# Serve the site at http://127.0.0.1:8000 and rebuild when a page changes.
serve: $(ALL)
	$(BIN)/errorkb render
	$(BIN)/mkdocs serve

# Remove .venv and everything that was built.
clean:
	rm -rf $(VENV) .matrix site dist $(addprefix docs/, errors api e by-exception by-kind gpu-limits verification)

# The interpreter: PYTHON=… or the first of these that is new enough.
$(BIN)/python:
	@for python in $(PYTHON) python3 python3.11 python3.12 python3.13 python3.14 python; do \
	  if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    set -e; echo "Setting up $(VENV) with $$($$python --version)" >&2; rm -rf $(VENV); \
	    if $$python -c 'import ensurepip' 2>/dev/null; then $$python -m venv $(VENV); \
	    else $$python -m venv --without-pip $(VENV) && \
	      $$python -m pip --python $(VENV)/bin/python install --quiet pip || { rm -rf $(VENV); \
	      echo "$$python has neither ensurepip nor a pip that can stand in for it: install its" \
	        "venv package (Debian: python3-venv) or pip 22.3 or newer." >&2; exit 2; }; \
	    fi; exit 0; \
	  fi; \
	done; echo "No Python 3.11 or newer found: install one, or name it: make … PYTHON=/path/to/python" >&2; exit 2

$(CORE): pyproject.toml | $(BIN)/python
	@$(PIP) install --editable .
	@touch $@

# The CPU build of torch: one that pip's settings keep at hand, PyTorch's own CPU index, or PyPI.
$(ALL): pyproject.toml kernels/pyproject.toml $(CORE) | $(BIN)/python
	@echo "Installing what the tests need (once; about 2 GB in $(VENV))" >&2
	@$(PIP) install --no-index --no-deps $(TORCH) 2>/dev/null || \
	  $(PIP) install --no-deps --retries 1 --timeout 15 --index-url $(TORCH_INDEX) $(TORCH) || \
	  $(PIP) install --no-deps $(TORCH)
	@$(PIP) install $(TORCH) $(TRITON) --editable '.[dev]' --editable ./kernels
	@touch $@

$(BROWSER): pyproject.toml $(ALL)
	@$(PIP) install --editable '.[browser]'
	@touch $@
