"""Builds Trajmeter with its Rust kernels where cargo is installed, and without them elsewhere.

A plain maturin backend downloads a whole Rust toolchain when it finds none. This one delegates to
maturin when cargo answers and to hatchling otherwise, so that ``pip install`` works on any machine;
the pure-Python wheel gives the same results, more slowly.

The environment variable ``TRAJMETER_BUILD`` decides:

* ``auto`` (default): Rust if cargo answers, else pure Python;
* ``rust``: Rust, or an error;
* ``python``: pure Python.

The optional hooks that only prepare metadata are left out: hatchling has none under pip, and the
wheel that a frontend then builds for its metadata is the one that it installs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    ConfigSettings = Mapping[str, str | list[str]] | None

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]

_MATURIN = "maturin>=1.9,<2"
_HATCHLING = "hatchling>=1.27,<2"
_EDITABLES = "editables>=0.5"


class Backend(Protocol):
    """What maturin and hatchling both offer (PEP 517 and PEP 660)."""

    def build_wheel(
        self, directory: str, settings: ConfigSettings, metadata_directory: str | None
    ) -> str: ...
    def build_editable(
        self, directory: str, settings: ConfigSettings, metadata_directory: str | None
    ) -> str: ...
    def build_sdist(self, directory: str, settings: ConfigSettings) -> str: ...


class BuildError(RuntimeError):
    """The build that was asked for cannot be made on this machine."""


def _cargo_answers() -> bool:
    """Whether cargo runs; a rustup proxy without a toolchain is on PATH but does not."""
    cargo = shutil.which("cargo")
    if cargo is None:
        return False
    return subprocess.run([cargo, "--version"], capture_output=True, check=False).returncode == 0


def _builds_rust() -> bool:
    choice = os.environ.get("TRAJMETER_BUILD", "auto")
    if choice not in {"auto", "rust", "python"}:
        raise BuildError(f"TRAJMETER_BUILD is {choice!r}, expected 'auto', 'rust' or 'python'")
    if choice == "rust" and not _cargo_answers():
        raise BuildError("TRAJMETER_BUILD is 'rust', but cargo is not installed or does not run")
    return choice == "rust" or (choice == "auto" and _cargo_answers())


def _maturin() -> Backend:
    os.environ["MATURIN_NO_INSTALL_RUST"] = "1"
    return cast("Backend", import_module("maturin"))


def _backend() -> Backend:
    if _builds_rust():
        return _maturin()
    print("trajmeter: building without Rust: the pure-Python kernels give the same results, slower")
    return cast("Backend", import_module("hatchling.build"))


def get_requires_for_build_wheel(config_settings: ConfigSettings = None) -> list[str]:
    """What building a wheel needs beside the standard library."""
    del config_settings  # the choice lies in the environment alone
    return [_MATURIN] if _builds_rust() else [_HATCHLING]


def get_requires_for_build_editable(config_settings: ConfigSettings = None) -> list[str]:
    """What building an editable install needs beside the standard library."""
    del config_settings  # as above
    return [_MATURIN] if _builds_rust() else [_HATCHLING, _EDITABLES]


def get_requires_for_build_sdist(config_settings: ConfigSettings = None) -> list[str]:
    """What building a source archive needs; always maturin, which knows the Rust sources."""
    del config_settings  # there is one way to build it
    return [_MATURIN]


def build_wheel(
    wheel_directory: str,
    config_settings: ConfigSettings = None,
    metadata_directory: str | None = None,
) -> str:
    """Build a wheel, with Rust or without, and return its file name."""
    return _backend().build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str,
    config_settings: ConfigSettings = None,
    metadata_directory: str | None = None,
) -> str:
    """Build an editable wheel, with Rust or without, and return its file name."""
    return _backend().build_editable(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: ConfigSettings = None) -> str:
    """Build the source archive and return its file name.

    Raises:
        BuildError: cargo, which lists the Rust sources, does not run.
    """
    if not _cargo_answers():
        raise BuildError("a source archive holds the Rust crates, and listing them needs cargo")
    return _maturin().build_sdist(sdist_directory, config_settings)
