"""Setup of all benchmarks: requires optimised kernels, and selects cases by their threads."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from benches.contest import Entry


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--parallel-only", action="store_true", help="run only the cases that use threads"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--parallel-only"):
        items[:] = [item for item in items if _is_parallel(item)]


def _is_parallel(item: pytest.Item) -> bool:
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return False
    entry = item.callspec.params.get("entry")
    return isinstance(entry, Entry) and entry.case.parallel


def pytest_sessionstart() -> None:
    if find_spec("trajmeter.kernels._rust") is None:
        return
    from trajmeter.kernels import _rust

    if not _rust.OPTIMISED:
        pytest.exit("the extension is a debug build; run `make build`", returncode=2)
