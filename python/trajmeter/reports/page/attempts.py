"""The attempt table: one row per attempt, which expands to everything known about it.

The page contains it in compressed form, so that 10^5 rows cost nothing until they are viewed:

- ``<script type="application/json" id="attempts-directory">`` is the directory: ``{"rows": n,
  "block": b, "columns": [{"name", "label", "kind", "higher_is_better", "texts": m}], "tables":
  [...]}``, in the order of :attr:`AttemptTable.columns` and :attr:`AttemptTable.tables`. Only text
  columns have ``texts``.
- ``<script type="text/plain" id="attempts-column-<i>">`` is column i: base64 of gzip of its values,
  little-endian: float64 for numbers and booleans (1 and 0), NaN if missing; int32 codes for texts,
  -1 if missing.
- ``<script type="text/plain" id="attempts-texts-<i>">`` contains the texts of these codes: base64
  of gzip of a JSON list.
- ``<script type="text/plain" id="attempts-details-<k>">`` holds the details of the attempts from
  ``k * block``: base64 of gzip of a JSON list with a list of blocks for each attempt. So attempt i
  is element ``i % block`` of block ``i // block``. A block is an object with the fields of
  :class:`DetailBlock`, without empty ones; or it has ``table``, the index of a table in ``tables``
  of the directory, ``facts``, and a value for each of its labels or ``null``.

All of these are in ``<section class="part" id="attempts">`` with the table's title as ``<h2>``. A
URL fragment such as ``#attempt=17`` opens attempt 17 in file order, regardless of the sorting.
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
"""Number of attempts whose details are compressed together."""


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A column of text, such as agent, task or outcome."""

    name: str
    """Column of the results table."""
    label: str
    """Heading."""
    codes: npt.NDArray[np.int32]
    """Index of each row's text; -1 for none."""
    texts: tuple[str, ...]
    """Distinct texts."""


@dataclass(frozen=True, slots=True, eq=False)
class NumberColumn:
    """A column of numbers or booleans."""

    name: str
    """Column of the results table."""
    label: str
    """Heading: its short name."""
    values: npt.NDArray[np.float64]
    """One value per row; NaN if missing."""
    kind: Literal["number", "integer", "boolean"] = "number"
    """How to show a value; a boolean is 1 or 0."""
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
    """Indices of number columns, which are right-aligned; the others are text."""
    text: str = ""
    """Text with line breaks, such as an answer or a judge's reasoning."""
    folded: bool = False
    """Whether it is initially closed."""


Detail: TypeAlias = tuple[DetailBlock, ...]
"""All data about one attempt, most important first."""


@dataclass(frozen=True, slots=True)
class SharedTable:
    """A block that many attempts share, except for its facts and the values of its rows."""

    title: str
    """Heading."""
    header: tuple[str, str]
    """Headings of the labels and of the values."""
    labels: tuple[str, ...]
    """Label of each value; an attempt has no row for a missing value."""
    numbers: tuple[int, ...] = ()
    """Indices of number columns, which are right-aligned; the others are text."""
    folded: bool = False
    """Whether it is initially closed."""


@dataclass(frozen=True, slots=True, eq=False)
class AttemptTable:
    """All attempts of a report."""

    title: str
    """Heading: ``Attempts``, or ``Questions`` for frameworks."""
    columns: tuple[TextColumn | NumberColumn, ...]
    """Columns to show, the identity first; all of the same length. The texts can be searched."""
    details: Iterable[Detail | str]
    """The detail of each row, in order, or the JSON of its blocks in the page's form; iterated
    once, while the page is written."""
    tables: tuple[SharedTable, ...] = ()
    """Tables that details in JSON refer to."""
