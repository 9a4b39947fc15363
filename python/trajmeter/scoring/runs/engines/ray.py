"""Scores units with Ray, on this machine or on a cluster whose nodes share the files.

Units are distributed, not rows: an actor opens metrics, tasks and snapshots once, commits the part
of each unit itself, and replies with a receipt. An actor that dies is replaced, and its unit is
retried.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import warnings
from collections import deque
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.errors import ConfigurationError, ExtraMissingError
from trajmeter.scoring.runs.engines.task import TRIES, OpenedTask, WorkerTask
from trajmeter.system.processors import processors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from trajmeter.records import ReadProblem
    from trajmeter.scoring.runs.folder import RunFolder
    from trajmeter.scoring.runs.plan import Plan, Unit
    from trajmeter.scoring.runs.work import Receipt, Work

__all__ = ["RayPool", "UnitActor", "import_ray"]

_ADDRESS = "RAY_ADDRESS"
_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",  # disables usage reports
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # disables a warning about a future change
    "RAY_DEDUP_LOGS_SKIP_REGEX": r"\A",  # otherwise it prints to stdout that an actor died
}


class Done(NamedTuple):
    """An actor's reply for a unit."""

    receipt: Receipt
    problems: tuple[ReadProblem, ...]
    """Files and records that cannot be read."""
    warnings: tuple[str, ...]
    """Its warnings."""


class _Request(NamedTuple):
    """A request to an actor: to prepare, or to process a unit."""

    actor: Any
    number: int | None
    tries: int


class UnitActor:
    """Processes units in a Ray process."""

    def open(self, task: WorkerTask, place: str) -> None:
        """Prepare for the units.

        Args:
            task: What to do, and the units.
            place: Working directory of the process that started the run, against which relative
                paths resolve.

        Raises:
            ConfigurationError: The actor does not see the folder of the run.
        """
        try:
            os.chdir(place)
            is_seen = task.folder.state.is_dir()
        except OSError:
            is_seen = False
        if not is_seen:
            raise ConfigurationError(
                f"{Path(place, task.folder.folder)} is not visible on {socket.gethostname()}: with "
                "Ray, inputs and output must be on a file system that all nodes share"
            )
        self._opened = OpenedTask(task)

    def do(self, number: int) -> Done:
        """Process and commit a unit."""
        problems: list[ReadProblem] = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")  # the run decides which warnings to show
            receipt = self._opened.do(number, problems.append)
        return Done(receipt, tuple(problems), tuple(str(each.message) for each in caught))


