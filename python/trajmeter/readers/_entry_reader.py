"""Turns the entries of a file into records, and judges by the first ones whether it has any."""

from __future__ import annotations

import reprlib
import warnings
from typing import TYPE_CHECKING, Generic

from pydantic import ValidationError

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.problems import problem_at
from trajmeter.readers._recognition.evidence import evidence_in, format_of, is_result
from trajmeter.readers._recognition.formats import Evidence, RecordFormat, RecordT
from trajmeter.readers._recognition.registry import record_formats
from trajmeter.records import ReadProblem, Task, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pydantic import JsonValue

    from trajmeter.readers._files.entries import Entry
    from trajmeter.readers._files.inputs import Input
    from trajmeter.readers._recognition.choice import Choice
    from trajmeter.records import Source

__all__ = ["EntryReader"]

# If none of its first records is recognised, it is the wrong kind of file, which is reported once.
_PATIENCE = 20


class EntryReader(Generic[RecordT]):
    """Turns the entries of one file into records, and reports those that no format recognises.

    Problems with unrecognised entries are held back until an entry is recognised; if none is, they
    are reported as one problem.
    """

    def __init__(
        self, file: Input, choice: Choice[RecordT], report: Callable[[ReadProblem], None]
    ) -> None:
        self._file = file
        self._choice: Choice[RecordT] = choice
        self._listener = report
        self._strangers: list[ReadProblem] = []
        self._doubts: dict[str, list[str]] = {}
        self._seen: set[str] = set()
        self._first: dict[str, JsonValue] = {}
        self._is_known = False
        self.is_over = False
        """Whether to stop reading because nothing in the file is recognised."""
        self.known: tuple[str, str] | None = None
        """Name and description of the format that recognised the last entry."""
        if file.within is not None:
            self.accept()

    @property
    def is_known(self) -> bool:
        """Whether some entry was recognised."""
        return self._is_known

    def accept(self, rows: int = 0) -> None:
        """Record that an entry, or this many rows read elsewhere, was recognised."""
        if not self._is_known:
            self._file.note_read()
        self._is_known = True
        if rows:
            self._choice.count_rows(self._file.path, rows)
        self._report_strangers()

    def note_columns(self, columns: Iterable[str]) -> None:
        """Record which mapped columns occur in rows that were read elsewhere."""
        self._seen.update(columns)

    def read(self, entry: Entry) -> RecordT | None:
        """Read an entry; ``None``, with a report, if it is not a record."""
        source, value = entry
        self.known = None
        if isinstance(value, ReadError):
            self._add_error(source, value)
            return None
        try:
            if self._choice.mapping is not None and isinstance(value, dict):
                self._seen.update(self._choice.mapping.columns_in(value))
                self._first = self._first or value
                value = self._choice.mapping.apply(value)
            known = self._choice.record_format(value) if isinstance(value, dict) else None
        except ReadError as error:
            self._report(problem_at(source, str(error)))
            return None
        if known is None or not isinstance(value, dict):
            self._add_stranger(problem_at(source, _unrecognised(value, self._choice.makes)))
            return None
        self.known = known.name, known.description
        is_doubtful = not self._is_known and self._file.notes is not None
        if is_doubtful and evidence_in(known, value) == Evidence.POSSIBLE:
            record = self._record(known, value, source, self._add_stranger)
            if record is None:
                return None
        else:
            record = self._record(known, value, source, self._report)
        if record is not None:
            for doubt in known.doubts(value):
                self._doubts.setdefault(doubt, []).append(str(source))
        self.accept()
        return record

    def _add_error(self, source: Source, error: ReadError) -> None:
        """Report an entry that cannot be read, unless it may be a line of a file of text."""
        if self._file.may_be_passed_over(error):
            self._file.note_left_out()
        elif source.line is not None and not self._is_known and self._file.may_be_text:
            self._add_stranger(problem_at(source, str(error)))
        else:
            self._report(problem_at(source, str(error)))

    def _record(
        self,
        known: RecordFormat[RecordT],
        value: dict[str, JsonValue],
        source: Source,
        report: Callable[[ReadProblem], None],
    ) -> RecordT | None:
        """Read a record of a known format; ``None``, with a report, if it cannot be read."""
        try:
            return self._choice.read(known, value, source)
        except ReadError as error:
            report(problem_at(source, str(error)))
        except ValidationError as error:
            from trajmeter.validation_errors import describe_error  # not needed for valid records

            report(problem_at(source, describe_error(error)))
        return None

    def _add_stranger(self, problem: ReadProblem) -> None:
        """Hold back a problem until a record is recognised; without one, it is the wrong file."""
        self._strangers.append(problem)
        if self._is_known:
            self._report_strangers()
        elif len(self._strangers) == _PATIENCE:
            self.is_over = True
            self.finish()

    def finish(self) -> None:
        """At the end of the file, report what was held back and issue warnings."""
        strangers = self._strangers
        if strangers and self._file.notes is not None and not self._is_known:
            self._file.note_left_out()
            return
        if len(strangers) > 1:
            message = (
                f"none of its first {len(strangers)} records can be used: {strangers[0].message}"
            )
            strangers[:] = [ReadProblem(file=str(self._file.path), message=message)]
        self._report_strangers()
        if self._choice.mapping is not None and self._is_known:
            for doubt in self._choice.mapping.unseen(self._seen, self._first):
                self._doubts[doubt] = [str(self._file.path)]
        _warn_of(self._doubts)

    def _report(self, problem: ReadProblem) -> None:
        self._file.note_reported()
        self._listener(problem)

    def _report_strangers(self) -> None:
        for problem in self._strangers:
            self._report(problem)
        self._strangers.clear()


def _warn_of(doubts: Mapping[str, Sequence[str]]) -> None:
    """Warn about each doubt once, with the first place where it occurs."""
    for doubt, places in doubts.items():
        more = f" (and in {len(places) - 1:,} more)" if len(places) > 1 else ""
        warnings.warn(f"{places[0]}: {doubt}{more}", stacklevel=3)


def _unrecognised(value: JsonValue, makes: type[Task | Trajectory]) -> str:
    expected = "expected a task" if makes is Task else "expected a trajectory"
    if not isinstance(value, dict):
        return f"{expected}, got {json_input.type_name(value)}"
    if is_result(value):
        return f"{expected}, got a row of results; 'trajmeter summarize' reads those"
    other = _description(value, Trajectory) if makes is Task else _description(value, Task)
    if other:
        hint = "these are logs, not tasks" if makes is Task else "pass tasks with --tasks"
        return f"{expected}, got {other}; {hint}"
    hint = (
        "write tasks as docs/formats/own-records.md shows"
        if makes is Task
        else "map its columns (--map, or mapping= in Python) as docs/formats/your-own.md shows"
    )
    return (
        f"{expected}, got an object with the keys {reprlib.repr(list(value))}, "
        f"which no format recognises ('trajmeter formats' lists them); {hint}"
    )


def _description(value: dict[str, JsonValue], makes: type[RecordT]) -> str | None:
    """Description of records like this one, if they certainly belong to one format."""
    try:
        known = format_of(value, record_formats(makes, value))
    except ReadError:
        return None
    if known is None:
        return None
    # A key that many formats share does not justify naming one of them.
    is_possible = evidence_in(known, value) == Evidence.POSSIBLE
    return None if is_possible and value.keys() - makes.model_fields.keys() else known.description
