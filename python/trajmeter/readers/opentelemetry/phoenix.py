"""Spans as Arize Phoenix exports them: objects of its API, or rows of its data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.values import as_list
from trajmeter.readers.opentelemetry.openinference import MESSAGES
from trajmeter.readers.opentelemetry.values import structured

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

__all__ = ["has_columns", "is_row", "page_of", "unfolded"]

_COLUMNS = ("context.trace_id", "parent_id")
_IDS = ("context.trace_id", "context.span_id")
"""Ids of a span; the second is the index of the data frame, which may not be written."""
_ATTRIBUTES = "attributes."


def is_row(value: object) -> bool:
    """Whether a value is a row of a data frame."""
    return isinstance(value, dict) and has_columns(value)


def has_columns(names: Container[str]) -> bool:
    """Whether these are the columns of such a data frame."""
    return all(name in names for name in _COLUMNS)


def page_of(value: object) -> Sequence[Any]:
    """The spans on a page of the API; none for another value."""
    return as_list(value.get("data")) if isinstance(value, dict) else ()


def unfolded(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as an object of the API; empty cells are left out."""
    attributes = {
        name: structured(value) if name in MESSAGES else value
        for key, value in row.items()
        if value is not None and (name := key.removeprefix(_ATTRIBUTES)) != key
    }
    return {
        **row,
        "attributes": attributes,
        "context": {name.rpartition(".")[2]: row.get(name) for name in _IDS},
        "events": structured(row.get("events")),
    }
