"""Details of each attempt as stored in the page, built column by column rather than cell by cell.

An attempt has a hundred or more cells, most of which are equal in many attempts. Therefore, every
distinct value of a column is formatted once, and Arrow joins the pieces of all attempts.
"""

from __future__ import annotations

import json
import math
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trajmeter.arrays import numbers
from trajmeter.arrays.text import coded
from trajmeter.reports.page.attempts import SharedTable
from trajmeter.reports.page.details import detail_json, text_json
from trajmeter.reports.results.words import cause_name
from trajmeter.summaries.attempt_rows import OUTSIDE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from trajmeter.arrays import Array, Booleans
    from trajmeter.kernels import Int64Array
    from trajmeter.reports.page.attempts import Detail
    from trajmeter.summaries.attempt_rows import AttemptRows

    _Groups: TypeAlias = dict[str, dict[str, list[str]]]
    """Columns by family and group."""
    _Columns: TypeAlias = "dict[str, _Column]"

__all__ = ["AttemptDetails"]

_IDENTITY = ("task_id", "agent", "model", "attempt", "source")
_OUTCOMES = ("outcome", "cause", "reason")
_PLAIN = ("version", "parameters", "error")

_NULL = "null"

_ROWS = 1 << 14
"""Number of attempts whose details are in memory together, at some kilobytes each."""


class _Column(NamedTuple):
    """A column that is not empty."""

    codes: Int64Array
    """Index of each attempt's value; -1 for none."""
    values: list[Any]
    """Distinct values."""


