"""What workers receive, and how they process a unit, with any engine."""

from __future__ import annotations

import os
import pickle
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.errors import ConfigurationError
from trajmeter.system.processors import THREADS

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajmeter.records import ReadProblem
    from trajmeter.scoring.runs.folder import RunFolder
    from trajmeter.scoring.runs.plan import Plan
    from trajmeter.scoring.runs.work import Receipt, Work

__all__ = ["TRIES", "OpenedTask", "WorkerTask"]

TRIES = 3
"""Maximum number of tries for a unit whose worker dies."""


class WorkerTask(NamedTuple):
    """What a worker needs."""

    work: Work[Any]
    """What is done with the units."""
    plan: Plan
    """The units."""
    folder: RunFolder
    """Where parts are stored."""
    threads: int
    """Kernel threads of each worker."""

    def check_portable(self) -> None:
        """Check that it can be pickled for another process.

        Raises:
            ConfigurationError: A metric or its references cannot.
        """
        try:
            pickle.dumps(self)
        except Exception as error:
            raise ConfigurationError(
                f"several workers need metrics, tasks and snapshots by name or path: {error}"
            ) from error


class OpenedTask:
    """A task whose metrics, tasks and snapshots a worker has opened.

    Args:
        task: The task.

    Raises:
        TrajmeterError: Something cannot be opened.
    """

    def __init__(self, task: WorkerTask) -> None:
        os.environ.setdefault(THREADS, str(task.threads))
        self._task = task
        self._opened = task.work.open(_ignore)

    def do(self, number: int, report: Callable[[ReadProblem], None]) -> Receipt:
        """Process and commit a unit.

        Args:
            number: Number of the unit.
            report: Called with every file and record that cannot be read.
        """
        plan = self._task.plan
        work = self._opened.unit_work(plan.units[number], plan, report)
        return self._task.folder.units.commit(work, self._opened)


def _ignore(_: ReadProblem) -> None:
    """Report nothing: the run has already reported problems with tasks and snapshots."""
