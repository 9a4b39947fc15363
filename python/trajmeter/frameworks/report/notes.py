"""The text of a comparison report: its heading, and notes on what the figures omit."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from trajmeter.frameworks.report.tables import labels

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajmeter.frameworks.comparison import ComparedResult, Comparison
    from trajmeter.records import Cause

__all__ = ["heading", "notes"]


def heading(comparison: Comparison) -> list[tuple[str, str]]:
    """Name and value of each line under the title."""
    return [
        ("Scenario", comparison.scenario),
        ("Scenario type", comparison.scenario_type or "not recorded"),
        ("Mode", comparison.mode or "not recorded"),
        ("Profile", comparison.scenario_profile),
        ("Questions", str(len(comparison.question_texts()))),
        ("Runs per framework", _runs(comparison)),
    ]


def _runs(comparison: Comparison) -> str:
    """Runs per framework, or their range; the summary lists each."""
    counts = [result.run_count for result in comparison.results]
    least, most = min(counts), max(counts)
    return str(least) if least == most else f"{least} to {most}"


def notes(comparison: Comparison) -> list[str]:
    """What figures omit, and why."""
    remarks = []
    averaged = {result.framework for result in comparison.results if result.run_count > 1}
    for framework in sorted(averaged):
        single = [r for r in comparison.results if r.framework == framework and r.run_count == 1]
        if single:
            remarks.append(
                f"{framework}: single runs ({len(single)}) are listed next to an average and "
                "count as separate results, also in the scorecard."
            )
    alike: dict[str, list[str]] = {}
    for label, result in zip(labels(comparison), comparison.results, strict=True):
        for remark in _remarks(result):
            alike.setdefault(remark, []).append(label)
    remarks += [f"{', '.join(concerned)}: {remark}" for remark, concerned in alike.items()]
    remarks.append(
        "Efficiency and parts of developer experience compare these frameworks with each other; "
        "cost and tokens count per answered question. The scorecard is a decision aid and replaces "
        "none of the figures above."
    )
    return remarks


def _remarks(result: ComparedResult) -> Iterator[str]:
    """What one framework's figures omit."""
    yield from _of_efficiency(result)
    causes: Counter[Cause] = Counter()
    for question in result.questions.values():
        causes.update(question.run_judge_causes or {})
        if question.judge is not None and question.judge.cause is not None:
            causes[question.judge.cause] += 1
    if causes:
        listed = ", ".join(f"{cause.value} {n}" for cause, n in sorted(causes.items()))
        yield f"answers that the judge did not score: {listed}."
    problems = [p for question in result.questions.values() for p in question.answer_problems]
    if problems:
        yield f"parts of answers that could not be read: {len(problems)}. {problems[0]}"
    quality = result.code_quality
    if quality and quality.judge and quality.judge.cause:
        yield f"no code review: {quality.judge.cause.value}."
    capability = result.scorecard.capability
    if capability.value is None:
        yield "neither judged nor with scenario signals, so capability is not scored."
    elif capability.judge is None:
        yield "not judged, so capability is based on scenario signals alone."
    if quality and quality.error:
        yield f"no static metrics. {quality.error}"
    yield from _lost_by_profile(result)


def _of_efficiency(result: ComparedResult) -> Iterator[str]:
    """What its efficiency lacks."""
    efficiency = result.scorecard.efficiency
    parts = (
        ("latency", efficiency.latency),
        ("cost", efficiency.cost),
        ("tokens", efficiency.tokens),
    )
    absent = [name for name, part in parts if part is None]
    if efficiency.value is None:
        yield "no known latency, cost and tokens, so efficiency is not scored."
    elif absent:
        yield (
            f"no known {' and '.join(absent)}, so efficiency rests on the other parts "
            "with their weights rescaled."
        )
    if None in result.outcomes.values():
        yield (
            "the file does not record how many questions its runs answered, so cost and tokens "
            "count per question asked."
        )


def _lost_by_profile(result: ComparedResult) -> Iterator[str]:
    """Figures that the scenario profile did not provide."""
    errors = [each.extra_metrics_error for each in result.questions.values()]
    raised = [error for error in errors if error is not None]
    if raised:
        yield f"questions without figures of the scenario profile: {len(raised)}. {raised[0]}"
    if result.extra_aggregates_error is not None:
        yield f"no aggregates of the scenario profile. {result.extra_aggregates_error}"
