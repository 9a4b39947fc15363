"""Backends for tests of counts and sums."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from trajmeter import kernels

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module", params=["python", "rust"])
def each_backend(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run every test of a module with each backend."""
    if request.param == "rust" and os.environ.get("TRAJMETER_TEST_BACKEND") == "python":
        pytest.skip("TRAJMETER_TEST_BACKEND=python: this environment holds no extension")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "backend", lambda: request.param)
        yield
