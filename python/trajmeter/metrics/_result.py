"""Results: what one metric family reports about one trajectory, as typed frozen models.

A result is a tree of groups. A group contains figures that are measured together; its outcome and
cause say whether they were. The columns of a results table are the dotted paths of the tree,
derived from the models, so a figure has the same name everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict

from trajmeter.errors import ConfigurationError
from trajmeter.records import Cause, Outcome
from trajmeter.records.record import LazyModel
from trajmeter.shapes import is_model

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic.fields import FieldInfo

__all__ = [
    "Figure",
    "Group",
    "Headline",
    "Listing",
    "Mean",
    "MetricError",
    "Result",
    "headlines",
    "listings",
    "read_range",
]


@dataclass(frozen=True, slots=True)
class Figure:
    """What a figure's number means, annotated on its field: range, direction and unit."""

    low: float | None = None
    """Least possible value, ``None`` if unbounded."""
    high: float | None = None
    """Greatest possible value, ``None`` if unbounded."""
    higher_is_better: bool | None = None
    """Direction; ``None`` for a count or a description."""
    unit: str | None = None
    """Unit, if the name does not say it."""
    numerator: tuple[str, ...] = ()
    """Figures of the same group whose sum is the numerator of the micro average; empty if none."""
    denominator: tuple[str, ...] = ()
    """Figures of the same group whose sum is the denominator of the micro average."""
    scale: Literal["linear", "ratio"] = "linear"
    """Whether values are compared by their differences, or as factors (speedups)."""
    independent: bool = False
    """Whether the figure is valid regardless of its group's outcome."""
    stands: bool = False
    """Whether a value counts even if its group is not scored; a missing one has the group's
    outcome."""

    def __post_init__(self) -> None:
        """Reject an empty range, and convert its bounds to floats."""
        # Python may cache equal annotated types as one, whichever came first: 0 equals 0.0, so both
        # must also be written the same way.
        for name, value in zip(("low", "high"), read_range(self.low, self.high), strict=True):
            object.__setattr__(self, name, value)


def read_range(low: float | None, high: float | None) -> tuple[float | None, float | None]:
    """The ends of a range as floats; an infinite end is none.

    Raises:
        ConfigurationError: An end is not a number, or the range is empty.
    """
    low = None if low == -inf else low
    high = None if high == inf else high
    for end in (low, high):
        if end is not None and not isfinite(end):
            raise ConfigurationError(f"a range ends at {end}, expected a number")
    if low is not None and high is not None and low > high:
        raise ConfigurationError(f"the low end of a range is {low}, above the high end, {high}")
    return None if low is None else float(low), None if high is None else float(high)


class Group(LazyModel):
    """Figures that are scored together or not at all.

    A figure that is ``None`` in a scored group abstained.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    outcome: Outcome = Outcome.SCORED
    """Measured, assigned, abstained or not scored."""
    cause: Cause | None = None
    """Why the group was assigned or not scored."""


class Result(LazyModel):
    """What one metric family reports about one trajectory: a tree of groups.

    A family with a single group inherits from both: ``(Group, Result)``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    def explain(self, figure: str) -> str | None:
        """Explain in words why a figure has its value, or none; ``None`` if nothing explains it.

        Args:
            figure: Its dotted path in the result.
        """
        group: object = self
        for name in figure.split(".")[:-1]:
            group = getattr(group, name)
        reason = getattr(group, "reason", None)
        return reason if isinstance(reason, str) else None


class Mean(LazyModel):
    """A mean and the number of values it covers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float | None
    """The mean; ``None`` without values."""
    scored: int
    """Attempts, or tasks, that have the figure."""
    total: int
    """Attempts, or tasks, that could have it."""


@dataclass(frozen=True, slots=True)
class Headline:
    """Annotation for a run-level figure that comes first when agents are compared."""

    heading: str = ""
    """Heading of its column; empty for the name of the model that the figure is a field of."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Annotation for a run-level mapping from text to number that is shown as a separate table."""

    names: str
    """Heading of the texts."""
    values: str
    """Heading of the numbers."""


@dataclass(frozen=True, slots=True)
class MetricError:
    """A metric raised an exception, so the attempt has no result for it."""

    message: str
    """Class, message and location of the exception."""
    code: str | None
    """Code of the exception if this package defines it, else ``None``."""


def headlines(model: type[BaseModel]) -> dict[str, str]:
    """Headings of the figures by which agents are compared, by dotted path."""
    return {
        path: mark.heading or path.rpartition(".")[0]
        for path, info in _fields(model)
        for mark in info.metadata
        if isinstance(mark, Headline)
    }


def listings(model: type[BaseModel]) -> dict[str, tuple[str, str]]:
    """Headings for the texts and numbers of each figure that is a table, by dotted path."""
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
