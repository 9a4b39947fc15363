"""Formats: how each recognises and reads its content.

Each public module or folder of this package reads one format, or a few of one origin, and holds a
:class:`RecordFormat` or :class:`FileFormat` for each under a name of its own, which
:mod:`trajmeter.readers._recognition.index` lists. Other packages add theirs by an entry point
(:mod:`trajmeter.readers._recognition.registry`).

What several formats could claim goes to the one with the strongest :class:`Evidence`, whatever the
order they are asked in. Where the strongest evidence of two is equal, neither reads it.
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
    """How much speaks for a record or a file being of a format."""

    POSSIBLE = 1
    """Other formats may have it too."""
    LIKELY = 2
    """Taken together, it is typical of this format."""
    CERTAIN = 3
    """Only this format has it."""
    DECLARED = 4
    """It names its format itself."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Format(Generic[RecordT_co]):
    """One format on disk."""

    name: str
    """Name of the format; lower case, words joined by hyphens."""
    description: str
    """What a file of the format holds, in the plural, for messages."""
    makes: type[RecordT_co]
    """Whether it is read as tasks or as trajectories."""
    carries: tuple[str, ...]
    """Fields of the record that the format can hold, those within fields behind a dot, such as
    ``turns.tool_calls.result``; a field stands for all that lies below it. The others are ``None``,
    or empty, in every record of the format. The task, its id and the source go without saying."""
    origin: str
    """Program that writes it, with the versions that were tried."""


def _no_batches(_: Path, __: Collection[str]) -> None:
    return None


def _no_part(
    _: Path, __: Callable[[ReadProblem], None], ___: Collection[str]
) -> Iterator[Any] | None:
    return None


def _no_pieces(_: Path, __: JsonReader, ___: Collection[str]) -> None:
    return None


LeftOut: TypeAlias = "Callable[[int, Callable[[ReadProblem], None]], Iterator[Trajectory]]"
"""Reads a record that was left out, by its number, and reports what is wrong with it."""


class Piece(NamedTuple):
    """Some records of a file, read into columns, those left out that the reader is not sure of."""

    columns: JsonColumns | None
    """The rows, and which are left out, by the number that follows the rows before them; ``None``
    if there is no row, and what is left out has the number 0."""
    records: LeftOut
    """Reads those that are left out."""


class LinesApart(NamedTuple):
    """Reads some lines of a file in which each is read by itself; large ones are cut there."""

    are_in: Callable[[Path], bool]
    """Whether a file is one."""
    records: Callable[
        [Path, LineRange, Callable[[ReadProblem], None], Collection[str] | None],
        Iterator[Any],
    ]
    """Yields the records of some lines, with these columns filled, or all of them."""
    pieces: Callable[[Path, LineRange, Collection[str]], Iterator[Piece]]
    """Yields them read by a reader in Rust."""


def _no_doubts(_: Mapping[str, JsonValue]) -> Iterable[str]:
    return ()


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RecordFormat(Format[RecordT_co]):
    """A format of JSON records, one for each task or attempt.

    Records may stand in JSON lines, a JSON document or Parquet, beside those of other formats.
    """

    keys: frozenset[str]
    """Keys of which every record of the format has at least one, at its top. A format of
    trajectories has to name keys that are not fields of a Trajectory."""
    recognises: Callable[[Mapping[str, JsonValue]], Evidence | None]
    """What speaks for a record, which has one of the keys, being of the format; ``None`` if it is
    not. Values may have any type."""
    read: Callable[[Mapping[str, JsonValue], Source], RecordT_co]
    """Turns a record into one of ours; raises ``ReadError`` or pydantic's ``ValidationError``."""
    profile_reads: Mapping[str, Callable[[Mapping[str, JsonValue], Source], RecordT_co]] = field(
        default_factory=dict
    )
    """What reads a record instead, by the compatibility profile that asks for it, such as one that
    reproduces what another tool takes for a view."""
    doubts: Callable[[Mapping[str, JsonValue]], Iterable[str]] = _no_doubts
    """Says what in a record that was read has no effect, and looks as if it should."""

    def evidence_in(self, record: Mapping[str, JsonValue]) -> Evidence | None:
        """What speaks for a record being of the format."""
        return None if self.keys.isdisjoint(record) else self.recognises(record)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FileFormat(Format[RecordT_co]):
    """A format whose records can only be read together: those of a folder, or rows of a table."""

    recognises: Callable[[Path, bytes], Evidence | None]
    """What speaks for a folder, or for a file that begins with these bytes, being of the format;
    ``None`` if it is not. The bytes are those that :func:`~trajmeter.readers.open_content`
    reads, at most 64 KiB; a folder has none. :func:`~trajmeter.readers.beginning` reads
    them as JSON, whatever they cut off. An ``OSError`` counts as ``None``: reading the file
    reports it."""
    records: Callable[[Path, Callable[[ReadProblem], None]], Iterator[RecordT_co]]
    """Yields the records of a folder or file, and reports with its place what is left out. A folder
    that is recognised is read here as a whole: nothing below it is read by other formats."""
    part: Callable[
        [Path, Callable[[ReadProblem], None], Collection[str]], Iterator[RecordT_co] | None
    ] = _no_part
    """Yields them as :attr:`records` does, but fills only these columns; ``None`` where it would
    save nothing."""
    profile_records: Mapping[
        str, Callable[[Path, Callable[[ReadProblem], None]], Iterator[RecordT_co]]
    ] = field(default_factory=dict)
    """What yields the records instead, by compatibility profile."""
    folder_files: frozenset[str] = frozenset()
    """Names of files of which a folder of the format holds at least one. A folder within one that
    is read is only recognised if it holds one of them; one that is named is in any case."""
    folder_pattern: re.Pattern[str] | None = None
    """What the name of such a file matches, where the format gives its files no fixed names."""
    batches: Callable[[Path, Collection[str]], Iterator[pa.RecordBatch] | None] = _no_batches
    """Yields them as batches with these columns filled; ``None`` where :attr:`records` has to read
    them, as it has wherever something is left out."""
    pieces: Callable[[Path, JsonReader, Collection[str]], Iterator[Piece] | None] = _no_pieces
    """Yields trajectories read by a reader in Rust, with these columns filled, and how to read
    those that it leaves; ``None`` where :attr:`records` has to read them."""

    lines: LinesApart | None = None
    """Reads some lines of a file, where these can be read apart."""

    def may_be_folder(self, names: Collection[str]) -> bool:
        """Whether a folder that holds these names may be of the format."""
        if not self.folder_files.isdisjoint(names):
            return True
        return self.folder_pattern is not None and any(map(self.folder_pattern.fullmatch, names))


AnyFormat: TypeAlias = "Format[Task] | Format[Trajectory]"
