"""The lock of a run's folder, which the system releases when the process ends."""

from __future__ import annotations

import os
import warnings
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime, timezone
from typing import IO, TYPE_CHECKING, Any

from trajmeter.errors import ConfigurationError
from trajmeter.system import locks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["holding", "is_held", "take"]


@contextmanager
def holding(place: Path, folder: Path) -> Iterator[None]:
    """Hold a lock whose file names the process that holds it.

    Args:
        place: The lock file.
        folder: The locked folder, for messages.

    Raises:
        ConfigurationError: Another process holds it, or its file cannot be written.
    """
    with ExitStack() as stack:
        try:
            # Unbuffered, as a buffer that a full disk does not take fails again when it is closed.
            file = stack.enter_context(open(place, "a+b", buffering=0, opener=_without_links))
            take(file, folder)
            file.seek(0)
            file.truncate()
            begun = datetime.now(timezone.utc).isoformat(timespec="seconds")
            file.write(f"process {os.getpid()}, since {begun}".encode())
        except OSError as error:
            reason = error.strerror or str(error)
            raise ConfigurationError(f"{place}: cannot be written: {reason}") from error
        yield


def _without_links(file: str, flags: int) -> int:
    """Open a file that is written, but none that a link in somebody else's folder leads to."""
    return os.open(file, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def is_held(place: Path) -> bool:
    """Whether another process holds a lock, or may hold it if its file system has no locks."""
    if not place.exists():
        return False
    with suppress(OSError), place.open("r+b") as file:
        return not locks.lock(file)
    return True


def take(file: IO[Any], folder: Path) -> None:
    """Lock an open file, if its file system supports locks.

    Raises:
        ConfigurationError: Another process holds the lock.
    """
    try:
        is_held = locks.lock(file)
    except OSError:  # two writers waste time but are harmless
        warnings.warn(
            f"{folder}: this file system has no locks; two runs that write it at once "
            "score the same units twice",
            stacklevel=2,
        )
        return
    if not is_held:
        with open(file.name, encoding="utf-8") as held:  # noqa: PTH123 - the lock's own name
            holder = held.read()
        raise ConfigurationError(f"{folder}: another process is writing this output ({holder})")
