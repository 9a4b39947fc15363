"""Gates: thresholds that figures must meet for a change to be merged, and what they found."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from trajmeter.errors import ConfigurationError
from trajmeter.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = [
    "DEFAULT_MIN_TASKS",
    "Gate",
    "GateCheck",
    "GateKind",
    "GateOutcome",
    "check_directions",
    "gated_figures",
    "need_intervals",
]

GateKind: TypeAlias = Literal[
    "fail_under",
    "fail_over",
    "fail_under_lower",
    "fail_over_upper",
    "max_not_scored",
    "no_regression",
]
"""What a gate checks."""

GateOutcome: TypeAlias = Literal["passed", "failed", "inconclusive"]
"""What a gate found; *inconclusive* is not enough evidence."""

DEFAULT_MIN_TASKS = 10
"""Minimum number of clusters for a gate on an interval."""


class Gate(Record):
    """A threshold that a figure must meet in every group."""

    kind: GateKind
    """``fail_under`` and ``fail_over`` check the mean, ``fail_under_lower`` and ``fail_over_upper``
    its interval, ``max_not_scored`` the share of attempts that could not be scored, and
    ``no_regression`` the difference from a baseline."""
    threshold: float
    """The figure's threshold, the largest share, or the margin of the difference."""
    figure: str | None = None
    """Name or pattern of the figure. For ``max_not_scored`` and ``no_regression``, ``None`` means
    the figures that other gates check, or else all requested ones."""
    baseline: str | Path | None = None
    """Results table that ``no_regression`` compares with."""


class GateCheck(Record):
    """What a gate found for one figure of one group."""

    gate: GateKind
    """The gate."""
    figure: str
    """Column of the figure."""
    group: dict[str, str | None]
    """The group."""
    value: float | None
    """What was compared with the threshold."""
    threshold: float
    """The threshold."""
    outcome: GateOutcome
    """Passed, failed, or not enough evidence."""
    reason: str
    """The numbers behind it, in words."""


_WITHOUT_INTERVALS = ("fail_under", "fail_over", "max_not_scored")
_NEED_LOWER = ("fail_under", "fail_under_lower")
_OPPOSITES: dict[GateKind, GateKind] = {
    "fail_under": "fail_over",
    "fail_over": "fail_under",
    "fail_under_lower": "fail_over_upper",
    "fail_over_upper": "fail_under_lower",
}
"""Gates on a mean or an interval, and their counterparts for figures of the other direction."""


def check_directions(gate: Gate, directions: Mapping[str, bool | None]) -> None:
    """Reject a gate on the wrong side of a figure.

    Args:
        gate: The gate.
        directions: For each figure it checks, whether higher is better.

    Raises:
        ConfigurationError: The gate fails under where lower is better, or the reverse, or a figure,
            margin or baseline is missing, or a threshold or share is out of range.
    """
    option = _option(gate.kind)
    if gate.kind in _OPPOSITES and gate.figure is None:
        raise ConfigurationError(f"{option} needs a figure, such as {option} FIGURE=0.8")
    if gate.kind == "no_regression" and gate.baseline is None:
        raise ConfigurationError(f"{option} needs a baseline")
    if not isfinite(gate.threshold):
        raise ConfigurationError(f"{option}: {gate.threshold}, expected a number")
    if gate.kind in ("max_not_scored", "no_regression") and gate.threshold < 0.0:
        raise ConfigurationError(f"{option}: {gate.threshold} is below 0")
    if gate.kind == "max_not_scored" and gate.threshold > 1.0:
        raise ConfigurationError(
            f"{option}: {gate.threshold} is above 1; write a share as 5% or 0.05"
        )
    if gate.kind not in _OPPOSITES:
        return
    for figure, higher_is_better in directions.items():
        if higher_is_better is (gate.kind not in _NEED_LOWER):
            better = "higher" if higher_is_better else "lower"
            raise ConfigurationError(
                f"{option}: {better} is better in {figure}; did you mean "
                f"{_option(_OPPOSITES[gate.kind])}?"
            )


def _option(kind: GateKind) -> str:
    return f"--{kind.replace('_', '-')}"


def need_intervals(gates: Iterable[Gate]) -> bool:
    """Whether any gate uses more than means and counts."""
    return any(gate.kind not in _WITHOUT_INTERVALS for gate in gates)


def gated_figures(gates: Iterable[Gate]) -> Sequence[str]:
    """Names of the figures that gates name."""
    return tuple(dict.fromkeys(gate.figure for gate in gates if gate.figure is not None))
