"""Which figures of a run stand first in a report, as its model marks them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.metrics._columns import is_model
from trajmeter.metrics._result import Headline, Listing, Mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

__all__ = ["headlines", "listings"]


def headlines(model: type[BaseModel]) -> dict[str, str]:
    """Headings of the figures that agents are compared by, by the figures' dotted paths."""
    return {
        path: mark.heading or path.rpartition(".")[0]
        for path, info in _fields(model)
        for mark in info.metadata
        if isinstance(mark, Headline)
    }


def listings(model: type[BaseModel]) -> dict[str, tuple[str, str]]:
    """Headings of texts and numbers of each table that is a figure, by its dotted path."""
    return {
        path: (mark.names, mark.values)
        for path, info in _fields(model)
        for mark in info.metadata
        if isinstance(mark, Listing)
    }


def _fields(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    for name, info in model.model_fields.items():
        yield f"{prefix}{name}", info
        if is_model(info.annotation) and info.annotation is not Mean:
            yield from _fields(info.annotation, f"{prefix}{name}.")
