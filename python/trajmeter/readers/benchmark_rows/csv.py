"""Benchmark tables as CSV, recognised by the header; rows become JSON values."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from trajmeter.errors import ReadError
from trajmeter.readers._files.csv_lines import csv_lines
from trajmeter.readers._files.entries import Entry

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from pydantic import JsonValue

__all__ = ["cell", "csv_rows", "header_fault", "is_header"]

_MEASURED = ("agent_nop", "agent_seconds")
_TELLING = {"task_id", "benchmark", *_MEASURED}
_SEPARATORS = re.compile(rb"[,;\t|]")
_BOOLEANS = {"true": True, "false": False}

# One such name may be a word in a text; two indicate a table, even one that lacks a column.
_ENOUGH = 2


def is_header(line: bytes) -> bool:
    """Whether a line contains the column names of such a table, with any separator."""
    names = {name.strip(b' "\r\n').decode(errors="replace") for name in _SEPARATORS.split(line)}
    return len(names & _TELLING) >= _ENOUGH


def csv_rows(path: Path, *, texts: Collection[str]) -> Iterator[Entry]:
    """Yield the rows of a file, each with the number of its first line.

    Numbers are parsed, empty cells are null, and columns without a name are ignored: pandas writes
    its index as such a column.

    Args:
        path: The file.
        texts: Columns whose values remain text.
    """
    columns: list[str] | None = None
    for source, values in csv_lines(path):
        if isinstance(values, ReadError):
            yield Entry(source, values)
        elif columns is not None:
            yield Entry(source, _row(columns, values, texts))
        else:
            columns = [name.strip() for name in values]
            fault = header_fault(columns)
            if fault is not None:
                yield Entry(source, ReadError(fault))
                return


def header_fault(columns: Sequence[str]) -> str | None:
    """What is wrong with a header; ``None`` if it is valid."""
    found = f"found {', '.join(map(repr, columns))}"
    for name, count in Counter(filter(None, columns)).items():
        if count > 1:
            return f"the table has {count} columns {name!r}; {found}"
    missing = [name for name in ("task_id", "benchmark") if name not in columns]
    if not any(name in columns for name in _MEASURED):
        missing.append(" or ".join(_MEASURED))
    if missing:
        return f"expected comma-separated columns with {', '.join(missing)}; {found}"
    return None


def _row(
    columns: Sequence[str], values: Sequence[str], texts: Collection[str]
) -> JsonValue | ReadError:
    if len(values) > len(columns):
        return ReadError("the row has more values than the table has columns")
    # A row may be short; the remaining cells are null.
    filled = [*values, *[""] * (len(columns) - len(values))]
    return {
        name: cell(text.strip(), is_text=name in texts)
        for name, text in zip(columns, filled, strict=True)
        if name
    }


def cell(text: str, *, is_text: bool) -> str | float | bool | None:
    """The value of a cell without surrounding spaces."""
    if not text:
        return None
    if is_text:
        return text
    if text.lower() in _BOOLEANS:
        return _BOOLEANS[text.lower()]
    try:
        return float(text)
    except ValueError:
        return text