class AttemptDetails:
    """Details of each attempt as JSON, generated lazily, as all of them may not fit.

    Args:
        rows: The attempts.
        directed: Figures with a direction, shown before counts and descriptions.
        listed: Number of attempts to list, from the first.
        turns: Returns the details of an attempt's turns, given its identity.
    """

    def __init__(
        self,
        rows: AttemptRows,
        directed: Iterable[str],
        listed: int,
        turns: Callable[[Mapping[str, str | None]], Detail] | None = None,
    ) -> None:
        self._rows = rows
        self._judged_by = rows.judged_by
        self._listed = listed
        self._turns = turns
        kinds = rows.columns
        self._booleans = {
            name
            for table in rows.tables
            for name, kind in table.columns.items()
            if kind == "boolean"
        }
        self._directed = set(directed)
        columns = [*kinds.texts, *kinds.numbers, *kinds.values]
        order = [*dict.fromkeys(name for table in rows.tables for name in table.columns)]
        self._groups: _Groups = {}
        for name in sorted(columns, key=order.index):
            family, dot, rest = name.partition(".")
            if dot and rest not in _PLAIN:
                group = self._groups.setdefault(family, {})
                group.setdefault(name.rpartition(".")[0], []).append(name)
        self._figures = {family: self._named(family, are_figures=True) for family in self._groups}
        self._others = {family: self._named(family, are_figures=False) for family in self._groups}

    @property
    def tables(self) -> tuple[SharedTable, ...]:
        """The tables of each family: its figures, then everything else."""
        return tuple(
            table
            for family in self._groups
            for table in (
                SharedTable(
                    family, ("figure", "value"), _labels(family, self._figures[family]), (1,)
                ),
                SharedTable(
                    f"{family}: counts and descriptions",
                    ("column", "value"),
                    _labels(family, self._others[family]),
                    folded=True,
                ),
            )
        )

    def _named(self, family: str, *, are_figures: bool) -> list[str]:
        """Columns of a family, except outcomes and causes of its groups."""
        return [
            name
            for names in self._groups[family].values()
            for name in names
            if name.rpartition(".")[2] not in _OUTCOMES and (name in self._directed) is are_figures
        ]

    def __iter__(self) -> Iterator[str]:
        """Read the attempts again and yield their details."""
        remaining = self._listed
        for batch in self._rows.everything():
            for start in range(0, min(batch.num_rows, remaining), _ROWS):
                yield from self._of(batch.slice(start, min(_ROWS, remaining - start)))
            remaining -= min(batch.num_rows, remaining)
            if not remaining:
                return

    def _of(self, batch: pa.RecordBatch) -> list[str]:
        # Many columns are empty, such as causes if everything was scored.
        columns: _Columns = {}
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if column.null_count < batch.num_rows:
                values, codes = coded(column)
                columns[name] = _Column(codes, [*values])
        facts = [_fact(name, columns[name]) for name in _IDENTITY if name in columns]
        blocks = [_wrapped(_joined(facts, batch.num_rows), '{"facts":[', "]}", empty="{}")]
        for place, family in enumerate(self._groups):
            blocks += self._family(family, 2 * place, columns, batch.num_rows)
        if self._turns is not None:
            blocks.append(_strings([*_blocks(self._turns, batch)]))
        details: list[Any] = _wrapped(_joined(blocks, batch.num_rows), "[", "]").to_pylist()
        return details

    def _family(self, family: str, table: int, columns: _Columns, rows: int) -> Iterator[Array]:
        facts: list[Array] = []
        error = columns.get(f"{family}.error")
        if error is not None:
            facts.append(_fact("error", error))
        for group in self._groups[family]:
            outcomes = _said(group, columns)
            if outcomes is not None:
                facts.append(_fact(group.removeprefix(f"{family}."), outcomes))
        figures = self._values(self._figures[family], columns)
        parts = [_wrapped(_joined(facts, rows), '"facts":[', "]")] if facts else []
        parts += [figures] if figures is not None else []
        if parts:
            yield _wrapped(_joined(parts, rows), f'{{"table":{table},', "}")
        others = self._values(self._others[family], columns)
        if others is not None:
            yield _wrapped(others, f'{{"table":{table + 1},', "}")

    def _values(self, names: Sequence[str], columns: _Columns) -> Array | None:
        """The values of columns, null if an attempt has none; ``None`` if no attempt has any."""
        pieces: list[Array | str] = []
        says: Booleans | None = None
        for name in names:
            if name not in columns:
                pieces.append(_NULL)
                continue
            texts, codes = self._cells(name, columns)
            pieces.append(_strings([*(text or _NULL for text in texts), _NULL]).take(codes))
            own = np.array([*(text is not None for text in texts), False])[codes]
            says = own if says is None else says | own
        if says is None:
            return None
        joined = _concatenated(*pieces, between=",", nulls="emit_null")
        if not says.all():
            joined = pc.if_else(pa.array(says), joined, _text(None))
        return _wrapped(joined, '"values":[', "]")

    def _cells(self, name: str, columns: _Columns) -> tuple[list[str | None], Int64Array]:
        """Distinct texts of a column as JSON, and the index of each attempt's; one past if none."""
        column = columns[name]
        shown = self._shown(name, column.values)
        is_plain = isinstance(column.values[0], float)  # numbers need no escapes
        texts: list[str | None] = (
            [f'"{text}"' for text in shown]
            if is_plain
            else [text_json(text) if text else None for text in shown]
        )
        codes = column.codes
        judged = columns.get(self._judged_by.get(name, ""))
        if judged is not None:
            outside = [code for code, text in enumerate(judged.values) if text in OUTSIDE]
            is_outside = np.isin(judged.codes, outside) & (column.codes >= 0)
            if is_outside.any():
                texts += [text_json(f"{text} (outside the mean)") for text in shown]
                codes = np.where(is_outside, codes + len(shown), codes)
        return texts, np.where(codes < 0, len(texts), codes)

    def _shown(self, name: str, values: Sequence[Any]) -> list[str]:
        """Distinct values of a column as text."""
        if not isinstance(values[0], float):
            return [_plain(text) for text in values]
        if name in self._booleans:
            return ["yes" if value else "no" for value in values]
        return [f"{value:,.0f}" if value.is_integer() else f"{value:.6g}" for value in values]


def _blocks(
    turns: Callable[[Mapping[str, str | None]], Detail], batch: pa.RecordBatch
) -> Iterator[str | None]:
    """The blocks of each attempt's turns."""
    names = [name for name in _IDENTITY if name in batch.schema.names]
    columns = [batch.column(name).to_pylist() for name in names]
    blank: dict[str, str | None] = dict.fromkeys(_IDENTITY)
    for row in zip(*columns, strict=True) if names else [()] * batch.num_rows:
        detail = turns(blank | dict(zip(names, row, strict=True)))
        yield detail_json(detail)[1:-1] or None


