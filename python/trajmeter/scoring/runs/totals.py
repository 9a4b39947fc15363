"""Totals of the units of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from trajmeter.readers.pieces import FolderTally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pydantic import BaseModel

    from trajmeter.readers.pieces import FolderNotes
    from trajmeter.records import ReadProblem
    from trajmeter.scoring.runs.plan import Unit
    from trajmeter.scoring.runs.unit_files import UnitFiles
    from trajmeter.scoring.runs.work import OpenedWork

__all__ = ["RunTotals", "totals_of"]

SummaryT = TypeVar("SummaryT", bound="BaseModel")


@dataclass
class RunTotals(Generic[SummaryT]):
    """The combined totals of units."""

    rows: int
    """Number of rows."""
    problems: int
    """Number of files and records that could not be read."""
    folders: list[tuple[int, FolderTally]]
    """What the units found in each folder, by its number."""
    summary: SummaryT
    """Summary of the rows."""

    def end(
        self,
        folders: Sequence[FolderNotes],
        on_problem: Callable[[ReadProblem], None] | None = None,
    ) -> int:
        """Report what is only known at the end about whole folders: the files skipped in them.

        Args:
            folders: The folders, by number.
            on_problem: Called with every file that was skipped.

        Returns:
            How many of them contain nothing that can be read.
        """
        found = 0
        for number, tally in self.folders:
            folders[number].merge(tally)
        for notes in folders:
            for problem in notes.end():
                found += 1
                if on_problem is not None:
                    on_problem(problem)
        return found


def totals_of(
    opened: OpenedWork[SummaryT], files: UnitFiles, units: Iterable[Unit]
) -> RunTotals[SummaryT]:
    """Combine the states of units."""
    totals = opened.totals()
    rows = problems = 0
    folders = []
    for state in files.states(units):
        rows += state["rows"]
        problems += state["problem_count"]
        totals.merge(state["totals"])
        folders += [(number, FolderTally(*tally)) for number, *tally in state["folders"]]
    return RunTotals(rows, problems, folders, totals.summary())
