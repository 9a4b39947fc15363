# Every build and check of this repository; CI and hooks call only these targets.
# They need Python, make and network access for packages, and Rust for the compiled kernels.

PYTHON ?= python3
CARGO ?= cargo
TRAJMETER_BUILD ?= auto

PYTHON_VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
ifeq ($(PYTHON_VERSION),)
  $(error $(PYTHON) does not run; name a Python 3.10 or newer with PYTHON=...)
endif

# Development happens in an editable install; the others hold a wheel, as users do.
VENV ?= .venv-$(PYTHON_VERSION)
PURE_VENV := $(VENV)-pure

# What is built: Rust if cargo runs, unless TRAJMETER_BUILD says otherwise.
ifeq ($(TRAJMETER_BUILD),auto)
  KERNELS := $(if $(shell $(CARGO) --version 2>/dev/null),rust,python)
else
  KERNELS := $(TRAJMETER_BUILD)
endif

# The suite runs on the development Python and, from the wheel, on the oldest and newest supported.
OTHER_PYTHONS ?= 3.10 3.13
find_python = $(firstword $(wildcard $(HOME)/.pyenv/versions/$(1).*/bin/python3) $(shell command -v python$(1) 2>/dev/null))
FOUND_PYTHONS := $(foreach version,$(OTHER_PYTHONS),$(if $(call find_python,$(version)),$(version)))

