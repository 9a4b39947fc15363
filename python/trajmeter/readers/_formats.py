"""Formats: how each recognises and reads its content, and the registry of all of them.

Each public module or folder of this package reads one format, or a few of one origin, and holds a
:class:`RecordFormat` or :class:`FileFormat` for each under a name of its own. The registry imports
all of them when the first file is read, and no other list names them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar, cast

from trajmeter.records import Task, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa
    from pydantic import JsonValue

    from trajmeter.records import ReadProblem, Source

__all__ = [
    "AnyFormat",
    "Evidence",
    "FileFormat",
    "Format",
    "RecordFormat",
    "file_formats",
    "formats",
    "record_formats",
]

_PACKAGE = "trajmeter.readers"

RecordT = TypeVar("RecordT", Task, Trajectory)
RecordT_co = TypeVar("RecordT_co", Task, Trajectory, covariant=True)


class Evidence(IntEnum):
    """How much it says that a format recognises something."""

    POSSIBLE = 1
    """Other formats may have it too."""
    LIKELY = 2
    """Taken together, it is typical of this format."""
    CERTAIN = 3
    """Only this format has it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Format(Generic[RecordT_co]):
    """One format on disk."""

    name: str
    """Name of the format; lower case, words joined by hyphens."""
    description: str
    """What a file of the format holds, in the plural, for messages."""
    makes: type[RecordT_co]
    """Whether it is read as tasks or as trajectories."""
    evidence: Evidence
    """How much its recognition says; of several formats, the one with the strongest evidence reads
    a record or a file, and among equals the first by name."""
    in_folder: str | None = None
    """What of the format is read from a folder, for messages; ``None`` if folders are not."""


def _no_files(_: Path) -> Sequence[Path]:
    return ()


def _no_batches(_: Path, __: Collection[str]) -> None:
    return None


def _no_doubts(_: Mapping[str, JsonValue]) -> Iterable[str]:
    return ()


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordFormat(Format[RecordT_co]):
    """A format of JSON records, one for each task or attempt.

    Records may stand in JSON lines, a JSON document or Parquet, beside those of other formats.
    """

    recognises: Callable[[Mapping[str, JsonValue]], bool]
    """Whether a record is of the format."""
    read: Callable[[Mapping[str, JsonValue], Source], RecordT_co]
    """Turns a record into one of ours; raises ``ReadError`` or pydantic's ``ValidationError``."""
    doubts: Callable[[Mapping[str, JsonValue]], Iterable[str]] = _no_doubts
    """Says what in a record that was read has no effect, and looks as if it should."""
    files_in: Callable[[Path], Sequence[Path]] = _no_files
    """Files of the format in a folder, at any depth, in the order to read them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FileFormat(Format[RecordT_co]):
    """A format whose records can only be read together: those of a folder, or rows of a table."""

    recognises: Callable[[Path, bytes], bool]
    """Whether a folder, or a file that begins with these bytes, is of the format."""
    records: Callable[[Path, Callable[[ReadProblem], None]], Iterator[RecordT_co]]
    """Yields the records of a folder or file, and reports with its place what is left out."""
    batches: Callable[[Path, Collection[str]], Iterator[pa.RecordBatch] | None] = _no_batches
    """Yields them as batches with these columns filled; ``None`` where :attr:`records` has to read
    them, as it has wherever something is left out."""


AnyFormat: TypeAlias = "Format[Task] | Format[Trajectory]"


@cache
def formats() -> tuple[AnyFormat, ...]:
    """Every format, those with the strongest evidence first."""
    package = import_module(_PACKAGE)
    found: list[AnyFormat] = [
        value
        for module in iter_modules(package.__path__, f"{_PACKAGE}.")
        if not module.name.rpartition(".")[2].startswith("_")
        for value in vars(import_module(module.name)).values()
        if isinstance(value, Format)
    ]
    return tuple(sorted(found, key=lambda known: (-known.evidence, known.name)))


def record_formats(makes: type[RecordT]) -> list[RecordFormat[RecordT]]:
    """Formats of records that are read as tasks, or as trajectories."""
    return [
        cast("RecordFormat[RecordT]", known)
        for known in formats()
        if known.makes is makes and isinstance(known, RecordFormat)
    ]


def file_formats(makes: type[RecordT]) -> list[FileFormat[RecordT]]:
    """Formats of whole files and folders that are read as tasks, or as trajectories."""
    return [
        cast("FileFormat[RecordT]", known)
        for known in formats()
        if known.makes is makes and isinstance(known, FileFormat)
    ]
