"""The table model of all reports, and its fitting to the terminal's width."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.reports.cells import NOTHING, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["GAP", "Table", "broken", "fitting", "with_values"]

GAP = 2
"""Spaces between columns."""

# Characters per line of a number column's heading, and of a text cell, on a narrow terminal.
_NARROW_HEADING = 12
_NARROW_TEXT = 16

_WIDE = ("W", "F")

# A long word may be broken after a dot, underscore, slash, hyphen or bracket.
_PARTS = re.compile(r"[^._/(-]*[._/(-]|[^._/(-]+")


class Table(NamedTuple):
    """A table whose cells may contain any text."""

    title: str
    """Heading of the table."""
    header: tuple[str, ...]
    """Heading of each column."""
    rows: tuple[tuple[str, ...], ...]
    """Rows of one cell per column; a :class:`~trajmeter.reports.cells.Cell` has its number too."""
    texts: tuple[int, ...] = (0,)
    """Indices of text columns, which are left-aligned; the others are numbers."""

    def visible(self) -> Table:
        """Return the table with invisible characters escaped, for a terminal."""
        return self._replace(
            header=tuple(map(visible, self.header)),
            rows=tuple(tuple(map(visible, row)) for row in self.rows),
        )

    def widths(self) -> list[int]:
        """Width of each column on a terminal without wrapping, including the gap after it."""
        columns = zip(self.header, *self.rows, strict=True)
        return [max(map(_width, column)) + GAP for column in columns]

    def narrow_widths(self) -> list[int]:
        """Width of each column on a terminal if long texts and number headings are wrapped."""
        widths = []
        for index, (heading, *cells) in enumerate(zip(self.header, *self.rows, strict=True)):
            numbers = index not in self.texts
            lines = broken(heading, _NARROW_HEADING) if numbers else heading.split(" ")
            width = max(map(_width, (*lines, *cells)), default=0)
            widths.append((width if numbers else min(width, _NARROW_TEXT)) + GAP)
        return widths


def _width(text: str) -> int:
    """Most columns that a text takes on a terminal: two for each wide character, as in Chinese."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(each) in _WIDE else 1 for each in text)


def broken(text: str, width: int) -> list[str]:
    """Words of a text, with words longer than a line split into parts that fit."""
    return [part for word in text.split(" ") for part in _broken_word(word, width)]


def _broken_word(word: str, width: int) -> list[str]:
    lines = [""]
    for part in _PARTS.findall(word):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    return lines


def fitting(table: Table, width: int | None) -> Iterator[Table]:
    """Split a table into as few parts as fit the width, each with all texts and some numbers."""
    numbers = [column for column in range(len(table.header)) if column not in table.texts]
    parts = [list(table.texts)]
    for count in range(1, max(len(numbers), 1) + 1):
        parts = [[*table.texts, *part] for part in _shared(numbers, count)]
        if width is None or all(_fits(table, part, width) for part in parts):
            break
    for index, part in enumerate(parts):
        yield _picked(table, part, f"{table.title} (continued)" if index else table.title)


def _fits(table: Table, columns: Sequence[int], width: int) -> bool:
    return any(
        sum(widths[column] for column in columns) - GAP <= width
        for widths in (table.widths(), table.narrow_widths())
    )


def _shared(items: Sequence[int], count: int) -> Iterator[Sequence[int]]:
    """Split items into ``count`` runs whose lengths differ by at most one."""
    each, more = divmod(len(items), count)
    start = 0
    for index in range(count):
        end = start + each + (index < more)
        yield items[start:end]
        start = end


def with_values(table: Table) -> Table:
    """Remove number columns without any numbers; the table is empty if none is left."""
    columns = list(zip(*table.rows, strict=True))
    kept = [
        index
        for index, column in enumerate(columns)
        if index in table.texts or any(cell.split(" ")[0] != NOTHING for cell in column)
    ]
    if len(kept) == len(table.texts):
        return Table(table.title, table.header, ())
    return _picked(table, kept, table.title)


def _picked(table: Table, columns: Sequence[int], title: str) -> Table:
    """Select columns of the table, and omit rows that are blank in them."""
    picked = (tuple(row[column] for column in columns) for row in table.rows)
    texts = tuple(index for index, column in enumerate(columns) if column in table.texts)
    return Table(
        title,
        tuple(table.header[column] for column in columns),
        tuple(_without_blank(picked, texts)),
        texts=texts,
    )


def _without_blank(
    rows: Iterable[tuple[str, ...]], texts: Sequence[int]
) -> Iterator[tuple[str, ...]]:
    """Omit rows without numbers; the next row without a name takes the name of an omitted one."""
    name = ""
    for row in rows:
        if len(texts) < len(row) and not any(_numbers(row, texts)):
            name = row[0] or name
            continue
        yield (row[0] or name, *row[1:])
        name = ""


def _numbers(row: Sequence[str], texts: Sequence[int]) -> list[str]:
    return [cell for index, cell in enumerate(row) if index not in texts]
