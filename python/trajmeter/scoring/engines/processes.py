"""Scoring units in several processes of this machine.

Each worker opens metrics, tasks and snapshots once, takes the number of a unit, commits its part
and sends a receipt. One that dies is replaced, and its unit tried again. Workers end when the
process that started them does, in whatever way.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import warnings
from collections import Counter, deque
from contextlib import suppress
from multiprocessing import connection
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.errors import ConfigurationError, TrajmeterError
from trajmeter.scoring.unit import Receipt, UnitScorer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from trajmeter.records import ReadProblem
    from trajmeter.scoring.job import Job
    from trajmeter.scoring.parts import RunFolder
    from trajmeter.scoring.plan import Plan, Unit

__all__ = ["ProcessPool"]

_TRIES = 3
"""How often a unit is begun whose worker dies."""
_PATIENCE_SECONDS = 5.0


class _Work(NamedTuple):
    """What a worker needs to know."""

    job: Job
    plan: Plan
    folder: RunFolder


class _Worker(NamedTuple):
    process: SpawnProcess
    channel: Connection


class ProcessPool:
    """Scores units in processes.

    Args:
        job: Metrics, and what they score against.
        plan: The units.
        folder: Where parts are kept.
        workers: How many processes.
        on_problem: Called with every file and record that cannot be read.

    Raises:
        ConfigurationError: A metric, or what it scores against, cannot be sent to a process.
    """

    def __init__(
        self,
        job: Job,
        plan: Plan,
        folder: RunFolder,
        workers: int,
        on_problem: Callable[[ReadProblem], None] | None,
    ) -> None:
        self._work = _Work(job, plan, folder)
        try:
            pickle.dumps(self._work)
        except Exception as error:
            raise ConfigurationError(
                f"several workers need metrics, tasks and snapshots by name or path: {error}"
            ) from error
        self._folder = folder
        self._count = workers
        self._report = on_problem
        self._warned: set[str] = set()
        self._busy: dict[Connection, tuple[_Worker, int]] = {}
        self.failed: list[tuple[int, str]] = []
        """Units whose workers died each time, with the reason."""

    def score(self, units: Sequence[Unit]) -> Iterator[Receipt]:
        """Score and commit units; yields a receipt of each, in the order in which they are done.

        Raises:
            TrajmeterError: What ended a worker's unit, such as a full disk.
        """
        self._waiting = deque(unit.number for unit in units)
        self._tries: Counter[int] = Counter()
        try:
            for _ in range(min(self._count, len(units))):
                self._give(self._start())
            while self._busy:
                for ready in connection.wait([*self._busy]):
                    yield from self._listen(ready)  # type: ignore[arg-type]  # of our channels
        finally:
            self._end()

    def _start(self) -> _Worker:
        context = multiprocessing.get_context("spawn")
        own, theirs = context.Pipe()
        process = context.Process(target=_score_units, args=(self._work, theirs), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, own)

    def _give(self, worker: _Worker) -> None:
        """Give a worker its next unit, or let it go."""
        if not self._waiting:
            worker.channel.close()
            worker.process.join()
            return
        number = self._waiting.popleft()
        self._tries[number] += 1
        self._busy[worker.channel] = worker, number
        with suppress(OSError):  # it died; it will be noticed
            worker.channel.send(number)

    def _listen(self, channel: Connection) -> Iterator[Receipt]:
        worker, number = self._busy[channel]
        try:
            told = channel.recv()
        except (EOFError, OSError):
            del self._busy[channel]
            channel.close()
            worker.process.join()
            self._replace(worker.process.exitcode, number)
            return
        if isinstance(told, BaseException):
            raise told
        if isinstance(told, Receipt):
            del self._busy[channel]
            yield told
            self._give(worker)
        elif isinstance(told, str):
            if told not in self._warned:
                self._warned.add(told)
                warnings.warn(told, stacklevel=2)
        elif self._report is not None:
            self._report(told)

    def _replace(self, code: int | None, number: int) -> None:
        """Try the unit of a dead worker again, or set it aside."""
        if self._tries[number] < _TRIES:
            self._waiting.append(number)
        else:
            unit = self._work.plan.units[number]
            self.failed.append((number, f"{unit.place}: its worker {_ending(code)}"))
        if self._waiting:
            self._give(self._start())

    def _end(self) -> None:
        """End workers that are still at work, and remove what they were writing."""
        workers = [worker for worker, _ in self._busy.values()]
        self._busy.clear()
        for worker in workers:
            worker.process.terminate()
        for worker in workers:
            worker.process.join(_PATIENCE_SECONDS)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.channel.close()
        if workers or self.failed:
            self._folder.remove_abandoned()


def _ending(code: int | None) -> str:
    if code is None or code >= 0:
        return f"ended with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    hint = "; where memory ran out, use fewer --workers" if name == "SIGKILL" else ""
    return f"was ended by {name}{hint}"


def _score_units(work: _Work, channel: Connection) -> None:
    """Score the units whose numbers arrive, in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    threading.Thread(target=_end_with_parent, daemon=True).start()
    lock = threading.Lock()

    def tell(what: object) -> None:
        with lock:
            channel.send(what)

    def tell_warning(message: Warning | str, *_place: Any, **_file: Any) -> None:  # noqa: ANN401 - of no use here
        tell(str(message))

    warnings.showwarning = tell_warning
    try:
        opened = work.job.open(_ignore)
        layout = opened.layout
        while True:
            unit = work.plan.units[channel.recv()]
            tell(work.folder.commit(UnitScorer(unit, opened, work.plan, tell), layout))
    except (EOFError, BrokenPipeError):
        return
    except Exception as error:  # noqa: BLE001 - raised again where the run is
        with suppress(OSError):
            tell(error if isinstance(error, TrajmeterError) else _described(error))


def _described(error: Exception) -> Exception:
    """An exception as another process can take it."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - what was written right here
    except Exception:  # noqa: BLE001 - whatever its class does
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _ignore(_: ReadProblem) -> None:
    """Report nothing: the run has reported what of tasks and snapshots cannot be read."""


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
