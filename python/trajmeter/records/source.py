"""Where records were read from, and what could not be read."""

from __future__ import annotations

from trajmeter.records.record import Record, frozen

__all__ = ["ReadProblem", "Source", "source_at"]


class Source(Record):
    """Where a record was read from; distinguishes records that name no agent."""

    file: str
    """Name of the file, as passed in."""
    line: int | None = None
    """1-based line of the file, for formats with one record per line."""
    record: str | None = None
    """Name of the record within the file, for other formats."""

    def __str__(self) -> str:
        """The location in one line, in the style of compilers."""
        return _place(self.file, self.line, self.record)


def source_at(file: str, *, line: int | None = None, record: str | None = None) -> Source:
    """The :class:`Source` of a record, created without validating a reader's own counts."""
    return frozen(Source, {"file": file, "line": line, "record": record})


class ReadProblem(Record):
    """A file, or one of its records, that could not be read and was skipped."""

    file: str
    """Name of the file, as passed in."""
    line: int | None = None
    """1-based line, for formats with one record per line; ``None`` for the file as a whole."""
    record: str | None = None
    """Name of the record within the file, for other formats."""
    message: str
    """What was wrong, the value, and what was expected."""

    def __str__(self) -> str:
        """Location and message in one line, in the style of compilers."""
        return f"{_place(self.file, self.line, self.record)}: {self.message}"


def _place(file: str, line: int | None, record: str | None) -> str:
    place = file if line is None else f"{file}:{line}"
    return place if record is None else f"{place}: {record}"
