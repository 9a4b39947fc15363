"""One column of a results table, and groups of columns that are scored together."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from trajmeter.records.record import field_descriptions
from trajmeter.shapes import Shape

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel

    from trajmeter.metrics._result import Figure

__all__ = ["TEXT", "Column", "FigureGroup", "Role"]

Role: TypeAlias = Literal["figure", "outcome", "cause", "about"]

TEXT = Shape("text")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a results table; a value may always be missing."""

    name: str
    """Dotted path."""
    shape: Shape
    """Kind of its values: scalars, lists or mappings of scalars, mappings of records, or JSON."""
    role: Role = "about"
    """What it describes: a figure, a group's outcome, or the attempt and the metric."""
    meaning: str | None = None
    """Meaning of the column, if no docstring states it."""
    figure: Figure | None = None
    """Range, direction and unit of a figure."""
    dump: Callable[[Any], Any] | None = field(default=None, compare=False, repr=False)
    """Converts a field's value to the row's value; ``None`` if they are the same."""
    load: Callable[[Any], Any] | None = field(default=None, compare=False, repr=False)
    """Converts a value of an Arrow column to the field's value; ``None`` if they are the same."""
    model: type[BaseModel] | None = field(default=None, compare=False, repr=False)
    """Model of the field, whose docstring says what the column means."""

    @property
    def description(self) -> str | None:
        """Meaning of the column; docstrings are read from the source on demand."""
        if self.meaning is not None or self.model is None:
            return self.meaning
        return _descriptions(self.model).get(self.name.rpartition(".")[2])


_descriptions = lru_cache(maxsize=256)(field_descriptions)
"""Meaning of the fields of a model, which every part of a run needs for its columns."""


class FigureGroup(NamedTuple):
    """Figures that are scored together, and their position in the table."""

    name: str
    """Dotted path of the group."""
    paths: tuple[str, ...]
    """Attribute path of each column in the result."""
    columns: tuple[Column, ...]
    """Its columns, outcome and cause first if it has them."""
    offset: int
    """Position of its first column in the table."""
    has_outcome: bool
    """Whether the first two columns are outcome and cause."""
