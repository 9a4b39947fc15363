"""Formats: how each recognises and reads its content.

Each public module or folder of this package reads one format, or a few of the same origin, and
defines a :class:`RecordFormat` or :class:`FileFormat` for each, listed by name in
:mod:`trajmeter.readers._recognition.index`. Other packages add theirs through an entry point
(:mod:`trajmeter.readers._recognition.registry`).

If several formats could read a record or file, the one with the strongest :class:`Evidence` does,
regardless of their order. If two formats have equally strong evidence, neither reads it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar

from trajmeter.records import Task, Trajectory

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa
    from pydantic import JsonValue

    from trajmeter.kernels._rust import JsonColumns, JsonReader
    from trajmeter.readers._files.ranges import LineRange
    from trajmeter.records import ReadProblem, Source

__all__ = [
    "AnyFormat",
    "Evidence",
    "FileFormat",
    "Format",
    "LeftOut",
    "LinesApart",
    "Piece",
    "RecordFormat",
    "RecordT",
]

RecordT = TypeVar("RecordT", Task, Trajectory)
RecordT_co = TypeVar("RecordT_co", Task, Trajectory, covariant=True)


class Evidence(IntEnum):
    """How strongly a record or file indicates a format."""

    POSSIBLE = 1
    """Other formats may have this feature too."""
    LIKELY = 2
    """The combination of features is typical of this format."""
    CERTAIN = 3
    """Only this format has this feature."""
    DECLARED = 4
    """It names its format itself."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Format(Generic[RecordT_co]):
    """One format on disk."""

    name: str
    """Name of the format; lower case, words joined by hyphens."""
    description: str
    """Plural noun for the contents of a file in this format, for messages."""
    makes: type[RecordT_co]
    """Whether it is read as tasks or as trajectories."""
    carries: tuple[str, ...]
    """Fields of the record that the format can provide; nested fields use dots, as in
    ``turns.tool_calls.result``, and a field includes everything below it. All other fields are
    ``None`` or empty in every record of the format. The task, its id and the source are implied."""
    origin: str
    """The program that writes it, with the versions that were tested."""


def _no_batches(_: Path, __: Collection[str]) -> None:
    return None


def _no_part(
    _: Path, __: Callable[[ReadProblem], None], ___: Collection[str]
) -> Iterator[Any] | None:
    return None


def _no_pieces(_: Path, __: JsonReader, ___: Collection[str]) -> None:
    return None


LeftOut: TypeAlias = "Callable[[int, Callable[[ReadProblem], None]], Iterator[Trajectory]]"
"""Reads a skipped record by its number, and reports what is wrong with it."""


class Piece(NamedTuple):
    """Some records of a file read into columns, without those the reader is not certain about."""

    columns: JsonColumns | None
    """The rows, and which records are skipped, by the number that follows the rows before them;
    ``None`` if there is no row, and the skipped record has number 0."""
    records: LeftOut
    """Reads the skipped records."""


class LinesApart(NamedTuple):
    """Reads a file whose lines are independent, so that a large one can be split."""

    are_in: Callable[[Path], bool]
    """Whether a file is of this kind."""
    records: Callable[
        [Path, LineRange, Callable[[ReadProblem], None], Collection[str] | None],
        Iterator[Any],
    ]
    """Yields the records of some lines with these columns filled, or with all columns."""
    pieces: Callable[[Path, LineRange, Collection[str]], Iterator[Piece]]
    """Yields the same records, read in Rust."""


def _no_doubts(_: Mapping[str, JsonValue]) -> Iterable[str]:
    return ()


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RecordFormat(Format[RecordT_co]):
    """A format of JSON records, one per task or attempt.

    The records may be in JSON lines, a JSON document or Parquet, mixed with those of other formats.
    """

    keys: frozenset[str]
    """Top-level keys, at least one of which is in every record of the format. A trajectory format
    must name keys that are not Trajectory fields."""
    recognises: Callable[[Mapping[str, JsonValue]], Evidence | None]
    """The evidence that a record with one of the keys is in the format; ``None`` if it is not.
    Values may have any type."""
    read: Callable[[Mapping[str, JsonValue], Source], RecordT_co]
    """Converts a record to a Trajmeter record; raises ``ReadError`` or pydantic's
    ``ValidationError``."""
    profile_reads: Mapping[str, Callable[[Mapping[str, JsonValue], Source], RecordT_co]] = field(
        default_factory=dict
    )
    """Replacements for :attr:`read` by compatibility profile, for example to reproduce what another
    tool counts as a view."""
    doubts: Callable[[Mapping[str, JsonValue]], Iterable[str]] = _no_doubts
    """Describes parts of a record that have no effect but look as if they should."""

    def evidence_in(self, record: Mapping[str, JsonValue]) -> Evidence | None:
        """The evidence that a record is in the format."""
        return None if self.keys.isdisjoint(record) else self.recognises(record)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FileFormat(Format[RecordT_co]):
    """A format whose records must be read together: those of a folder, or rows of a table."""

    recognises: Callable[[Path, bytes], Evidence | None]
    """The evidence that a folder, or a file beginning with these bytes, is in the format; ``None``
    if it is not. The bytes are those that :func:`~trajmeter.readers.open_content` reads, at most 64
    KiB; none for a folder. :func:`~trajmeter.readers.beginning` parses them as JSON, even if
    truncated. An ``OSError`` counts as ``None``: reading the file reports it."""
    records: Callable[[Path, Callable[[ReadProblem], None]], Iterator[RecordT_co]]
    """Yields the records of a folder or file, and reports what is skipped with its place. A
    recognised folder is read as a whole: other formats do not read anything below it."""
    part: Callable[
        [Path, Callable[[ReadProblem], None], Collection[str]], Iterator[RecordT_co] | None
    ] = _no_part
    """Like :attr:`records`, but fills only these columns; ``None`` if that would save nothing."""
    profile_records: Mapping[
        str, Callable[[Path, Callable[[ReadProblem], None]], Iterator[RecordT_co]]
    ] = field(default_factory=dict)
    """Replacements for :attr:`records` by compatibility profile."""
    folder_files: frozenset[str] = frozenset()
    """File names, at least one of which is in every folder of the format. A folder inside a folder
    that is read is recognised only if it contains one of them; a named folder is always considered.
    """
    folder_pattern: re.Pattern[str] | None = None
    """A pattern for the names of such files, if the format has no fixed names."""
    folder_parents: frozenset[str] = frozenset()
    """Names of folders whose subfolders may be in the format whatever their files are called."""
    batches: Callable[[Path, Collection[str]], Iterator[pa.RecordBatch] | None] = _no_batches
    """Yields the records as batches with these columns filled; ``None`` if :attr:`records` has to
    read them, as it does whenever something is skipped."""
    pieces: Callable[[Path, JsonReader, Collection[str]], Iterator[Piece] | None] = _no_pieces
    """Yields trajectories read in Rust with these columns filled, and how to read those skipped;
    ``None`` if :attr:`records` has to read them."""

    lines: LinesApart | None = None
    """Reads some lines of a file whose lines are independent."""

    ignores_others: bool = False
    """Whether lines of other programs are ignored instead of reported. A file that begins with a
    record of another format is not read so, because the record would be lost silently."""

    def may_be_folder(self, names: Collection[str], parent: str = "") -> bool:
        """Whether a folder with these contents, below one of this name, may be in the format."""
        if parent in self.folder_parents or not self.folder_files.isdisjoint(names):
            return True
        return self.folder_pattern is not None and any(map(self.folder_pattern.fullmatch, names))


AnyFormat: TypeAlias = "Format[Task] | Format[Trajectory]"
