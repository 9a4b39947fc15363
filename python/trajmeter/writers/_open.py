"""Opening an output file: the format by its suffix, and the file in one piece or not at all."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from trajmeter.errors import ConfigurationError
from trajmeter.writers._atomic import replacing
from trajmeter.writers.csv import CsvWriter
from trajmeter.writers.jsonl import JsonLinesWriter
from trajmeter.writers.parquet import ParquetWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from trajmeter.metrics import RowLayout
    from trajmeter.writers.table import TableWriter

__all__ = ["check_is_no_input", "check_output", "check_place", "open_table"]

_WRITERS: dict[str, Callable[[BinaryIO, RowLayout], TableWriter]] = {
    ".csv": CsvWriter,
    ".jsonl": JsonLinesWriter,
    ".parquet": ParquetWriter,
}


def check_output(path: str | Path) -> None:
    """Check, before anything is scored, that results could be written to this file.

    Raises:
        ConfigurationError: The suffix is of no known format, or see :func:`check_place`.
    """
    path = Path(path)
    if path.suffix.lower() not in _WRITERS:
        raise ConfigurationError(
            f"{path}: results are written to a file that ends in {', '.join(_WRITERS)}"
        )
    check_place(path)


def check_place(path: str | Path) -> None:
    """Check, before anything is computed, that a file could be written; its folder need not exist.

    Raises:
        ConfigurationError: It is a folder, lies below a file, or may not be written.
    """
    target = Path(path).resolve()
    if target.is_dir():
        raise ConfigurationError(f"{path} is a folder, expected a file")
    there = next(place for place in (target, *target.parents) if place.exists())
    if there != target and not there.is_dir():
        raise ConfigurationError(f"{path}: {there} is a file, expected a folder")
    if not os.access(there, os.W_OK):
        raise ConfigurationError(f"{path}: no permission to write")


def check_is_no_input(path: Path, inputs: Iterable[Path]) -> None:
    """Check that results would not take the place of what they are made from.

    Args:
        path: The file to write, which need not exist.
        inputs: The files and folders that are read.

    Raises:
        ConfigurationError: The file is one of the inputs, by whatever name.
    """
    if path.exists() and any(read.exists() and path.samefile(read) for read in inputs):
        raise ConfigurationError(f"{path} is read as input; results need a file of their own")


@contextmanager
def open_table(path: str | Path, layout: RowLayout) -> Iterator[TableWriter]:
    """Write a results table to a file, as its suffix says: JSON lines, CSV or Parquet.

    The rows go to a file beside it, which takes its place when all are written; its folder is made.
    If anything goes wrong before, the earlier content stays as it was.

    Args:
        path: The file.
        layout: Columns of the rows.

    Raises:
        ConfigurationError: See :func:`check_output`.
        ExtraMissingError: The format needs an extra that is not installed.
    """
    check_output(path)
    target = Path(path).resolve()
    with replacing(target) as stream:
        writer = _WRITERS[Path(path).suffix.lower()](stream, layout)
        try:
            yield writer
            writer.finish()
        except BaseException:
            writer.abandon()
            raise
