"""The contents of a summary: every figure averaged over attempts, with its counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    Field,
    JsonValue,
    SerializerFunctionWrapHandler,
    WrapSerializer,
)

from trajmeter.records import Record

__all__ = [
    "AttemptsSummary",
    "ErrorSummary",
    "FigureSummary",
    "MetricSummary",
    "MissingTasks",
    "Quantiles",
    "Summary",
]


class FigureSummary(Record):
    """One figure over all attempts.

    ``scored``, ``abstained`` and the counts of ``not_scored`` add up to ``total``.
    """

    macro: float | None
    """Mean of the attempts' values, each counting the same; ``None`` without values."""
    micro: float | None
    """Ratio of the summed counts the figure is made of, so that large tasks weigh more; ``None``
    where the figure is not such a ratio, or nothing was counted."""
    sum: float | None
    """Sum of the values; ``None`` without values."""
    scored: int
    """Attempts in the mean: measured, or set by a rule."""
    total: int
    """All attempts."""
    abstained: int
    """Attempts that gave the metric nothing to act on; outside the mean."""
    assigned: dict[str, int] = Field(default_factory=dict)
    """Of the scored, those whose value a rule set, by cause."""
    not_scored: dict[str, int] = Field(default_factory=dict)
    """Attempts that could not be scored, by cause; outside the mean."""
    kind: Literal["boolean", "integer", "number"]
    """Type of the values; the mean of a boolean is the share of attempts for which it is true."""
    higher_is_better: bool | None = None
    """Direction; ``None`` for a count or a description."""
    unit: str | None = None
    """Unit where the name does not say it."""
    numerator: tuple[str, ...] = ()
    """Columns whose sum the micro average divides; empty where it has none."""
    denominator: tuple[str, ...] = ()
    """Columns whose sum it divides by."""


class Quantiles(Record):
    """Quantiles of the values of a figure that are in its mean.

    The 95th percentile, for one, is the least value that at least 95 % of them do not exceed.
    ``min``, ``max`` and integers below 128 are exact, other quantiles within 1/128 of that value.
    """

    min: float
    """The least value."""
    p5: float
    """At least 5 % of the values are not greater."""
    p25: float
    """At least 25 % of the values are not greater."""
    p50: float
    """At least half of the values are not greater: the median."""
    p75: float
    """At least 75 % of the values are not greater."""
    p95: float
    """At least 95 % of the values are not greater."""
    p99: float
    """At least 99 % of the values are not greater."""
    max: float
    """The greatest value."""


class AttemptsSummary(Record):
    """All attempts, or those of one agent and model."""

    agent: str | None = None
    """Name of the agent, where all attempts are of one."""
    model: str | None = None
    """Name of the model, where all attempts are of one."""
    source: str | None = None
    """File of the attempts, where they name neither agent nor model."""
    instance: str | None = None
    """Which of several agents of one name and model that ran side by side."""
    attempts: int
    """Number of attempts."""
    aggregates: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Run-level figures by metric, of those that have them, as the metric itself makes them."""
    figures: dict[str, FigureSummary]
    """Each figure by its column, in the order of the columns."""
    quantiles: dict[str, Quantiles] = Field(default_factory=dict)
    """Quantiles of the figures that are numbers and have values, by their columns; of one agent and
    model only if asked for."""


def _write_groups(
    groups: Sequence[AttemptsSummary], write: SerializerFunctionWrapHandler
) -> object:
    """Serialise groups, whichever sequence holds them."""
    return write(tuple(groups))


class MetricSummary(Record):
    """A metric that scored."""

    name: str
    """Name of the family."""
    version: str
    """Version of the definition."""
    parameters: dict[str, JsonValue]
    """Its settings, such as the profile."""
    headlines: dict[str, str] = Field(default_factory=dict)
    """Figures of the run that agents are compared by, with a short heading for each."""
    listings: dict[str, tuple[str, str]] = Field(default_factory=dict)
    """Figures of the run that are numbers by text, with headings for both."""


class ErrorSummary(Record):
    """An exception that a metric raised."""

    metric: str
    """Name of the metric."""
    message: str
    """Class, message and place of the exception."""
    code: str | None
    """Code of an exception of this package, else ``None``."""
    attempts: int
    """Attempts it was raised for."""


class MissingTasks(Record):
    """Attempts whose task is unknown, though a metric needs it."""

    attempts: int
    """Number of these attempts."""
    nearest: dict[str, str | None]
    """Task ids of the first of them, each with the known id most like it, if any is."""
    known: int
    """Number of tasks that are known."""


class Summary(Record):
    """Scores aggregated over attempts."""

    trajmeter_version: str
    """Version of this package."""
    backend: str
    """Kernel backend that computed."""
    metrics: tuple[MetricSummary, ...]
    """The metrics, in order."""
    groups: Annotated[
        Sequence[AttemptsSummary], AfterValidator(tuple), WrapSerializer(_write_groups)
    ]
    """Attempts by agent and model, or by file where neither is named, as they first came.

    A tuple; of very many groups, a sequence that makes each summary when it is looked at.
    """
    overall: AttemptsSummary
    """All attempts."""
    missing_tasks: MissingTasks | None = None
    """Attempts that found no task; ``None`` where all found theirs, or no metric needs one."""
    errors: tuple[ErrorSummary, ...] = ()
    """What metrics raised; of many different errors, some of each metric."""