class RayPool:
    """Processes units in Ray actors.

    Args:
        work: What is done with the units.
        plan: The units.
        folder: Where parts are stored; visible to every node.
        workers: Number of actors; ``None`` for one per processor of the cluster.
        on_problem: Called with every file and record that cannot be read.

    Raises:
        ExtraMissingError: Ray is not installed.
        ConfigurationError: A metric or its references cannot be sent to a process.
    """

    def __init__(
        self,
        work: Work[Any],
        plan: Plan,
        folder: RunFolder,
        workers: int | None,
        on_problem: Callable[[ReadProblem], None] | None,
    ) -> None:
        self._ray = import_ray()
        self._task = WorkerTask(work, plan, folder, threads=1)
        self._task.check_portable()
        self._workers = workers
        self._report = on_problem
        self._warned: set[str] = set()
        self._waiting: deque[tuple[int, int]] = deque()
        self._actors: list[Any] = []
        self._requests: dict[Any, _Request] = {}
        self.failed: list[tuple[int, str]] = []
        """Units whose actors died at every try, with the reason."""

    def score(self, units: Sequence[Unit]) -> Iterator[Receipt]:
        """Process and commit units; yields a receipt for each, in the order of completion.

        Raises:
            TrajmeterError: An error ended an actor's unit, such as a full disk.
        """
        self._waiting.extend((unit.number, 1) for unit in units)
        with self._connected() as count:
            task = self._ray.put(self._task)
            try:
                for _ in range(min(count, len(units))):
                    self._start(task, 1)
                yield from self._receipts(task)
            finally:
                for actor in self._actors:
                    self._ray.kill(actor)
        self._task.folder.remove_abandoned()  # files that actors were writing when they ended

    def _receipts(self, task: Any) -> Iterator[Receipt]:  # noqa: ANN401 - a reference of Ray's
        """Await replies and make further requests until every unit is done or given up."""
        while self._waiting or any(each.number is not None for each in self._requests.values()):
            (reply,), _ = self._ray.wait([*self._requests], num_returns=1)
            request = self._requests.pop(reply)
            try:
                done = self._ray.get(reply)
            except self._ray.exceptions.RayActorError as error:
                self._replace(request, task, str(error))
                continue
            except self._ray.exceptions.RayTaskError as error:
                raise error.cause or error from None
            if done is not None:
                self._report_findings(done)
                yield done.receipt
            self._hand_out(request.actor)

    def _start(self, task: Any, tries: int) -> None:  # noqa: ANN401 - as above
        """Start an actor; it gets a unit once it is ready, as it may have to wait for resources."""
        actor = self._ray.remote(num_cpus=1, max_restarts=0)(UnitActor).remote()
        self._actors.append(actor)
        self._requests[actor.open.remote(task, str(Path.cwd()))] = _Request(actor, None, tries)

    def _hand_out(self, actor: Any) -> None:  # noqa: ANN401 - an actor of Ray's
        """Give an actor the next unit, if there is one."""
        if self._waiting:
            number, tries = self._waiting.popleft()
            self._requests[actor.do.remote(number)] = _Request(actor, number, tries)

    def _replace(self, request: _Request, task: Any, cause: str) -> None:  # noqa: ANN401 - as above
        """Replace a dead actor, and requeue its unit or give it up."""
        if request.number is None:
            if request.tries == TRIES:
                raise ConfigurationError(f"Ray workers die before they are ready: {cause}")
            self._start(task, request.tries + 1)
            return
        if request.tries < TRIES:
            self._waiting.appendleft((request.number, request.tries + 1))
        else:
            place = self._task.plan.units[request.number].place
            hint = "if memory ran out, use fewer --workers or a smaller --batch-size"
            self.failed.append((request.number, f"{place}: its worker was ended; {hint}"))
        if self._waiting:
            self._start(task, 1)

    def _report_findings(self, done: Done) -> None:
        """Forward an actor's messages."""
        for message in done.warnings:
            if message not in self._warned:
                self._warned.add(message)
                warnings.warn(message, stacklevel=2)
        if self._report is not None:
            for problem in done.problems:
                self._report(problem)

    @contextmanager
    def _connected(self) -> Iterator[int]:
        """Use the named or connected cluster, or a new one; returns the number of actors."""
        ray = self._ray
        is_ours = not ray.is_initialized()
        if is_ours:
            address = os.environ.get(_ADDRESS)
            here = {"num_cpus": self._workers or processors(), "include_dashboard": False}
            with _quiet(), _keeping_handler():
                ray.init(
                    address or "local",
                    log_to_driver=False,
                    logging_level="ERROR",
                    **({} if address else here),
                )
        try:
            yield self._workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        finally:
            if is_ours:
                ray.shutdown()


def import_ray() -> Any:  # noqa: ANN401 - a module that need not be installed
    """Import Ray without its output.

    Raises:
        ExtraMissingError: It is not installed.
    """
    try:
        with _quiet():
            import ray
            import ray.exceptions
    except ImportError as error:
        raise ExtraMissingError("--engine ray needs Ray: pip install 'trajmeter[ray]'") from error
    return ray


@contextmanager
def _quiet() -> Iterator[None]:
    """Set the variables that keep Ray quiet, unless already set."""
    added = {name: value for name, value in _QUIET.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


@contextmanager
def _keeping_handler() -> Iterator[None]:
    """Preserve the SIGTERM handler, which Ray replaces."""
    is_main = threading.current_thread() is threading.main_thread()
    kept = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if is_main and kept is not None:
            signal.signal(signal.SIGTERM, kept)
