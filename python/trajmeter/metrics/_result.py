"""Results: everything one metric family says of one trajectory, as typed frozen models.

A result is a tree of groups. A group holds figures that stand or fall together, and says with its
outcome and cause whether they do. The columns of a results table are the dotted paths of that tree,
derived from the models, so that a figure has one name everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from trajmeter.errors import ConfigurationError
from trajmeter.records import Cause, Outcome

__all__ = ["Figure", "Group", "Headline", "Listing", "Mean", "Result"]


@dataclass(frozen=True, slots=True)
class Figure:
    """What a figure's number means, annotated on its field: range, direction and unit."""

    low: float | None = None
    """Least possible value, ``None`` where there is none."""
    high: float | None = None
    """Greatest possible value, ``None`` where there is none."""
    higher_is_better: bool | None = None
    """Direction; ``None`` for a count or a description."""
    unit: str | None = None
    """Unit where the name does not say it."""
    numerator: tuple[str, ...] = ()
    """Figures of the same group whose sum is divided in the micro average; empty: it has none."""
    denominator: tuple[str, ...] = ()
    """Figures of the same group whose sum divides in the micro average."""
    independent: bool = False
    """Whether the figure stands by itself, whatever became of its group."""

    def __post_init__(self) -> None:
        """Refuse a range that holds no value."""
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ConfigurationError(
                f"the least possible value is {self.low}, above the greatest, {self.high}"
            )


class Group(BaseModel):
    """Figures that stand or fall together.

    A figure that is ``None`` in a scored group abstained.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    outcome: Outcome = Outcome.SCORED
    """Measured, assigned, abstained or not scored."""
    cause: Cause | None = None
    """Why the group was assigned or not scored."""


class Result(BaseModel):
    """What one metric family says of one trajectory: a tree of groups.

    A family whose figures all stand or fall together inherits from both: ``(Group, Result)``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Mean(BaseModel):
    """A mean with the number of values it was made of."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    value: float | None
    """The mean; ``None`` of no value."""
    scored: int
    """Attempts, or tasks, that have the figure."""
    total: int
    """Attempts, or tasks, that could have it."""


@dataclass(frozen=True, slots=True)
class Headline:
    """Marks a figure of a run by which agents are compared first, annotated on its field."""

    heading: str = ""
    """Heading of its column; empty for the name of the model that the figure is a field of."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Marks numbers by text of a run that make a table of their own, annotated on the mapping."""

    names: str
    """Heading of the texts."""
    values: str
    """Heading of the numbers."""
