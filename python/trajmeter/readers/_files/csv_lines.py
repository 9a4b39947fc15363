"""The rows of a CSV file."""

from __future__ import annotations

import csv
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.content import open_content
from trajmeter.readers._files.problems import problem_at
from trajmeter.records import ReadProblem, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["csv_columns", "csv_lines", "csv_rows"]


def csv_columns(line: bytes) -> list[str]:
    """The names of columns in the first line of a file, none of which has a comma."""
    names = line.decode(errors="replace").strip().lstrip("\ufeff").split(",")
    return [name.strip(' "') for name in names]


def csv_rows(
    path: Path, report: Callable[[ReadProblem], None]
) -> Iterator[tuple[Source, dict[str, Any]]]:
    """Yield the rows of a CSV file by the names of its columns, and report the unreadable ones."""
    columns: list[str] | None = None
    for source, values in csv_lines(path, longest=json_input.LONGEST_LINE):
        message = str(values) if isinstance(values, ReadError) else None
        if not isinstance(values, ReadError):
            if columns is None:
                columns = values
                continue
            if len(values) == len(columns):
                yield source, dict(zip(columns, values, strict=True))
                continue
            message = f"expected {len(columns)} values, got {len(values)}"
        report(problem_at(source, message or ""))


def csv_lines(
    path: Path, *, longest: int | None = None
) -> Iterator[tuple[Source, list[str] | ReadError]]:
    """Yield the values of each row that is not blank, with the number of its first line.

    Args:
        path: The file.
        longest: Maximum length of a value; Python's own limit by default.
    """
    with (
        open_content(path) as content,
        TextIOWrapper(content, newline="", encoding="utf-8-sig", errors="replace") as file,
    ):
        # Without ``strict``, an unclosed quote would turn all following rows into one value.
        reader = csv.reader(file, skipinitialspace=True, strict=True)
        while True:
            source = Source(file=str(path), line=reader.line_num + 1)
            try:
                values = _next(reader, longest)
            except StopIteration:
                return
            except csv.Error as error:
                yield source, ReadError(f"invalid CSV: {error}")
                continue
            if values:
                yield source, values


def _next(reader: Iterator[list[str]], longest: int | None) -> list[str]:
    if longest is None:
        return next(reader)
    usual = csv.field_size_limit(longest)
    try:
        return next(reader)
    finally:
        csv.field_size_limit(usual)