BUILD_FILES := pyproject.toml constraints.txt README.md $(wildcard build_backend/*.py)
PYTHON_FILES := $(shell find python -name '*.py' -o -name '*.pyi' -o -name py.typed)
RUST_FILES := Cargo.toml Cargo.lock $(shell find rust -name '*.rs' -o -name Cargo.toml)

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# A registry that does not answer once is asked again.
export PIP_RETRIES ?= 10
export PIP_DEFAULT_TIMEOUT ?= 60
export CARGO_NET_RETRY ?= 10
# The suite and the benchmarks start hundreds of processes: each would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE
# Builds without isolation find maturin and hatchling, pinned, in the development environment.
IN_VENV := PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(VENV)/bin/python -m
PIP := $(IN_VENV) pip --quiet
# pip compiles what it copies, and an editable install copies nothing: the first command would, or,
# with PYTHONDONTWRITEBYTECODE, every one.
COMPILE = $(VENV)/bin/python -m compileall -q python/trajmeter
INSTALL = $(PIP) --python $(1)/bin/python install --constraint constraints.txt

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# --- environments -------------------------------------------------------------------------------

$(VENV)/.tools: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python 3.10 or newer is required")'
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip --quiet install --constraint constraints.txt --upgrade pip
	$(call INSTALL,$(VENV)) --group dev
	@touch $@

# Each removes the other's stamp, so that changing TRAJMETER_BUILD rebuilds.
$(VENV)/.built-rust: $(VENV)/.tools $(BUILD_FILES) $(RUST_FILES)
	TRAJMETER_BUILD=rust $(call INSTALL,$(VENV)) --no-build-isolation --editable '.[all]'
	$(COMPILE)
	@rm -f $(VENV)/.built-python
	@touch $@

$(VENV)/.built-python: $(VENV)/.tools $(BUILD_FILES)
	@echo 'Building without Rust (cargo): the Python kernels give the same results, more slowly.'
	@rm -f python/trajmeter/kernels/_rust*.so
	TRAJMETER_BUILD=python $(call INSTALL,$(VENV)) --no-build-isolation --editable '.[all]'
	$(COMPILE)
	@rm -f $(VENV)/.built-rust
	@touch $@

# The extension is one file for every Python and environment, so its absence is a reason to build.
ifeq ($(KERNELS)-$(wildcard python/trajmeter/kernels/_rust*.so),rust-)
.PHONY: $(VENV)/.built-rust
endif

.PHONY: build
build: $(VENV)/.built-$(KERNELS) ## Create the environment and build the kernels in release mode

dist/.wheel-rust: $(VENV)/.tools $(BUILD_FILES) $(RUST_FILES) $(PYTHON_FILES)
	@rm -rf dist/rust && mkdir -p dist/rust
	TRAJMETER_BUILD=rust $(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist/rust .
	@touch $@

dist/.wheel-python: $(VENV)/.tools $(BUILD_FILES) $(PYTHON_FILES)
	@rm -rf dist/python && mkdir -p dist/python
	TRAJMETER_BUILD=python $(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist/python .
	@touch $@

.PHONY: wheel
wheel: dist/.wheel-$(KERNELS) ## Build a wheel into dist/

.PHONY: sdist
sdist: $(VENV)/.tools ## Build the source archive into dist/
	$(IN_VENV) maturin sdist --out dist

# A fresh environment that holds a wheel and the test tools: $(call install_wheel,VENV,PYTHON,KERNELS)
define install_wheel
	@rm -rf $(1)
	$(2) -m venv --without-pip $(1)
	$(call INSTALL,$(1)) --group test "$$(echo dist/$(3)/*.whl)[all]"
endef

# --- the package at work ------------------------------------------------------------------------

.PHONY: demo
demo: build ## Score the bundled examples: tables on the terminal, files in results/
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" sh examples/demo.sh

.PHONY: bench
bench: build ## Time the command and the kernels, print tables and write them below benches/
	$(VENV)/bin/python -m benches --output benches/commands.json -k bench_commands
	$(VENV)/bin/python -m benches --output benches/results.json -k 'not bench_commands'

.PHONY: readme
readme: $(VENV)/.tools ## Render what was measured into the tables of README.md
	$(VENV)/bin/python -m benches.results

.PHONY: pictures
pictures: build ## Make the pictures of README.md and docs/ from the bundled examples; needs chromium
	$(VENV)/bin/python .ci/pictures.py

# --- checks -------------------------------------------------------------------------------------

PYTEST := -m pytest --quiet
TEST_JOBS ?= auto
PYTEST_SUITE := $(PYTEST) --numprocesses $(TEST_JOBS) --dist worksteal
TEST_BACKEND := $(if $(filter python,$(KERNELS)),TRAJMETER_TEST_BACKEND=python)

.PHONY: test
test: build ## Run the Rust tests, and all Python tests on both backends
ifeq ($(KERNELS),rust)
	$(CARGO) test --locked --quiet --package trajmeter-core
endif
	$(TEST_BACKEND) $(VENV)/bin/python $(PYTEST_SUITE)

$(PURE_VENV)/.built: dist/.wheel-python
	$(call install_wheel,$(PURE_VENV),$(PYTHON),python)
	@touch $@

# What a kill leaves on the disk does not depend on the kernels or on the version of Python, and takes
# minutes to test: `make test` kills runs, the others do not.
KILL_TESTS := tests/scoring/runs/test_killed_runs.py::test_a_kill_at_any_flush_or_rename_costs_nothing \
	tests/scoring/runs/test_killed_runs.py::test_kills_at_random_cost_nothing
BUT_KILLS := $(KILL_TESTS:%=--deselect=%)
# `make test` tries every generated example on both backends; elsewhere a fifth of them are tried.
FEWER_EXAMPLES := TRAJMETER_HYPOTHESIS_PROFILE=quick

.PHONY: test-python-backend
test-python-backend: $(PURE_VENV)/.built ## Run all Python tests without the compiled extension
	$(PURE_VENV)/bin/python -c 'from importlib.util import find_spec; exit(find_spec("trajmeter.kernels._rust"))'
	TRAJMETER_TEST_BACKEND=python $(FEWER_EXAMPLES) $(PURE_VENV)/bin/python $(PYTEST_SUITE) $(BUT_KILLS)

# Python 3.12 and later report the lines that run at next to no cost, so coverage is measured there.
test-python-$(lastword $(OTHER_PYTHONS)): COVERAGE_ENV := COVERAGE_CORE=sysmon
test-python-$(lastword $(OTHER_PYTHONS)): COVERAGE := --cov=trajmeter --cov-report=term:skip-covered

.PHONY: test-pythons
test-pythons: $(OTHER_PYTHONS:%=test-python-%) ## Run all Python tests on the oldest and newest Python

.venv-wheel-%/.built: dist/.wheel-$(KERNELS)
	$(call install_wheel,.venv-wheel-$*,$(call find_python,$*),$(KERNELS))
	@touch $@

.PHONY: $(OTHER_PYTHONS:%=test-python-%)
$(FOUND_PYTHONS:%=test-python-%): test-python-%: .venv-wheel-%/.built
	$(TEST_BACKEND) $(FEWER_EXAMPLES) $(COVERAGE_ENV) .venv-wheel-$*/bin/python $(PYTEST_SUITE) $(BUT_KILLS) $(COVERAGE)

$(filter-out $(FOUND_PYTHONS:%=test-python-%),$(OTHER_PYTHONS:%=test-python-%)): test-python-%:
	@echo 'skipped: Python $* was not found under ~/.pyenv/versions or on PATH'

# The oldest versions that users may have; prices and judges are left out, as they need a newer
# pydantic than the package does.
LOWEST_EXTRAS := cli,data,harness,hf,quality,report,stats,symbols,zstd
LOWEST_TESTS := tests/arrays tests/conforming tests/records tests/readers/columns tests/scoring

.venv-lowest/.built: dist/.wheel-$(KERNELS) .ci/lowest.py
	@rm -rf .venv-lowest
	$(or $(call find_python,3.10),$(PYTHON)) -m venv .venv-lowest
	$(PYTHON) .ci/lowest.py package > .venv-lowest/lowest.txt
	.venv-lowest/bin/python -m pip --quiet install --upgrade pip
	.venv-lowest/bin/python -m pip --quiet install --constraint .venv-lowest/lowest.txt --group test \
		"$$(echo dist/$(KERNELS)/*.whl)[$(LOWEST_EXTRAS)]"
	@touch $@

# Old releases warn of what they use themselves.
.PHONY: test-lowest
test-lowest: .venv-lowest/.built ## Test columns and scoring with the oldest dependencies allowed
	$(TEST_BACKEND) $(FEWER_EXAMPLES) .venv-lowest/bin/python $(PYTEST_SUITE) $(BUT_KILLS) \
		-W ignore::DeprecationWarning $(LOWEST_TESTS)

# Tests of hosts and the examples of their pages, each in an environment of its own with the wheel;
# what skips itself fails.
HOSTS := inspect pydantic-evals opentelemetry langsmith verifiers deepeval data
DOCUMENT_TEST := tests/test_documents.py::test_a_page_shows_what_really_happens
host_tests = $(or $(HOST_TESTS_$(1)),tests/hosts/test_$(subst -,_,$(1)).py) \
	'tests/hosts/test_one_attempt.py::test_all_hosts_give_one_value[$(1)]' \
	'$(DOCUMENT_TEST)[docs/hosts/$(or $(HOST_PAGE_$(1)),$(1)).md]'
HOST_TESTS_langsmith := tests/hosts/test_callables.py
HOST_PAGE_langsmith := callables
HOST_PAGE_data := frames
HOST_TESTS_data := tests/scoring/test_frames.py tests/scoring/runs/test_readers_of_parts.py

.PHONY: test-hosts
test-hosts: $(HOSTS:%=test-host-%) ## Test the adapters in the tools that they are for; needs the network

.venv-host-%/.built: dist/.wheel-$(KERNELS)
	@rm -rf .venv-host-$*
	$(PYTHON) -m venv .venv-host-$*
	.venv-host-$*/bin/python -m pip --quiet install --upgrade pip
	.venv-host-$*/bin/python -m pip --quiet install --group host-$* dist/$(KERNELS)/*.whl
	@touch $@

.PHONY: $(HOSTS:%=test-host-%)
$(HOSTS:%=test-host-%): test-host-%: .venv-host-%/.built
	@.venv-host-$*/bin/python $(PYTEST) -W default -m 'documents or not documents' \
		$(call host_tests,$*) > .venv-host-$*/told; failed=$$?; cat .venv-host-$*/told; exit $$failed
	@! grep '^SKIPPED' .venv-host-$*/told

# What is not there is skipped, and said: Spark needs Java.
.PHONY: test-engines
test-engines: .venv-host-engines/.built ## Score with Ray, Spark, Daft and polars; needs the network
	.venv-host-engines/bin/python $(PYTEST) -W default -rs tests/scoring/runs/engines tests/test_recipes.py

.PHONY: test-packaging
test-packaging: $(VENV)/.tools ## Install in every way, with cargo and without, in fresh environments
	$(IN_VENV) pytest -m packaging tests/packaging

.PHONY: lint
lint: build ## Check formatting, style, layers, stubs, spelling, Rust docs and the repository's files
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/ruff check
	$(VENV)/bin/lint-imports --no-logo
	$(VENV)/bin/python .ci/circles.py
	$(VENV)/bin/codespell
	$(VENV)/bin/python $(PYTEST) tests/test_repository.py
ifeq ($(KERNELS),rust)
	$(VENV)/bin/stubtest trajmeter.kernels._rust --mypy-config-file pyproject.toml --allowlist .ci/stubtest.txt
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --quiet --workspace --all-targets -- --deny warnings
	RUSTDOCFLAGS='--deny warnings' $(CARGO) doc --locked --quiet --workspace --no-deps --document-private-items
endif

.PHONY: format
format: $(VENV)/.tools ## Format the sources
	$(VENV)/bin/ruff check --select I --fix
	$(VENV)/bin/ruff format
ifeq ($(KERNELS),rust)
	$(CARGO) fmt --all
endif

.PHONY: types
types: build ## Check types
	$(VENV)/bin/mypy

.PHONY: docs
docs: build ## Run every example in README.md, docs/ and the docstrings
	$(VENV)/bin/python $(PYTEST) -m documents tests/test_documents.py
	$(VENV)/bin/python $(PYTEST) --doctest-modules --ignore-glob='*/hosts/*' --pyargs trajmeter

.PHONY: site
site: $(VENV)/.tools ## Build the documentation site into results/site; every warning is an error
	NO_MKDOCS_2_WARNING=1 $(IN_VENV) mkdocs --quiet build --strict

.PHONY: bench-smoke
bench-smoke: build ## Run every benchmark once, to check its answer and not to time it
	$(VENV)/bin/python $(PYTEST) benches --benchmark-disable

# Each target runs this long; what it finds stays in fuzz/corpus and is where the next run begins.
FUZZ_SECONDS ?= 10
# 0 is another seed each time. CI tries the same inputs for the same sources, as the tests do.
FUZZ_SEED ?= 0
ci: export FUZZ_SEED = 1
FUZZ_TARGETS := $(notdir $(basename $(wildcard fuzz/fuzz_targets/*.rs)))

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZ_SECONDS (10) seconds; needs nightly Rust and cargo-fuzz
ifeq ($(KERNELS),rust)
	@$(CARGO) +nightly --version >/dev/null 2>&1 || { \
		echo 'make fuzz needs nightly Rust: rustup toolchain install nightly --profile minimal'; exit 1; }
	@$(CARGO) fuzz --version >/dev/null 2>&1 || { \
		echo 'make fuzz needs cargo-fuzz: cargo install --locked cargo-fuzz'; exit 1; }
	$(CARGO) +nightly fetch --quiet --locked --manifest-path fuzz/Cargo.toml
	$(CARGO) +nightly fuzz build
	@for target in $(FUZZ_TARGETS); do \
		echo "fuzz: $$target, $(FUZZ_SECONDS) s"; \
		$(CARGO) +nightly fuzz run $$target -- -seed=$(FUZZ_SEED) -max_total_time=$(FUZZ_SECONDS) -verbosity=0 || exit 1; \
	done
else
	@echo 'skipped: the fuzz targets run the Rust kernels'
endif

# One after the other, whatever -j says: they share the build directories, and the log stays readable.
CI := lint types test test-python-backend test-pythons docs site bench-smoke fuzz test-packaging demo
.PHONY: ci
ci: ## Everything that must pass before a change is merged
	@for target in $(CI); do \
		echo "== make $$target"; began=$$(date +%s); \
		$(MAKE) --no-print-directory $$target || exit 1; \
		echo "== $$target took $$(($$(date +%s) - began)) s"; \
	done

# Not part of ci: it needs the network, and its answer changes from day to day.
.PHONY: advisories
advisories: $(VENV)/.tools ## Check the dependencies for known vulnerabilities
	$(CARGO) deny check
	$(call INSTALL,$(VENV)) --group advisories
	$(VENV)/bin/pip-audit --no-deps --disable-pip --requirement constraints.txt

SUPPORTED_PYTHONS := 3.10 3.11 3.12 3.13
.PHONY: constraints
constraints: $(SUPPORTED_PYTHONS:%=.venv-pin-%/frozen.txt) ## Pin the newest tools and dependencies in constraints.txt
	$(PYTHON) .ci/pin.py $(foreach version,$(SUPPORTED_PYTHONS),$(version)=.venv-pin-$(version)/frozen.txt)
	rm -rf .venv-pin-*

.venv-pin-%/frozen.txt:
	$(or $(call find_python,$*),$(error Python $* is needed and was not found)) -m venv .venv-pin-$*
	.venv-pin-$*/bin/python -m pip --quiet install --upgrade pip
	TRAJMETER_BUILD=python .venv-pin-$*/bin/python -m pip --quiet install --group dev --group advisories '.[all]'
	.venv-pin-$*/bin/python -m pip --quiet freeze --all --exclude setuptools --exclude trajmeter > $@

.PHONY: clean
clean: ## Remove everything that these targets create, the fuzz corpus excepted
	rm -rf .venv-* target dist results fuzz/target python/trajmeter/kernels/_rust*.so
	rm -rf .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache .benchmarks .coverage
	find python tests benches build_backend -name __pycache__ -type d -prune -exec rm -rf {} +
