"""What a metric is: a name, a version, the shape of its result, and how to score one attempt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from trajmeter.metrics._result import Result
    from trajmeter.records import Task, Trajectory

__all__ = ["Metric"]


class Metric(Protocol):
    """A metric family, ready to score: what it needs beside the records was given at creation."""

    @property
    def name(self) -> str:
        """Name of the family, the first part of its columns."""

    @property
    def version(self) -> str:
        """Version of the definition; changes whenever a score of the same record would."""

    @property
    def result_type(self) -> type[Result]:
        """Model of what :meth:`score` returns; the columns are derived from it."""

    def score(self, task: Task | None, trajectory: Trajectory) -> Result:
        """Score one attempt; ``task`` is ``None`` where no task of its id is known."""
