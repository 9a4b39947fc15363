"""Options of commands that need repository snapshots, and the store they describe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trajmeter.cli._paths import local
from trajmeter.cli._process import print_message
from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from trajmeter.snapshots import SnapshotStore

__all__ = [
    "CacheFolder",
    "NoCache",
    "RepositoryFolders",
    "cache_choice",
    "check_store_options",
    "report_missing_snapshots",
]

RepositoryFolders = Annotated[
    Path | None,
    typer.Option(
        "--repos",
        exists=True,
        file_okay=False,
        metavar="DIR",
        show_default=False,
        help="Git repository, or a folder of them; snapshots are taken from the tasks' commits.",
    ),
]
CacheFolder = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        file_okay=False,
        callback=lambda folder: folder and local(folder),
        metavar="DIR",
        show_default=False,
        help="Cache folder for parsed source files (default: the user's cache folder).",
    ),
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Do not read or write the cache.")]


def cache_choice(folder: Path | None, *, no_cache: bool) -> Path | bool:
    """Where to cache findings from source files, in the form that functions accept.

    Raises:
        ConfigurationError: A folder is named although caching is disabled.
    """
    if folder is not None and no_cache:
        raise ConfigurationError("--cache and --no-cache cannot be used together")
    return folder or not no_cache


def check_store_options(
    snapshots: Path | None, repos: Path | None, cache: Path | None, *, no_cache: bool
) -> None:
    """Check that options do not contradict each other.

    Raises:
        ConfigurationError: They do.
    """
    if repos is None and (cache is not None or no_cache):
        raise ConfigurationError("--cache and --no-cache need --repos DIR")
    if repos is not None and snapshots is not None:
        raise ConfigurationError("--snapshots and --repos cannot be used together")


def report_missing_snapshots(store: SnapshotStore | None) -> None:
    """Report tasks whose repository or commit was not found, and what to do."""
    if store is None:
        return
    from trajmeter.snapshots import RepositoryFolder

    if isinstance(store, RepositoryFolder):
        for text in store.missing():
            print_message(f"trajmeter: {text}")
        store.close()
