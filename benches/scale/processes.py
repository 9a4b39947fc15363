"""Programs run once, and the resources they use: elapsed time, processor time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

__all__ = ["Spent", "spent"]

_LOOK_SECONDS = 0.05
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Spent(NamedTuple):
    """Resources used by a program and all processes that it started."""

    clock: float
    """Seconds of the clock."""
    seconds: float
    """Seconds of the processor."""
    bytes: int
    """The most memory that it held, that of its processes added up; pages they share count more
    than once."""

    def without(self, start: Spent) -> Spent:
        """Return what it used beyond starting up."""
        return self._replace(
            clock=max(self.clock - start.clock, 1e-9),
            seconds=max(self.seconds - start.seconds, 1e-9),
        )


def spent(words: list[str], *, rounds: int = 1, on_one_core: bool = False) -> Spent:
    """Run a program so many times; gives the least time, and the most memory.

    Args:
        words: Its name and arguments; without a name, a program of Python.
        rounds: How often.
        on_one_core: Whether all of its threads and processes share one core.
    """
    runs = [_spent(words, on_one_core=on_one_core) for _ in range(rounds)]
    return Spent(
        min(each.clock for each in runs),
        min(each.seconds for each in runs),
        max(each.bytes for each in runs),
    )


def _spent(words: list[str], *, on_one_core: bool) -> Spent:
    command = [sys.executable, *words] if words[0].startswith("-") else words
    cores = os.sched_getaffinity(0)
    began = time.perf_counter()
    try:
        if on_one_core:  # inherited
            os.sched_setaffinity(0, {min(cores)})
        program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    finally:
        os.sched_setaffinity(0, cores)
    most, ended = [0], Event()
    watcher = Thread(target=_watch, args=(program.pid, most, ended))
    watcher.start()
    assert program.stderr is not None
    told = program.stderr.read()
    _, status, usage = os.wait4(program.pid, 0)
    program.returncode = os.waitstatus_to_exitcode(status)
    clock = time.perf_counter() - began
    ended.set()
    watcher.join()
    program.stderr.close()
    assert not program.returncode, f"{command}: {told.decode()}"
    return Spent(clock, usage.ru_utime + usage.ru_stime, most[0])


def _watch(number: int, most: list[int], ended: Event) -> None:
    while not ended.wait(_LOOK_SECONDS):
        most[0] = max(most[0], _memory(number))


def _memory(number: int) -> int:
    """Return the bytes that a process and its children hold; none if it has ended."""
    place = Path("/proc", str(number))
    with suppress(OSError, IndexError):
        held = int((place / "statm").read_text().split()[1]) * _PAGE
        lists = [each.read_text() for each in place.glob("task/*/children")]
        return held + sum(_memory(int(child)) for text in lists for child in text.split())
    return 0
