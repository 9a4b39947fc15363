"""Fixtures for all tests: both kernel backends, and the reference data."""

from __future__ import annotations

import os
import shutil
import sysconfig
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from trajmeter.kernels import Kernels

# Every run tries the same examples, whatever the machine's speed: a failure can be repeated.
settings.register_profile(
    "suite",
    deadline=None,
    derandomize=True,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("quick", settings.get_profile("suite"), max_examples=20)
settings.register_profile(
    "thorough",
    deadline=None,
    max_examples=5_000,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("TRAJMETER_HYPOTHESIS_PROFILE", "suite"))

# A suite that was told to do without the extension asks for the twin, or every command would remark
# on the kernels that it fell back to.
if os.environ.get("TRAJMETER_TEST_BACKEND") == "python":
    os.environ.setdefault("TRAJMETER_BACKEND", "python")


WITHOUT_WHEELS = {
    "cli/test_score_judge.py": "openai",
    "cli/test_snapshot.py": "tree_sitter_python",
    "cli/test_view.py::test_a_profile_decides_what_has_been_seen": "tree_sitter_python",
    "cli/test_view.py::test_beside_its_task_and_repository": "tree_sitter_python",
    "judges/test_openai.py": "openai",
    "scoring/test_repositories.py": "tree_sitter_javascript",
    "snapshots/test_definitions.py": "tree_sitter_kotlin",
    "snapshots/test_fuzz.py::test_every_file_has_an_entry": "tree_sitter_javascript",
    "snapshots/test_own_repository.py": "tree_sitter_rust",
    "snapshots/test_repositories.py": "tree_sitter_javascript",
    "snapshots/test_take.py": "tree_sitter_javascript",
}
"""Files and tests of what has no wheel for free-threaded CPython, and the package they need."""


@pytest.hookimpl(tryfirst=True)  # before the plugin that sets the time
def pytest_configure(config: pytest.Config) -> None:
    """Import the package as users do; no time limit for a thorough run of random examples."""
    # pytest parses every module of a plugin's package, for its assertions. In a thread that imports
    # one for the first time, the parser of CPython 3.11 may raise a SystemError.
    getattr(config.pluginmanager.rewrite_hook, "_must_rewrite", set()).discard("trajmeter")
    if os.environ.get("TRAJMETER_HYPOTHESIS_PROFILE") == "thorough":
        config.option.timeout = 0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """On free-threaded CPython, skip tests whose packages are unavailable there."""
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        return
    tests = Path(__file__).parent
    for item in items:
        file = item.path.relative_to(tests).as_posix() if item.path.is_relative_to(tests) else ""
        package = WITHOUT_WHEELS.get(file) or WITHOUT_WHEELS.get(f"{file}::{item.name}")
        if package is not None and not _can_be_imported(package):
            reason = f"{package} has no wheel for free-threaded CPython"
            item.add_marker(pytest.mark.skip(reason=reason))


@cache
def _can_be_imported(package: str) -> bool:
    try:
        import_module(package)
    except ImportError:
        return False
    return True


def _load(name: Literal["python", "rust"]) -> Kernels:
    if name == "rust" and os.environ.get("TRAJMETER_TEST_BACKEND") == "python":
        pytest.skip("TRAJMETER_TEST_BACKEND=python: this environment holds no extension")
    from trajmeter.kernels import load

    return load(name)


@pytest.fixture(params=["python", "rust"], scope="session")
def kernels(request: pytest.FixtureRequest) -> Kernels:
    """Each backend in turn; a missing extension fails unless the suite runs without it."""
    name: Literal["python", "rust"] = request.param
    return _load(name)


@pytest.fixture(scope="session")
def rust() -> Kernels:
    """The Rust backend, for tests that compare it with the twin."""
    return _load("rust")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The machine's headless Chromium; per module, like its event loop."""
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
    """Do not wait for the disk: tests cannot see what survives a power failure."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _unproxied() -> Iterator[None]:
    """Reach the servers of tests directly, whatever proxy this machine uses."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("no_proxy", "127.0.0.1,localhost")
        yield


@pytest.fixture(scope="session")
def reference_data() -> Path:
    """The folder of published data with expected values, which is not part of the project."""
    path = os.environ.get("TRAJMETER_REFERENCE_DATA")
    if not path:
        pytest.skip("TRAJMETER_REFERENCE_DATA is not set")
    return Path(path)
