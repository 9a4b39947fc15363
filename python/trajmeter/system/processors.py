"""Processors available to this process, and the number of threads to compute with."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["THREADS", "limited_threads", "processors", "threads"]

THREADS = "RAYON_NUM_THREADS"
"""Environment variable with the number of threads; kernels read it on first use."""
_MOST_THREADS = 1_024
"""More than any machine has processors for; Arrow and rayon take far larger numbers literally."""


def processors() -> int:
    """Number of processors available to this process."""
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable else os.cpu_count() or 1


def threads() -> int:
    """Number of threads to compute with: ``THREADS`` if set, otherwise one per processor."""
    setting = os.environ.get(THREADS, "")
    return int(setting) if setting.isdecimal() and int(setting) else processors()


@contextmanager
def limited_threads(count: int | None) -> Iterator[None]:
    """Limit the threads of kernels and Arrow, here and in processes started within the context.

    Kernels that have already been used keep their threads.

    Args:
        count: Number of threads per process; ``None`` changes nothing.

    Raises:
        ConfigurationError: ``count`` is below 1 or above 1,024.
    """
    if count is None:
        yield
        return
    if not 1 <= count <= _MOST_THREADS:
        raise ConfigurationError(f"threads is {count:,}, expected 1 to {_MOST_THREADS:,}")
    import pyarrow as pa

    before, arrow = os.environ.get(THREADS), pa.cpu_count()
    os.environ[THREADS] = str(count)
    pa.set_cpu_count(count)
    try:
        yield
    finally:
        pa.set_cpu_count(arrow)
        del os.environ[THREADS]
        if before is not None:
            os.environ[THREADS] = before
