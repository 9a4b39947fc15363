"""Scores units in several processes on this machine.

Each worker opens metrics, tasks and snapshots once, receives the number of a unit, commits its part
and replies with a receipt. A worker that dies is replaced, and its unit is retried. Workers end
when their parent process ends, however it ends.
"""

from __future__ import annotations

import signal
import warnings
from collections import deque
from contextlib import ExitStack
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.records import ReadProblem
from trajmeter.scoring.runs.engines.task import TRIES, WorkerTask
from trajmeter.scoring.runs.plan import in_order
from trajmeter.scoring.runs.work import Receipt
from trajmeter.system.processes import WorkerEndedError, WorkerProcess
from trajmeter.system.processors import processors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from trajmeter.scoring.runs.folder import RunFolder
    from trajmeter.scoring.runs.plan import Plan, Unit
    from trajmeter.scoring.runs.work import Work

__all__ = ["ProcessPool", "Raised", "Warned"]

_MODULE = "trajmeter.scoring.runs.engines.worker"


class Warned(NamedTuple):
    """A warning of a worker."""

    message: str


class Raised(NamedTuple):
    """The error that ended a worker's unit, and the run."""

    error: BaseException


class _Died(NamedTuple):
    """A worker died at every try of a unit."""

    number: int
    message: str


class _Ended(NamedTuple):
    """A thread has no units left for its workers."""


class ProcessPool:
    """Scores units in processes.

    Args:
        work: What is done with the units.
        plan: The units.
        folder: Where parts are stored.
        workers: Number of processes.
        on_problem: Called with every file and record that cannot be read.

    Raises:
        ConfigurationError: A metric or its references cannot be sent to a process.
    """

    def __init__(
        self,
        work: Work[Any],
        plan: Plan,
        folder: RunFolder,
        workers: int,
        on_problem: Callable[[ReadProblem], None] | None,
    ) -> None:
        self._task = WorkerTask(work, plan, folder, max(1, processors() // workers))
        self._task.check_portable()
        self._count = workers
        self._report = on_problem
        self._waiting: deque[deque[int]] = deque()
        self._replies: SimpleQueue[object] = SimpleQueue()
        self._lock = Lock()
        self._reported: dict[int, int] = {}
        """Number of problems reported for each unit."""
        self._is_closed = False
        self._workers: list[WorkerProcess] = []
        self.failed: list[tuple[int, str]] = []
        """Units whose workers died at every try, with the reason."""

    def score(self, units: Sequence[Unit]) -> Iterator[Receipt]:
        """Score and commit units; yields a receipt for each, in the order of completion.

        Raises:
            TrajmeterError: An error ended a worker's unit, such as a full disk.
        """
        self._waiting.extend(deque(unit.number for unit in group) for group in in_order(units))
        threads = [Thread(target=self._hand_out) for _ in range(min(self._count, len(units)))]
        try:
            for thread in threads:  # an interrupt may come here, as starting one takes a while
                thread.start()
            yield from self._receipts(len(threads))
        finally:
            with self._lock:
                self._is_closed = True
                for worker in self._workers:
                    worker.kill()
            for thread in threads:
                if thread.is_alive():  # one that had not begun yet finds the run closed
                    thread.join()
            self._task.folder.remove_abandoned()  # files that workers were writing when they ended

    def _receipts(self, threads: int) -> Iterator[Receipt]:
        warned: set[str] = set()
        while threads:
            reply = self._replies.get()
            if isinstance(reply, _Ended):
                threads -= 1
            elif isinstance(reply, Raised):
                raise reply.error
            elif isinstance(reply, Receipt):
                yield reply
            elif isinstance(reply, _Died):
                self.failed.append(reply)
            elif isinstance(reply, ReadProblem):
                if self._report is not None:
                    self._report(reply)
            elif isinstance(reply, Warned) and reply.message not in warned:
                warned.add(reply.message)
                warnings.warn(reply.message, stacklevel=2)

    def _hand_out(self) -> None:
        """Pass units to a worker, and to its replacements, until there are no more."""
        try:
            with ExitStack() as stack:
                worker: WorkerProcess | None = None
                units: deque[int] = deque()
                while (number := self._next(units)) is not None:
                    worker = self._score_with_retries(worker, number, stack)
        except BaseException as error:  # noqa: BLE001 - raised again where receipts are awaited
            self._replies.put(Raised(error))
        finally:
            self._replies.put(_Ended())

    def _score_with_retries(
        self, worker: WorkerProcess | None, number: int, stack: ExitStack
    ) -> WorkerProcess | None:
        """Let a worker, or its replacements, score a unit.

        Args:
            worker: The worker; ``None`` to start one.
            number: Number of the unit.
            stack: Ends the workers that are started.

        Returns:
            The worker that scored it; ``None`` if all died, or the run is over.
        """
        code = ""
        for _ in range(TRIES):
            worker = worker or self._start(stack)
            if worker is None:
                return None
            try:
                self._score_one(worker, number)
            except WorkerEndedError as error:
                worker, code = None, str(error)
            else:
                return worker
        place = self._task.plan.units[number].place
        self._replies.put(_Died(number, f"{place}: its worker {_ending(code)}"))
        return None

    def _next(self, units: deque[int]) -> int | None:
        """The next of this worker's own units, or of those taken over from others."""
        with self._lock:
            if self._is_closed:
                return None
            if not units and self._waiting:
                units.extend(self._waiting.popleft())
            return units.popleft() if units else None

    def _start(self, stack: ExitStack) -> WorkerProcess | None:
        """Start a worker; ``None`` if the run is over."""
        with self._lock:
            if self._is_closed:
                return None
            worker = stack.enter_context(WorkerProcess(_MODULE))
            self._workers.append(worker)
        worker.send(self._task)
        return worker

    def _score_one(self, worker: WorkerProcess, number: int) -> None:
        """Let a worker score a unit, and forward its messages.

        A replacement worker finds the same problems again; they are reported once.

        Raises:
            WorkerEndedError: It died.
        """
        worker.send(number)
        problems = 0
        while True:
            reply = worker.receive()
            if isinstance(reply, ReadProblem):
                problems += 1
                if problems <= self._reported.get(number, 0):
                    continue
                self._reported[number] = problems
            self._replies.put(reply)
            if isinstance(reply, (Raised, Receipt)):
                return


def _ending(code: str) -> str:
    """How a process ended, from its exit code: if negative, the signal that ended it."""
    number = int(code)
    if number >= 0:
        return f"ended with code {number}"
    try:
        name = signal.Signals(-number).name
    except ValueError:
        name = f"signal {-number}"
    hint = (
        "; if memory ran out, use fewer --workers or a smaller --batch-size"
        if name == "SIGKILL"
        else ""
    )
    return f"was ended by {name}{hint}"
