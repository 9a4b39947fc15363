"""Scoring one unit: its rows, what they add up to, and what could not be read."""

from __future__ import annotations

from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.errors import ConfigurationError
from trajmeter.readers.pieces import FolderNotes, batches_of
from trajmeter.remote import path_of
from trajmeter.scoring.stream import StreamScorer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from trajmeter.readers.pieces import FileIdentity
    from trajmeter.records import ReadProblem
    from trajmeter.scoring.columns import ScoredRows
    from trajmeter.scoring.job import OpenedJob
    from trajmeter.scoring.plan import Plan, Unit
    from trajmeter.writers import TableWriter

__all__ = ["Receipt", "UnitScorer", "score_unit"]

_KEPT_PROBLEMS = 20
"""Problems of a unit whose text is kept; the others are counted."""


class Receipt(NamedTuple):
    """What is known of a unit that was scored."""

    number: int
    """Number of the unit."""
    rows: int
    """Its rows."""
    problems: int
    """Files and records of it that could not be read."""


class UnitScorer:
    """Scores a unit.

    Args:
        unit: The unit.
        opened: Metrics and tasks.
        plan: The plan it is of.
        on_problem: Called with every file and record that cannot be read.
    """

    def __init__(
        self,
        unit: Unit,
        opened: OpenedJob,
        plan: Plan,
        on_problem: Callable[[ReadProblem], None] | None = None,
    ) -> None:
        self.unit = unit
        self._identities = plan.identities
        self._listener = on_problem
        numbers = {piece.folder for piece in unit.pieces if piece.folder is not None}
        self._folders = {each: FolderNotes(plan.folders[each].folder) for each in sorted(numbers)}
        self._problems: list[ReadProblem] = []
        self._problem_count = 0
        self._rows = 0
        self._scorer = StreamScorer(opened.metrics, tasks=opened.tasks)
        reading = opened.job.reading
        settings = {
            "columns": self._scorer.columns,
            "input_format": reading.input_format,
            "mapping": reading.mapping,
            "profiles": reading.profiles,
            "max_line": reading.max_line,
            "batch_rows": opened.job.batch_rows,
        }
        self.batches = batches_of(unit.pieces, self._folders, settings, self._report)

    def __iter__(self) -> Iterator[ScoredRows]:
        """Score the rows.

        Raises:
            ConfigurationError: A file changed since the run was planned.
        """
        self._check_files()
        with closing(self.batches):
            for scored in self._scorer.score(self.batches):
                self._rows += len(scored)
                yield scored
        self._check_files()

    @property
    def receipt(self) -> Receipt:
        """What was scored so far, in numbers."""
        return Receipt(self.unit.number, self._rows, self._problem_count)

    def state(self) -> dict[str, Any]:
        """Everything of the unit but its rows."""
        return {
            "rows": self._rows,
            "totals": self._scorer.state(),
            "problem_count": self._problem_count,
            "problems": [problem.model_dump(exclude_none=True) for problem in self._problems],
            "folders": [[number, *notes.tally()] for number, notes in self._folders.items()],
            "mtimes": {
                name: self._identities[name].mtime_ns
                for name in dict.fromkeys(piece.file for piece in self.unit.pieces)
                if name in self._identities
            },
            "read_as_records": self.batches.lines_as_records,
        }

    def _report(self, problem: ReadProblem) -> None:
        self._problem_count += 1
        if len(self._problems) < _KEPT_PROBLEMS:
            self._problems.append(problem)
        if self._listener is not None:
            self._listener(problem)

    def _check_files(self) -> None:
        """Check that no file changed since the run was planned: its rows may be torn."""
        for piece in self.unit.pieces:
            identity = self._identities.get(piece.file)
            if identity is not None and identity.content is not None and piece.whole is None:
                _check_file(piece.file, identity)


def _check_file(file: str, identity: FileIdentity) -> None:
    with suppress(FileNotFoundError):
        if identity.is_unchanged(path_of(file).stat()):
            return
    raise ConfigurationError(
        f"{file} changed while the run read it; run the same command again once it is complete"
    )


def score_unit(scorer: UnitScorer, table: TableWriter | None) -> Mapping[str, Any]:
    """Score a unit, and write its rows; gives its state."""
    for scored in scorer:
        if table is not None:
            table.write_batch(scored.scored)
    return scorer.state()
