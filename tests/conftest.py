"""Fixtures every test may use: both kernel backends, and the reference data."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from trajmeter.kernels import Kernels

# Every run tries the same examples, whatever the machine's speed: a failure can be repeated.
settings.register_profile("suite", deadline=None, derandomize=True, max_examples=100)
settings.register_profile("thorough", deadline=None, max_examples=5_000)
settings.load_profile(os.environ.get("TRAJMETER_HYPOTHESIS_PROFILE", "suite"))

# A suite that was told to do without the extension asks for the twin, or every command would remark
# on the kernels that it fell back to.
if os.environ.get("TRAJMETER_TEST_BACKEND") == "python":
    os.environ.setdefault("TRAJMETER_BACKEND", "python")


def _load(name: Literal["python", "rust"]) -> Kernels:
    if name == "rust" and os.environ.get("TRAJMETER_TEST_BACKEND") == "python":
        pytest.skip("TRAJMETER_TEST_BACKEND=python: this environment holds no extension")
    from trajmeter.kernels import load

    return load(name)


@pytest.fixture(params=["python", "rust"], scope="session")
def kernels(request: pytest.FixtureRequest) -> Kernels:
    """Each backend in turn; a missing extension fails unless the suite was told to do without."""
    name: Literal["python", "rust"] = request.param
    return _load(name)


@pytest.fixture(scope="session")
def rust() -> Kernels:
    """The Rust backend, for tests that hold it against the twin."""
    return _load("rust")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Headless Chromium, the machine's own; for a module, as its event loop lives as long as it."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if not found:
        pytest.skip("chromium is not installed")
    sync_api.expect.set_options(timeout=20_000)  # milliseconds; a busy machine takes its time
    with sync_api.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session", autouse=True)
def _unflushed() -> Iterator[None]:
    """Do not wait for the disk: what a loss of power leaves, no test can see."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="session")
def reference_data() -> Path:
    """The directory of published data with expected values, which is not part of the project."""
    path = os.environ.get("TRAJMETER_REFERENCE_DATA")
    if not path:
        pytest.skip("TRAJMETER_REFERENCE_DATA is not set")
    return Path(path)
