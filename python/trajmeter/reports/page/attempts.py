"""The attempt table: one row per attempt, which expands to everything known about it.

The page holds it compressed, so that 10^5 rows cost a reader nothing until they are looked at:

- ``<script type="application/json" id="attempts-directory">`` is the directory: ``{"rows": n,
  "block": b, "columns": [{"name", "label", "kind", "higher_is_better", "texts": m}], "tables":
  [...]}``, in the order of :attr:`AttemptTable.columns` and :attr:`AttemptTable.tables`. ``texts``
  stands only with a column of text.
- ``<script type="text/plain" id="attempts-column-<i>">`` is column i: base64 of gzip of its values,
  little-endian: float64 of numbers and truth values (1 and 0), NaN where there is none; int32 codes
  of texts, -1 where there is none.
- ``<script type="text/plain" id="attempts-texts-<i>">`` is what these codes stand for: base64 of
  gzip of a JSON list.
- ``<script type="text/plain" id="attempts-details-<k>">`` holds the details of the attempts from
  ``k * block``: base64 of gzip of a JSON list with a list of blocks for each attempt. So attempt i
  is element ``i % block`` of block ``i // block``. A block is an object with the fields of
  :class:`DetailBlock`, without those that are empty; or it has ``table``, the place of a table
  among ``tables`` of the directory, ``facts``, and a value for each of its labels or ``null``.

All stand in ``<section class="part" id="attempts">`` with an ``<h2>`` of the table's title. An
address such as ``#attempt=17`` opens attempt 17 of the file's order, whatever the sorting.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    import numpy.typing as npt

__all__ = [
    "BLOCK",
    "AttemptTable",
    "Detail",
    "DetailBlock",
    "NumberColumn",
    "SharedTable",
    "TextColumn",
]

BLOCK = 256
"""Attempts whose details are compressed together."""


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A column of text: who, at what, what came of it."""

    name: str
    """Column of the results table."""
    label: str
    """Heading."""
    codes: npt.NDArray[np.int32]
    """For each row the number of its text; -1 for none."""
    texts: tuple[str, ...]
    """Distinct texts."""


@dataclass(frozen=True, slots=True, eq=False)
class NumberColumn:
    """A column of numbers or truth values."""

    name: str
    """Column of the results table."""
    label: str
    """Heading: its short name."""
    values: npt.NDArray[np.float64]
    """A value for each row; NaN if missing."""
    kind: Literal["number", "integer", "boolean"] = "number"
    """How a value is shown; a truth value is 1 or 0."""
    higher_is_better: bool | None = None
    """Which end is better; ``None`` if neither is."""


@dataclass(frozen=True, slots=True)
class DetailBlock:
    """One block of an attempt's details; any part may be empty."""

    title: str = ""
    """Heading."""
    facts: tuple[tuple[str, str], ...] = ()
    """Names with their values."""
    header: tuple[str, ...] = ()
    """Headings of a table."""
    rows: tuple[tuple[str, ...], ...] = ()
    """Its rows."""
    numbers: tuple[int, ...] = ()
    """Columns of the table that are numbers, aligned to the right; the others are text."""
    text: str = ""
    """Text with its own line breaks: an answer, a judge's reasoning."""
    folded: bool = False
    """Whether it is initially closed."""


Detail: TypeAlias = tuple[DetailBlock, ...]
"""All that is known of one attempt, most important first."""


@dataclass(frozen=True, slots=True)
class SharedTable:
    """A block that many attempts have alike but for its facts and the values of its rows."""

    title: str
    """Heading."""
    header: tuple[str, str]
    """Headings of the labels and of the values."""
    labels: tuple[str, ...]
    """Label of each value; an attempt has no row for a missing value."""
    numbers: tuple[int, ...] = ()
    """Columns that are numbers, aligned to the right; the others are text."""
    folded: bool = False
    """Whether it is initially closed."""


@dataclass(frozen=True, slots=True, eq=False)
class AttemptTable:
    """All attempts of a report."""

    title: str
    """Heading: ``Attempts``, or ``Questions`` of frameworks."""
    columns: tuple[TextColumn | NumberColumn, ...]
    """Columns shown, the identity first; all of the same length. What one can search: the texts."""
    details: Iterable[Detail | str]
    """The detail of each row, in order, or the JSON of its blocks as the page holds it; read once,
    while the page is written."""
    tables: tuple[SharedTable, ...] = ()
    """What details in JSON refer to."""
