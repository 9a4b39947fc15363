"""Refuses to time kernels that were compiled without optimisation."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def pytest_sessionstart() -> None:
    if find_spec("trajmeter.kernels._rust") is None:
        return
    from trajmeter.kernels import _rust

    if not _rust.OPTIMISED:
        pytest.exit("the extension is a debug build; run `make build`", returncode=2)
