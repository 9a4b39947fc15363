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
    """Mean of the attempts' values, weighted equally; ``None`` without values."""
    micro: float | None
    """Ratio of the summed counts from which the figure is computed, so large tasks weigh more;
    ``None`` if the figure is not such a ratio, or nothing was counted."""
    sum: float | None
    """Sum of the values; ``None`` without values."""
    scored: int
    """Attempts in the mean: measured, or set by a rule."""
    total: int
    """All attempts."""
    abstained: int
    """Attempts on which the metric abstained; outside the mean."""
    assigned: dict[str, int] = Field(default_factory=dict)
    """Scored attempts whose value a rule set, by cause."""
    not_scored: dict[str, int] = Field(default_factory=dict)
    """Attempts that could not be scored, by cause; outside the mean."""
    kind: Literal["boolean", "integer", "number"]
    """Type of the values; the mean of a boolean is the share of attempts for which it is true."""
    higher_is_better: bool | None = None
    """Direction; ``None`` for a count or a description."""
    unit: str | None = None
    """Unit, if the name does not say it."""
    numerator: tuple[str, ...] = ()
    """Columns whose sum is the numerator of the micro average; empty if there is none."""
    denominator: tuple[str, ...] = ()
    """Columns whose sum is its denominator."""


class Quantiles(Record):
    """Quantiles of a figure's values that are in its mean.

    For example, the 95th percentile is the least value that at least 95 % of them do not exceed.
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
    """Name of the agent, if all attempts share one."""
    model: str | None = None
    """Name of the model, if all attempts share one."""
    source: str | None = None
    """File of the attempts, if they name neither agent nor model."""
    instance: str | None = None
    """Distinguishes agents with the same name and model that ran side by side."""
    attempts: int
    """Number of attempts."""
    aggregates: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Run-level figures by metric, for metrics that compute them."""
    figures: dict[str, FigureSummary]
    """Each figure by its column, in the order of the columns."""
    quantiles: dict[str, Quantiles] = Field(default_factory=dict)
    """Quantiles of numeric figures with values, by column; for single agents and models only if
    requested."""


def _write_groups(
    groups: Sequence[AttemptsSummary], write: SerializerFunctionWrapHandler
) -> object:
    """Serialise groups, whatever sequence holds them."""
    return write(tuple(groups))


class MetricSummary(Record):
    """A metric that was used."""

    name: str
    """Name of the family."""
    version: str
    """Version of the definition."""
    parameters: dict[str, JsonValue]
    """Its settings, such as the profile."""
    headlines: dict[str, str] = Field(default_factory=dict)
    """Run-level figures by which agents are compared, with a short heading for each."""
    listings: dict[str, tuple[str, str]] = Field(default_factory=dict)
    """Run-level figures that map texts to numbers, with headings for both."""


class ErrorSummary(Record):
    """An exception that a metric raised."""

    metric: str
    """Name of the metric."""
    message: str
    """Class, message and location of the exception."""
    code: str | None
    """Code of the exception if this package defines it, else ``None``."""
    attempts: int
    """Number of attempts for which it was raised."""


class MissingTasks(Record):
    """Attempts whose task is unknown although a metric needs it."""

    attempts: int
    """Number of these attempts."""
    nearest: dict[str, str | None]
    """Task ids of the first of them, each with the most similar known id, if any."""
    known: int
    """Number of known tasks."""


class Summary(Record):
    """Scores aggregated over attempts."""

    trajmeter_version: str
    """Version of this package."""
    backend: str
    """Kernel backend that was used."""
    metrics: tuple[MetricSummary, ...]
    """The metrics, in order."""
    groups: Annotated[
        Sequence[AttemptsSummary], AfterValidator(tuple), WrapSerializer(_write_groups)
    ]
    """Attempts by agent and model, or by file if neither is named, in order of first occurrence.

    A tuple; for very many groups, a sequence that creates each summary on access.
    """
    overall: AttemptsSummary
    """All attempts."""
    missing_tasks: MissingTasks | None = None
    """Attempts without a known task; ``None`` if there are none, or no metric needs a task."""
    errors: tuple[ErrorSummary, ...] = ()
    """Errors that metrics raised; if there are many different ones, some for each metric."""
