"""Output files: formats by suffix, and where an output may be written."""

from __future__ import annotations

import glob
import os
import stat
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, TypeVar

from trajmeter.errors import ConfigurationError
from trajmeter.remote import is_remote, path_of
from trajmeter.writers.atomic import replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from trajmeter.metrics import RowLayout

__all__ = [
    "TABLE_SUFFIXES",
    "FileWriter",
    "OutputWatch",
    "TableWriter",
    "check_folder",
    "check_is_apart",
    "check_is_no_input",
    "check_output",
    "check_place",
    "check_suffix",
    "finishing",
    "is_folder",
    "open_table",
]


class FileWriter(Protocol):
    """Writes to a stream that the caller opened and closes."""

    def finish(self) -> None:
        """Write what is still buffered; nothing may follow."""

    def abandon(self) -> None:
        """Release the stream without writing to it again; the output is discarded."""


_WriterT = TypeVar("_WriterT", bound=FileWriter)


@contextmanager
def finishing(writer: _WriterT) -> Iterator[_WriterT]:
    """Finish a writer at the end of the context, or abandon it after an exception."""
    try:
        yield writer
        writer.finish()
    except BaseException:
        writer.abandon()
        raise


def is_folder(output: Path) -> bool:
    """Whether an output is a folder of parts rather than one file.

    Remote outputs are folders. A local path is a file, unless it is an existing folder, if its
    suffix consists only of letters, unlike that of ``run.2026``.
    """
    return is_remote(output) or output.is_dir() or not output.suffix[1:].isalpha()


class OutputWatch:
    """Notices whether another program writes an output file during a run, which then replaces it.

    Args:
        path: The file, which need not exist; a folder or a device is not watched.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._before = self._version()

    def message(self) -> str | None:
        """What to say, just before the file is replaced; ``None`` if nobody has written it."""
        version = self._version()
        if version is None or version == self._before:
            return None
        return f"{self._path}: another program wrote it meanwhile; these results replace its own"

    def _version(self) -> tuple[int, int, int] | None:
        if is_remote(self._path):
            return None
        try:
            status = self._path.stat()
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        return status.st_ino, status.st_mtime_ns, status.st_size


class TableWriter(FileWriter, Protocol):
    """Writes rows to a stream that the caller opened and closes."""

    def write(self, values: Sequence[Any]) -> None:
        """Write one row, as returned by :meth:`RowLayout.values`."""

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Write rows in the columns of :func:`trajmeter.writers.arrow.arrow_schema`."""


_WRITERS = {".csv": "CsvWriter", ".jsonl": "JsonLinesWriter", ".parquet": "ParquetWriter"}
"""The writer of each format of tables, by suffix."""
TABLE_SUFFIXES = (*_WRITERS,)
"""Suffixes of the files that results can be written to."""


def check_output(path: str | Path) -> None:
    """Check, before scoring, that results can be written to this file.

    Raises:
        ConfigurationError: The suffix belongs to no known format, or see :func:`check_place`.
    """
    path = path_of(path)
    check_suffix(path, _WRITERS)
    check_place(path)


def check_suffix(path: Path, suffixes: Iterable[str]) -> None:
    """Check that a file has one of these suffixes, in any case.

    Raises:
        ConfigurationError: It has another.
    """
    listed = [*suffixes]
    if path.suffix.lower() not in listed:
        raise ConfigurationError(f"{path}: expected a file that ends in {', '.join(listed)}")


def check_place(path: str | Path) -> None:
    """Check, before computing, that a file can be written; its folder need not exist.

    Raises:
        ConfigurationError: It is a folder, is below a file, is remote, or cannot be written.
    """
    path = path_of(path)
    if is_remote(path):
        raise ConfigurationError(f"{path}: remote output is supported only for folders of rows")
    existing = _existing(path)
    if existing.is_dir() and existing == path.resolve():
        raise ConfigurationError(f"{path} is a folder, expected a file")


