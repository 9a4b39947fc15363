"""The twin by name, for tests that compare Rust with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from trajmeter.kernels import load

if TYPE_CHECKING:
    from trajmeter.kernels import Kernels


@pytest.fixture(scope="session")
def twin() -> Kernels:
    """The specification."""
    return load("python")
