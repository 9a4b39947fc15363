"""One attempt with a result of each metric."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from trajmeter.errors import InputError

if TYPE_CHECKING:
    from trajmeter.metrics._result import MetricError, Result
    from trajmeter.metrics.rows import RowLayout
    from trajmeter.records import Score, Task, Trajectory

__all__ = ["Scored"]


@dataclass(frozen=True, slots=True)
class Scored:
    """One attempt with a result of each metric."""

    task: Task | None
    """The task; ``None`` if its id is unknown."""
    trajectory: Trajectory
    """The attempt."""
    results: tuple[Result | MetricError, ...]
    """One result for each metric, in the order of the metrics."""
    layout: RowLayout | None = field(default=None, compare=False, repr=False)
    """Columns of the results, if they were scored for a table; not pickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without the columns, whose metrics may be unpicklable functions."""
        return Scored, (self.task, self.trajectory, self.results)

    def figure(self, name: str) -> Score:
        """One figure by its name, short or whole, or why it has no value.

        Raises:
            UnknownNameError: There is no such figure; the nearest is named.
            InputError: The attempt was scored without columns.

        Example:
            >>> import trajmeter
            >>> from trajmeter.records import Trajectory
            >>> scored = trajmeter.Scorer(["turns"]).score(Trajectory(task_id="a", turns=()))
            >>> scored.figure("turns.turn_count").value
            0.0
        """
        return self._columns().figure(name).of(self)

    def figures(self, *patterns: str) -> dict[str, Score]:
        """Figures that match names, short names and patterns, by column.

        Raises:
            UnknownNameError: A name or pattern matches no figure; the nearest is named.
            InputError: The attempt was scored without columns.
        """
        return {each.name: each.of(self) for each in self._columns().figures(*patterns)}

    def row(self) -> dict[str, Any]:
        """The row of a results table.

        Raises:
            InputError: The attempt was scored without columns, or a result does not fit its
                columns.
        """
        return self._columns().row(self)

    def _columns(self) -> RowLayout:
        if self.layout is None:
            raise InputError(
                "the attempt has no columns: it was pickled, or not scored by a trajmeter.Scorer"
            )
        return self.layout
