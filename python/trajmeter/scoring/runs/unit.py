"""One unit: its rows, their totals, and what could not be read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ConfigurationError
from trajmeter.metrics.columns_read import columns_to_fill
from trajmeter.readers.pieces import FolderNotes, batches_of, folder_about
from trajmeter.remote import path_of
from trajmeter.scoring.runs.work import Receipt

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    import pyarrow as pa

    from trajmeter.readers.pieces import FileIdentity, Piece
    from trajmeter.records import ReadProblem
    from trajmeter.scoring.reading_options import ReadingOptions
    from trajmeter.scoring.runs.job import OpenedJob
    from trajmeter.scoring.runs.plan import Plan, Unit
    from trajmeter.scoring.runs.spill import SpilledAttempts

__all__ = ["UnitRows", "UnitScorer"]

_KEPT_PROBLEMS = 20
"""Maximum number of a unit's problems whose text is kept; further ones are only counted."""


class UnitRows(ABC):
    """Reads a unit and produces its rows.

    Args:
        unit: The unit.
        reading: How it is read.
        plan: The plan that it belongs to.
        on_problem: Called with every file and record that cannot be read.
        columns: Columns of trajectories to fill; all if ``None``.
        presence: Columns of which only nulls matter.
    """

    def __init__(
        self,
        unit: Unit,
        reading: ReadingOptions,
        plan: Plan,
        on_problem: Callable[[ReadProblem], None] | None,
        columns: Collection[str] | None = None,
        presence: Collection[str] = (),
    ) -> None:
        self.unit = unit
        self._pieces = unit.pieces if unit.shares is None else ()
        self._identities = plan.identities
        self._notes: Mapping[str, Any] = {} if unit.shares is None else plan.notes
        self._listener = on_problem
        numbers = {piece.folder for piece in self._pieces if piece.folder is not None}
        self._folders = {each: FolderNotes(plan.folders[each].folder) for each in sorted(numbers)}
        self._problems: list[ReadProblem] = []
        self._problem_count = 0
        self._rows = 0
        settings = {
            "columns": columns,
            "presence": presence,
            **reading.recognition(),
            "max_line": reading.max_line,
            "batch_rows": reading.batch_rows,
        }
        self.read = batches_of(self._pieces, self._folders, settings, self._report)
        self._spilled: SpilledAttempts | None = None
        if plan.spill is not None and unit.shares is not None:
            from trajmeter.scoring.runs.spill import SpilledAttempts

            self._spilled = SpilledAttempts(plan.spill / f"{unit.number:06}.arrow")

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Produce the rows.

        Raises:
            ConfigurationError: A file changed since the run was planned.
        """
        for batch in self._rows_of(self.attempts() if self._spilled is None else self._spilled):
            self._rows += batch.num_rows
            yield batch

    def attempts(self) -> Iterator[pa.RecordBatch]:
        """Read the attempts without producing rows.

        Raises:
            ConfigurationError: A file changed since the run was planned.
        """
        self._check_files()
        with closing(self.read):
            yield from self.read
        self._check_files()

    def trial_of(self, task_id: str) -> str:
        """Name of the task whose attempts belong together, for an id in a row."""
        return task_id

    @property
    def receipt(self) -> Receipt:
        """The counts so far."""
        return Receipt(self.unit.number, self._rows, self._problem_count)

    def state(self) -> dict[str, Any]:
        """Everything about the unit except its rows."""
        if self._spilled is not None:
            is_first = self.unit.number == 0  # includes what sorting the attempts found
            none = {"problem_count": 0, "problems": [], "folders": [], "read_as_records": 0}
            return {
                **self._notes,
                **({} if is_first else none),
                "rows": self._rows,
                "totals": self._totals(),
                "numbers": self._spilled.numbers,
            }
        return {
            "rows": self._rows,
            "totals": self._totals(),
            "problem_count": self._problem_count,
            "problems": [problem.model_dump(exclude_none=True) for problem in self._problems],
            "folders": [[number, *notes.tally()] for number, notes in self._folders.items()],
            "mtimes": {
                name: self._identities[name].mtime_ns
                for name in dict.fromkeys(piece.file for piece in self._pieces)
                if name in self._identities
            },
            "read_as_records": self.read.lines_as_records,
        }

    @abstractmethod
    def _rows_of(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Produce rows from trajectories."""

    @abstractmethod
    def _totals(self) -> dict[str, Any]:
        """The totals of the rows."""

    def _report(self, problem: ReadProblem) -> None:
        self._problem_count += 1
        if len(self._problems) < _KEPT_PROBLEMS:
            self._problems.append(problem)
        if self._listener is not None:
            self._listener(problem)

    def _check_files(self) -> None:
        """Check that no file changed since the run was planned: rows could be corrupt."""
        for piece in self._pieces:
            identity = self._identities.get(piece.file)
            if identity is not None and identity.content is not None:
                _check_piece(piece, identity)


class UnitScorer(UnitRows):
    """Scores a unit.

    Args:
        unit: The unit.
        opened: Metrics and tasks.
        plan: The plan that it belongs to.
        on_problem: Called with every file and record that cannot be read.
    """

    def __init__(
        self,
        unit: Unit,
        opened: OpenedJob,
        plan: Plan,
        on_problem: Callable[[ReadProblem], None] | None = None,
    ) -> None:
        self._scorer = opened.totals()
        is_sorted = plan.shares is not None  # attempts are stored in the schema of trajectories
        wanted = self._scorer.columns if is_sorted else columns_to_fill(opened.metrics)
        presence = self._scorer.presence
        super().__init__(unit, opened.job.reading, plan, on_problem, wanted, presence)

    def trial_of(self, task_id: str) -> str:
        """Name of the task with this id."""
        return self._scorer.trial_of(task_id)

    def _rows_of(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return (scored.scored for scored in self._scorer.score(batches))

    def _totals(self) -> dict[str, Any]:
        return self._scorer.state()


def _check_piece(piece: Piece, identity: FileIdentity) -> None:
    path = path_of(piece.file)
    with suppress(FileNotFoundError):
        if piece.whole is None:
            is_unchanged = identity.is_unchanged(path.stat())
        else:
            is_unchanged = folder_about(path) == (identity.size, identity.mtime_ns)
        if is_unchanged:
            return
    raise ConfigurationError(
        f"{path} changed while the run read it; run the same command again with --overwrite once "
        "the input is complete"
    )
