"""Types of the columns of Parquet files, checked before the first row is read."""

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
    """Check the columns of all Parquet files that paths name, before any of them is read.

    Args:
        paths: As for :func:`trajmeter.readers.read_trajectories`.
        input_format: Likewise.
        mapping: Likewise.
        profiles: Likewise.

    Raises:
        UnknownNameError: No format is called ``input_format``.
        ConfigurationError: The type of a column cannot hold what the field is.
    """
    choice = Choice(Trajectory, input_format=input_format, mapping=mapping, profiles=profiles)
    for each in inputs(paths, choice):
        if not each.problems and each.whole is None and _is_parquet(each.path):
            checked_footer(each.path, choice, is_named=each.notes is None)


def checked_footer(
    path: Path, choice: Choice[Trajectory], *, is_named: bool
) -> FileMetaData | None:
    """The footer of a Parquet file that is read record by record.

    Args:
        path: The file.
        choice: By which formats files are read.
        is_named: Whether a user named it, rather than a folder that it lies in.

    Returns:
        The footer; ``None`` if the file is read as a whole, or its reader says what is wrong.

    Raises:
        ConfigurationError: The type of a column cannot hold what the field is.
    """
    try:
        from trajmeter.readers._columns.parquet import read_footer
    except ImportError:  # its reader says so
        return None
    try:
        if choice.file_format(path) is not None:
            return None
        with path.open("rb") as file:
            return read_footer(file, choice, is_named=is_named)
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error}") from error
    except (OSError, ReadError):  # likewise
        return None


def _is_parquet(path: Path) -> bool:
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe gives its content only once
            return False
        with path.open("rb", buffering=0) as file:
            return file.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC
    except OSError:  # its reader says so
        return False
