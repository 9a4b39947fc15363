"""Figures from sizes: ratios, and what stands for a ratio where a side is empty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from trajmeter.metrics.context.results import FinalFigures, TrajectoryFigures
from trajmeter.records import Outcome
from trajmeter.records.record import frozen

if TYPE_CHECKING:
    from trajmeter.kernels import StepSizes

__all__ = ["CONTEXTBENCH", "DEFAULT", "Conventions"]

_SCORED = Outcome.SCORED
_ABSTAINED = Outcome.ABSTAINED


class Conventions(Protocol):
    """How sizes become figures."""

    def final(self, intersection: int, gold: int, predicted: int) -> FinalFigures:
        """Figures of the final context at one granularity."""

    def steps(
        self, granularity: str, sizes: StepSizes, gold: int, num_steps: int
    ) -> TrajectoryFigures:
        """Figures of the steps, of which there is one at least, at one granularity."""


class _Default:
    """Without gold there is nothing to find: figures that need it are ``None``."""

    def final(self, intersection: int, gold: int, predicted: int) -> FinalFigures:
        coverage = precision = f1 = None
        if gold:
            coverage = intersection / gold
            precision = intersection / predicted if predicted else None
            f1 = 2 * intersection / (gold + predicted)
        return frozen(
            FinalFigures,
            {
                "outcome": _SCORED if gold else _ABSTAINED,
                "cause": None,
                "coverage": coverage,
                "precision": precision,
                "f1": f1,
                "intersection": intersection,
                "gold_size": gold,
                "predicted_size": predicted,
            },
        )

    def steps(
        self,
        granularity: str,  # noqa: ARG002 - ContextBench tells lines apart
        sizes: StepSizes,
        gold: int,
        num_steps: int,
    ) -> TrajectoryFigures:
        coverage, covered_sum, viewed, union = sizes
        repeated = viewed - union
        gold_sum = gold * num_steps
        return frozen(
            TrajectoryFigures,
            {
                "outcome": _SCORED if gold or viewed else _ABSTAINED,
                "cause": None,
                "coverage": coverage,
                "auc_coverage": covered_sum / gold_sum if gold else None,
                "redundancy": repeated / viewed if viewed else None,
                "covered_sum": covered_sum,
                "gold_sum": gold_sum,
                "repeated_size": repeated,
                "viewed_size": viewed,
            },
        )


class _ContextBench:
    """An empty side makes a ratio 1; but 0 is a step's coverage of lines without gold lines."""

    def final(self, intersection: int, gold: int, predicted: int) -> FinalFigures:
        coverage = intersection / gold if gold else 1.0
        precision = intersection / predicted if predicted else 1.0
        total = coverage + precision
        return frozen(
            FinalFigures,
            {
                "outcome": _SCORED,
                "cause": None,
                "coverage": coverage,
                "precision": precision,
                "f1": 2 * coverage * precision / total if total else 0.0,
                "intersection": intersection,
                "gold_size": gold,
                "predicted_size": predicted,
            },
        )

    def steps(
        self, granularity: str, sizes: StepSizes, gold: int, num_steps: int
    ) -> TrajectoryFigures:
        coverage, covered_sum, viewed, union = sizes
        repeated = viewed - union
        without_gold = 0.0 if granularity == "line" else 1.0
        return frozen(
            TrajectoryFigures,
            {
                "outcome": _SCORED,
                "cause": None,
                "coverage": (without_gold,) * num_steps if coverage is None else coverage,
                "auc_coverage": covered_sum / (gold * num_steps) if gold else without_gold,
                "redundancy": repeated / viewed if viewed else 0.0,
                "covered_sum": covered_sum,
                "gold_sum": gold * num_steps,
                "repeated_size": repeated,
                "viewed_size": viewed,
            },
        )


DEFAULT: Conventions = _Default()
CONTEXTBENCH: Conventions = _ContextBench()
