"""What a comparison report says in words: its heading, and what a reader has to know."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from trajmeter.reports.comparison.tables import labels

if TYPE_CHECKING:
    from trajmeter.summaries.compared import Comparison

__all__ = ["heading", "notes"]


def heading(comparison: Comparison) -> list[tuple[str, str]]:
    """Name and value of each line under the title."""
    return [
        ("Scenario", comparison.scenario),
        ("Scenario type", comparison.scenario_type or "not recorded"),
        ("Mode", comparison.mode or "not recorded"),
        ("Profile", comparison.scenario_profile),
        ("Questions", str(len(comparison.question_texts()))),
        (
            "Runs per framework",
            ", ".join(
                f"{label}: {result.run_count}"
                for label, result in zip(labels(comparison), comparison.results, strict=True)
            ),
        ),
    ]


def notes(comparison: Comparison) -> list[str]:
    """What was left out of a figure, and why."""
    remarks = []
    averaged = {result.framework for result in comparison.results if result.run_count > 1}
    for framework in sorted(averaged):
        single = [r for r in comparison.results if r.framework == framework and r.run_count == 1]
        if single:
            remarks.append(
                f"{framework}: single runs ({len(single)}) stand beside an average of runs and "
                "count as results of their own, in the scorecard too."
            )
    for label, result in zip(labels(comparison), comparison.results, strict=True):
        efficiency = result.scorecard.efficiency
        absent = [
            name
            for name, part in (("cost", efficiency.cost), ("tokens", efficiency.tokens))
            if part is None
        ]
        if absent:
            remarks.append(
                f"{label}: no known {' and '.join(absent)}, so efficiency rests on the other parts "
                "with their weights rescaled."
            )
        causes = Counter(
            question.judge.cause.value
            for question in result.questions.values()
            if question.judge is not None and question.judge.cause is not None
        )
        if causes:
            listed = ", ".join(f"{cause} {n}" for cause, n in sorted(causes.items()))
            remarks.append(f"{label}: answers that the judge did not score: {listed}.")
        if result.code_quality and result.code_quality.judge and result.code_quality.judge.cause:
            remarks.append(f"{label}: no code review: {result.code_quality.judge.cause.value}.")
        if result.scorecard.capability.judge is None:
            remarks.append(f"{label}: not judged, so capability rests on scenario signals alone.")
        if result.code_quality and result.code_quality.error:
            remarks.append(f"{label}: no static metrics. {result.code_quality.error}")
    remarks.append(
        "Efficiency and parts of developer experience compare these frameworks with each other; "
        "cost and tokens count per answered question. The scorecard is a decision aid and replaces "
        "none of the figures above."
    )
    return remarks
