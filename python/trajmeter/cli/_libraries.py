"""How numpy, scipy and pyarrow start in a command."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MEMORY_POOL", "prepare_libraries", "preparing_libraries", "without_blas_threads"]

_BLAS_THREADS = "OPENBLAS_NUM_THREADS"
MEMORY_POOL = "ARROW_DEFAULT_MEMORY_POOL"
"""Environment variable from which pyarrow takes its allocator when it is imported."""


@contextmanager
def without_blas_threads() -> Iterator[None]:
    """Import numpy and scipy without BLAS threads, unless their number was chosen.

    Nothing here uses them, and starting them takes more CPU time than importing numpy.
    """
    if _BLAS_THREADS in os.environ:
        yield
        return
    os.environ[_BLAS_THREADS] = "1"
    try:
        yield
    finally:
        del os.environ[_BLAS_THREADS]  # child processes may use them


def prepare_libraries() -> None:
    """Import numpy, as :func:`preparing_libraries` does."""
    with preparing_libraries():
        pass


@contextmanager
def preparing_libraries() -> Iterator[None]:
    """Choose how numpy and pyarrow start, and import numpy at the end of the block.

    numpy starts :func:`without_blas_threads`. By default, pyarrow asks for huge pages, and a short
    process clears most of them for nothing.
    """
    os.environ.setdefault(MEMORY_POOL, "system")
    with without_blas_threads():
        yield
        import numpy as np  # noqa: F401 - it reads the variable only now
