"""What agents may do to the process they run in, and how the command line stands it."""

from __future__ import annotations

import asyncio
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

__all__ = ["printing_to_stderr", "run_with_agents"]

_STDOUT, _STDERR = 1, 2
_MOST_THREADS = 1_000
"""Enough that those which hang, and are given up, do not keep the next questions waiting."""

ResultT = TypeVar("ResultT")


def run_with_agents(work: Coroutine[None, None, ResultT]) -> ResultT:
    """Run a coroutine that calls agents, without waiting for threads that they left running.

    ``asyncio.run`` waits at its end for whatever an agent handed to ``asyncio.to_thread``, and that
    may never end.
    """

    async def run() -> ResultT:
        asyncio.get_running_loop().set_default_executor(_UnawaitedExecutor(_MOST_THREADS))
        return await work

    return asyncio.run(run())


@contextmanager
def printing_to_stderr() -> Iterator[None]:
    """Let whatever agents and their processes print go to stderr: stdout holds nothing but data."""
    sys.stdout.flush()
    # Programs that an agent starts, and code in C, know the file descriptor alone.
    kept = os.dup(_STDOUT)
    os.dup2(_STDERR, _STDOUT)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, _STDOUT)
        os.close(kept)


class _UnawaitedExecutor(ThreadPoolExecutor):
    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002, FBT001 - as the class has it
        super().shutdown(wait=False, cancel_futures=cancel_futures)
