"""Both backends by name, for tests that compare them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from trajmeter.kernels import load

if TYPE_CHECKING:
    from trajmeter.kernels import Kernels


@pytest.fixture(scope="session")
def rust() -> Kernels:
    """The extension; a missing one fails unless the suite was told to do without."""
    if os.environ.get("TRAJMETER_TEST_BACKEND") == "python":
        pytest.skip("TRAJMETER_TEST_BACKEND=python: this environment holds no extension")
    return load("rust")


@pytest.fixture(scope="session")
def twin() -> Kernels:
    """The specification."""
    return load("python")