def _fact(label: str, column: _Column) -> Array:
    """A column as facts, labels with texts; null if empty."""
    begin = f"[{text_json(label)},"
    pairs = [f"{begin}{text_json(str(text))}]" if text else None for text in column.values]
    return _strings(pairs).take(numbers(column.codes, column.codes < 0))


def _strings(texts: Sequence[str | None]) -> Array:
    return pa.array(texts, pa.large_string())  # may exceed 2^31 bytes in total


def _joined(pieces: Sequence[Array], rows: int) -> Array:
    """Join the pieces of each attempt with commas; null if it has none."""
    if not pieces:
        return pa.nulls(rows, pa.large_string())
    is_empty = reduce(pc.and_, (piece.is_null() for piece in pieces))
    has_empty = bool(pc.any(is_empty).as_py())
    first, *rest = pieces
    if has_empty:  # Arrow would drop a row of only nulls: join it as an empty text, then undo that
        first = pc.if_else(is_empty, _text(""), first)
    joined = _concatenated(first, *rest, between=",", nulls="skip")
    return pc.if_else(is_empty, _text(None), joined) if has_empty else joined


def _wrapped(pieces: Array, begin: str, end: str, *, empty: str | None = None) -> Array:
    """Enclose pieces in two texts; ``empty`` replaces missing pieces."""
    wrapped = _concatenated(begin, pieces, end, between="", nulls="emit_null")
    return wrapped if empty is None else wrapped.fill_null(empty)


def _concatenated(*pieces: Array | str, between: str, nulls: str) -> Array:
    join: Any = pc.binary_join_element_wise  # the stubs accept arrays or scalars, but not both
    texts = (_text(piece) if isinstance(piece, str) else piece for piece in (*pieces, between))
    found: Array = join(*texts, null_handling=nulls)
    return found


def _text(text: str | None) -> pa.Scalar[Any]:
    return pa.scalar(text, pa.large_string())


def _labels(family: str, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name.removeprefix(f"{family}.") for name in names)


def _said(group: str, columns: _Columns) -> _Column | None:
    """Outcome and cause of a group of figures, unless it was simply scored."""
    held = [columns.get(f"{group}.{end}") for end in _OUTCOMES]
    present = [column for column in held if column is not None]
    if not present:
        return None
    packed = np.zeros(len(present[0].codes), np.int64)  # the three as one number, for one sort
    for column in present:
        packed = packed * (len(column.values) + 1) + column.codes + 1
    _, firsts, own = np.unique(packed, return_index=True, return_inverse=True)
    known = [
        [None] * len(firsts)
        if column is None
        else [column.values[code] if code >= 0 else None for code in column.codes[firsts].tolist()]
        for column in held
    ]
    return _Column(own.reshape(-1), [_outcome(*each) for each in zip(*known, strict=True)])


def _outcome(outcome: str | None, cause: str | None, reason: str | None) -> str:
    is_plain = outcome is None or (outcome == "scored" and not cause)
    parts = [] if is_plain else [str(outcome).replace("_", " ")]
    if cause:
        parts.append(cause_name(str(cause)))
    text = ": ".join(parts)
    return f"{text} ({reason})" if reason and text else str(reason or text)


def _plain(text: str) -> str:
    """Format JSON as words: a mapping by its keys, a list by its items; other text is unchanged."""
    if text[:1] not in ("[", "{", '"'):
        return text
    try:
        found = json.loads(text)
    except ValueError:
        return text
    if isinstance(found, dict):
        return "; ".join(f"{key}: {_item(value)}" for key, value in found.items())
    if isinstance(found, list):
        return "; ".join(map(_item, found))
    return found if isinstance(found, str) else text


def _item(value: object) -> str:
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.6g}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_item(each)}" for key, each in value.items())
    return "-" if value is None else str(value)
