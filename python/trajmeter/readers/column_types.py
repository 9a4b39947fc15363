"""Checks the column types of Parquet files before the first row is read."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.readers._files.containers import PARQUET_MAGIC
from trajmeter.readers._files.inputs import inputs
from trajmeter.readers._recognition.choice import Choice
from trajmeter.records import Trajectory

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

    from pyarrow.parquet import FileMetaData

__all__ = ["check_column_types", "checked_footer"]


def check_column_types(
    paths: str | Path | Iterable[str | Path],
    *,
    input_format: str | None = None,
    mapping: Mapping[str, str] | None = None,
    profiles: Collection[str] = (),
) -> None:
    """Check the columns of all Parquet files among these paths before reading any.

    Args:
        paths: As for :func:`trajmeter.readers.read_trajectories`.
        input_format: As for :func:`trajmeter.readers.read_trajectories`.
        mapping: As for :func:`trajmeter.readers.read_trajectories`.
        profiles: As for :func:`trajmeter.readers.read_trajectories`.

    Raises:
        UnknownNameError: No format is called ``input_format``.
        ConfigurationError: The type of a column does not fit its field.
    """
    choice = Choice(Trajectory, input_format=input_format, mapping=mapping, profiles=profiles)
    for each in inputs(paths, choice):
        if each.may_be_parquet and _is_parquet(each.path):
            checked_footer(each.path, choice, is_named=each.notes is None)


def checked_footer(
    path: Path, choice: Choice[Trajectory], *, is_named: bool
) -> FileMetaData | None:
    """Check and return the footer of a Parquet file that is read record by record.

    Args:
        path: The file.
        choice: How files are read, including their formats.
        is_named: Whether the user named the file, rather than the folder that contains it.

    Returns:
        The footer; ``None`` if the file is read whole or its reader reports what is wrong.

    Raises:
        ConfigurationError: The type of a column does not fit its field.
    """
    try:
        from trajmeter.readers._columns.parquet import read_footer
    except ImportError:  # reported by its reader
        return None
    try:
        if choice.file_format(path) is not None:
            return None
        with path.open("rb") as file:
            return read_footer(file, choice.chosen, is_named=is_named)
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error}") from error
    except (OSError, ReadError):  # reported by its reader
        return None


def _is_parquet(path: Path) -> bool:
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe can be read only once
            return False
        with path.open("rb", buffering=0) as file:
            return file.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC
    except OSError:  # reported by its reader
        return False
