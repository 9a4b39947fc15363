# Every check and build of this repository; CI and hooks call only these targets.
# They need Python and make, and Rust for the fast kernels; without Rust the Python kernels serve.

PYTHON ?= python3
CARGO ?= cargo

PYTHON_VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
VENV ?= .venv-$(PYTHON_VERSION)
PURE_VENV := $(VENV)-pure

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Builds find the pinned maturin and hatchling of the environment that they are for.
INSTALL = env PATH="$(CURDIR)/$(1)/bin:$$PATH" $(1)/bin/python -m pip install --quiet --constraint constraints.txt

# What is built: Rust if cargo answers and nothing else was asked for.
TRAJMETER_BUILD ?= auto
ifeq ($(TRAJMETER_BUILD),auto)
  KERNELS := $(if $(shell $(CARGO) --version 2>/dev/null),rust,python)
else
  KERNELS := $(TRAJMETER_BUILD)
endif

PACKAGING := pyproject.toml constraints.txt $(wildcard build_backend/*.py)
RUST := Cargo.toml Cargo.lock $(shell find rust -name '*.rs' -o -name Cargo.toml)
PYTHON_SOURCES := $(shell find python -name '*.py' -o -name '*.pyi' -o -name py.typed)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Environments: the development one is an editable install; the pure one holds no extension.

$(VENV)/.tools: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(call INSTALL,$(VENV)) --upgrade pip
	$(call INSTALL,$(VENV)) --group dev
	@touch $@

$(VENV)/.built-rust: $(VENV)/.tools $(PACKAGING) $(RUST)
	TRAJMETER_BUILD=rust $(call INSTALL,$(VENV)) --no-build-isolation --editable '.[all]'
	@rm -f $(VENV)/.built-python
	@touch $@

$(VENV)/.built-python: $(VENV)/.tools $(PACKAGING)
	@echo 'Rust (cargo) was not found or not wanted: using the pure-Python kernels: the same results, slower.'
	TRAJMETER_BUILD=python $(call INSTALL,$(VENV)) --no-build-isolation --editable '.[all]'
	@rm -f $(VENV)/.built-rust
	@touch $@

.PHONY: build
build: $(VENV)/.built-$(KERNELS) ## Make the environment and build the kernels, in release mode

.PHONY: test
test: build ## Run the Rust tests and all Python tests, on both backends
ifeq ($(KERNELS),rust)
	$(CARGO) test --locked --quiet --package trajmeter-core
	$(VENV)/bin/python -m pytest
else
	TRAJMETER_TEST_BACKEND=python $(VENV)/bin/python -m pytest
endif

.PHONY: lint
lint: build ## Check style, imports between layers, stubs and spelling
	$(VENV)/bin/ruff check
	$(VENV)/bin/lint-imports
	$(VENV)/bin/codespell
ifeq ($(KERNELS),rust)
	$(CARGO) clippy --locked --quiet --workspace --all-targets -- --deny warnings
	RUSTDOCFLAGS='--deny warnings' $(CARGO) doc --locked --quiet --workspace --no-deps --document-private-items
endif

.PHONY: format
format: build ## Rewrite the sources in the house format
	$(VENV)/bin/ruff format
	$(VENV)/bin/ruff check --fix --select I
	$(CARGO) fmt --all

.PHONY: types
types: build ## Check types
	$(VENV)/bin/mypy

.PHONY: clean
clean: ## Remove everything these targets make
	rm -rf .venv-* target build dist results
	rm -rf .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache .benchmarks
	find python -name '*.so' -delete
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