def check_folder(path: Path) -> None:
    """Check, before computing, that a folder can be written; it need not exist.

    Raises:
        ConfigurationError: It is below a file, or cannot be written.
    """
    if not is_remote(path):
        _existing(path)


def _existing(path: str | Path) -> Path:
    """The path, or the folder closest above it that exists.

    Raises:
        ConfigurationError: The path is below a file, or cannot be written.
    """
    target = Path(path).resolve()
    try:
        existing = next(place for place in (target, *target.parents) if place.exists())
    except PermissionError as error:  # a folder above it cannot be entered
        raise ConfigurationError(f"{path}: no permission to write") from error
    if existing != target and not existing.is_dir():
        raise ConfigurationError(f"{path}: {existing} is a file, expected a folder")
    if not os.access(existing, os.W_OK):
        raise ConfigurationError(f"{path}: no permission to write")
    return existing


def check_is_no_input(path: Path, inputs: Iterable[Path]) -> None:
    """Check that results would not overwrite an input.

    Args:
        path: The file to write, which need not exist.
        inputs: The files, folders and patterns to read.

    Raises:
        ConfigurationError: The file is one of the inputs, even under another name.
    """
    for each in inputs:
        if is_remote(path) or is_remote(each):
            is_input = path == each
        else:
            is_input = path.exists() and any(
                read.exists() and path.samefile(read) for read in _named(each)
            )
        if is_input:
            how = f", matched by {each}" if _is_pattern(each) and each != path else ""
            raise ConfigurationError(f"{path} is an input{how}; write the results to another file")


def check_is_apart(path: Path, inputs: Iterable[Path]) -> None:
    """Check that results are neither an input nor inside an input folder.

    Args:
        path: The file or folder to write, which need not exist.
        inputs: The files, folders and patterns to read.

    Raises:
        ConfigurationError: They are; the next run would read them.
    """
    read = list(inputs)
    check_is_no_input(path, read)
    target = path.resolve()
    patterns = filter(_is_pattern, read)
    read += [found for each in patterns for found in _named(each) if found.is_dir()]
    for each in read:
        place = each.resolve()
        if place == target:
            raise ConfigurationError(f"{path} is an input; write the results elsewhere")
        if place in target.parents and place.is_dir():
            raise ConfigurationError(
                f"{path} is in the input folder {each}, so the next run would read it; write the "
                f"results outside of it, or name the files in it, such as '{each}/*.jsonl'"
            )


def _is_pattern(path: Path) -> bool:
    return not is_remote(path) and glob.has_magic(str(path))


def _named(path: Path) -> list[Path]:
    """Return the paths that a path or pattern refers to."""
    if not _is_pattern(path):
        return [path]
    from trajmeter.readers.patterns import expanded  # not needed for a path

    return expanded(path)


@contextmanager
def open_table(
    path: str | Path, layout: RowLayout, about: Callable[[], Mapping[str, str]] | None = None
) -> Iterator[TableWriter]:
    """Write a results table to a file in the format of its suffix: JSON lines, CSV or Parquet.

    The file appears when all rows are written; see :func:`replacing`.

    Args:
        path: The file.
        layout: Columns of the rows.
        about: Called when all rows are written; returns additional metadata, for Parquet.

    Raises:
        ConfigurationError: See :func:`check_output`; or writing fails later, such as on a full
            disk.
        ExtraMissingError: The format needs an extra that is not installed.
    """
    check_output(path)
    file = Path(path)
    with replacing(file) as stream, finishing(_writer(file)(stream, layout)) as writer:
        yield writer
        if about is not None and hasattr(writer, "describe"):
            writer.describe(about())


def _writer(path: Path) -> Callable[[BinaryIO, RowLayout], TableWriter]:
    """The writer of a file's format; the others are not imported."""
    from trajmeter import writers

    writer: Callable[[BinaryIO, RowLayout], TableWriter]
    writer = getattr(writers, _WRITERS[path.suffix.lower()])
    return writer
