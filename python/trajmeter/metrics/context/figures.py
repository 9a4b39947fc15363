"""Figures from sizes: ratios, and the values that replace them where a side is empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.metrics.context.result import FinalFigures, TrajectoryFigures
from trajmeter.records import Outcome
from trajmeter.records.record import frozen

if TYPE_CHECKING:
    from trajmeter.kernels import StepSizes
    from trajmeter.metrics.context.profile import ContextProfile

__all__ = ["final_figures", "step_figures"]

_SCORED = Outcome.SCORED
_ABSTAINED = Outcome.ABSTAINED


def final_figures(
    intersection: int, gold: int, predicted: int, profile: ContextProfile
) -> FinalFigures:
    """Figures of the final context at one granularity.

    Without gold there is nothing to find: ratios are ``None``, unless the profile has a value for
    empty sides; F1 is then computed from coverage and precision. A size below 0, which reversed
    ranges can add up to, is treated like 0.
    """
    coverage = precision = f1 = empty = profile.empty_ratio
    if empty is not None:
        coverage = intersection / gold if gold > 0 else empty
        precision = intersection / predicted if predicted > 0 else empty
        total = coverage + precision
        f1 = 2 * coverage * precision / total if total else 0.0
    elif gold:
        coverage = intersection / gold
        precision = intersection / predicted if predicted else None
        f1 = 2 * intersection / (gold + predicted)
    return frozen(
        FinalFigures,
        {
            "outcome": _ABSTAINED if coverage is None else _SCORED,
            "cause": None,
            "coverage": coverage,
            "precision": precision,
            "f1": f1,
            "intersection": intersection,
            "gold_size": gold,
            "predicted_size": predicted,
        },
    )


def step_figures(
    sizes: StepSizes,
    gold: int,
    num_steps: int,
    *,
    empty: float | None,
    empty_redundancy: float | None,
) -> TrajectoryFigures:
    """Figures of one or more steps at one granularity.

    Args:
        sizes: Sizes of the steps and of their union.
        gold: Size of gold.
        num_steps: Number of steps.
        empty: Coverage if the size of gold is 0 or less.
        empty_redundancy: Redundancy if the sizes of the steps add up to 0 or less.
    """
    coverage, covered_sum, viewed, union = sizes
    repeated = viewed - union
    gold_sum = gold * num_steps
    if coverage is None and empty is not None:
        coverage = (empty,) * num_steps
    return frozen(
        TrajectoryFigures,
        {
            "outcome": _SCORED if gold or viewed or empty is not None else _ABSTAINED,
            "cause": None,
            "coverage": coverage,
            "auc_coverage": covered_sum / gold_sum if gold > 0 else empty,
            "redundancy": repeated / viewed if viewed > 0 else empty_redundancy,
            "covered_sum": covered_sum,
            "gold_sum": gold_sum,
            "repeated_size": repeated,
            "viewed_size": viewed,
        },
    )
