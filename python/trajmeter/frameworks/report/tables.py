"""The tables of a comparison report, the same for every format."""

from __future__ import annotations

from collections import Counter
from itertools import takewhile
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeAlias

from trajmeter.reports.cells import (
    NOT_AVAILABLE,
    Cell,
    any_figure,
    dollars,
    hundredths,
    percent,
    seconds,
    tenths,
    whole,
)
from trajmeter.reports.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from trajmeter.frameworks.comparison import ComparedFigure, ComparedResult, Comparison
    from trajmeter.records import StaticMetrics

__all__ = ["comparison_tables", "labels", "question_table"]

_Rows: TypeAlias = "list[tuple[str, ...]]"
"""For each figure its name, and a cell for each framework."""


def labels(comparison: Comparison) -> list[str]:
    """Name of each column: the framework, and what distinguishes its results if there are several.

    A file that is listed twice is numbered, because charts identify frameworks by these names.
    """
    seen: Counter[str] = Counter()
    names = []
    for result in comparison.results:
        same_framework = [each for each in comparison.results if each.framework == result.framework]
        label = result.framework
        if len(same_framework) > 1:
            label += f" ({_differing(result, same_framework)})"
        seen[label] += 1
        names.append(label if seen[label] == 1 else f"{label} #{seen[label]}")
    return names


def _differing(result: ComparedResult, results: Sequence[ComparedResult]) -> str:
    """What distinguishes the results of a framework: number of runs, or number or time of a run."""
    if result.run_count > 1 and sum(each.run_count > 1 for each in results) == 1:
        return f"mean of {result.run_count} runs"
    files = [each.file for each in results if each.run_count == 1 or result.run_count > 1]
    stems = [PurePath(file).stem.split("_") for file in dict.fromkeys(files)]
    parts = PurePath(result.file).stem.split("_")
    if stems.count(parts) > 1 or len(stems) == 1:  # in different folders, or listed twice
        return result.file
    if parts[-1].startswith("run") and [stem[-1] for stem in stems].count(parts[-1]) == 1:
        return parts[-1]
    start = _shared(stems)
    end = _shared([stem[start:][::-1] for stem in stems])
    return "_".join(parts[start : len(parts) - end]) or "_".join(parts)


def _shared(names: Sequence[Sequence[str]]) -> int:
    """Number of leading parts that all share."""
    return sum(1 for _ in takewhile(lambda parts: len({*parts}) == 1, zip(*names, strict=False)))


def comparison_tables(comparison: Comparison) -> Iterator[Table]:
    """Every table except those of single questions; a table without figures is omitted.

    Args:
        comparison: The comparison.

    Yields:
        Summary, scorecard, latency, the scenario profile's figures, static quality and review.
    """
    results, names = comparison.results, labels(comparison)
    for title, first_column, rows in (
        ("Summary", "Metric", _summary(results)),
        ("Derived Scorecard (0-100)", "Axis", _scorecard(results)),
        ("Runtime Distribution", "Metric", _latency(results)),
        ("Scenario-Specific Metrics", "Metric", _scenario(results)),
        ("Code Quality: Static Metrics", "Metric", _static(results)),
        ("Code Quality: Review (1-5)", "Criterion", _review(results)),
    ):
        if rows:
            yield Table(title, (first_column, *names), tuple(rows))


def question_table(comparison: Comparison, question_id: str) -> Table:
    """Figures of one question."""
    answers = [result.questions.get(question_id) for result in comparison.results]
    rows: _Rows = [
        ("Outcome", *(a.outcome.value if a and a.outcome else NOT_AVAILABLE for a in answers))
    ]
    for name, field, show in _QUESTION_ROWS:
        rows.append((name, *(show(getattr(a, field)) if a else NOT_AVAILABLE for a in answers)))
    for key in sorted({key for a in answers if a for key in a.extra_metrics}):
        figures = (a.extra_metrics.get(key) if a else None for a in answers)
        rows.append((_title(key), *map(any_figure, figures)))
    return Table(question_id, ("Metric", *labels(comparison)), tuple(rows))


def _summary(results: Sequence[ComparedResult]) -> _Rows:
    rows: _Rows = [
        (name, *(_figure(result.summary[field], show) for result in results))
        for name, field, show in _SUMMARY_ROWS
    ]
    if any(result.run_count > 1 for result in results):
        rows += [
            ("Runs", *(whole(result.run_count) for result in results)),
            (
                "Tokens per Run",
                *(_per_run(r.tokens_per_run, r.summary["total_tokens"], whole) for r in results),
            ),
            (
                "Cost per Run (USD)",
                *(
                    _per_run(r.cost_usd_per_run, r.summary["total_cost_usd"], dollars)
                    for r in results
                ),
            ),
        ]
    judging = [result.judging for result in results]
    if any(judging):
        costs = (taken.cost_usd if taken else None for taken in judging)
        rows.append(("Judge's Cost (USD)", *map(dollars, costs)))
    for outcome in results[0].outcomes:
        counts = (result.outcomes[outcome] for result in results)
        name = f"Questions {outcome.value.replace('_', ' ')}"
        rows.append((name, *map(whole, counts)))
    return rows


def _scorecard(results: Sequence[ComparedResult]) -> _Rows:
    cards = [result.scorecard for result in results]
    return [
        ("Capability", *(tenths(card.capability.value) for card in cards)),
        ("Efficiency", *(tenths(card.efficiency.value) for card in cards)),
        ("Developer Experience", *(tenths(card.developer_experience.value) for card in cards)),
    ]


def _latency(results: Sequence[ComparedResult]) -> _Rows:
    return [
        ("Latency p50 (s)", *(seconds(result.latency.p50) for result in results)),
        ("Latency p95 (s)", *(seconds(result.latency.p95) for result in results)),
    ]


def _scenario(results: Sequence[ComparedResult]) -> _Rows:
    keys = sorted({key for result in results for key in result.extra_aggregates})
    return [
        (_title(key), *(any_figure(result.extra_aggregates.get(key)) for result in results))
        for key in keys
    ]


def _static(results: Sequence[ComparedResult]) -> _Rows:
    measures = [r.code_quality.static_metrics if r.code_quality else None for r in results]
    if not any(measures):
        return []
    return [
        (name, *(_measure(metrics, field, show) for metrics in measures))
        for name, field, show in _STATIC_ROWS
    ]


def _review(results: Sequence[ComparedResult]) -> _Rows:
    reviews = [r.code_quality.code_review if r.code_quality else None for r in results]
    if not any(reviews):
        return []
    return [
        (name, *(tenths(getattr(review, field) if review else None) for review in reviews))
        for name, field in _REVIEW_ROWS
    ]


def _figure(figure: ComparedFigure, show: Callable[[float | None], Cell]) -> Cell:
    """A figure; one that covers only some questions cannot be marked as the best."""
    cell = show(figure.value)
    text = str(cell)
    if figure.run_stddev is not None:
        text += f" ±{figure.run_stddev:.2f}"
    if figure.value is not None and figure.n < figure.of:
        text += f" ({figure.n:,} of {figure.of:,})"
    return Cell(text, cell.value if figure.n >= figure.of else None)


def _per_run(
    value: float | None, total: ComparedFigure, show: Callable[[float | None], Cell]
) -> Cell:
    cell = show(value)
    return Cell(cell, cell.value if total.n >= total.of else None)


def _measure(
    metrics: StaticMetrics | None, field: str, show: Callable[[float | None], Cell]
) -> str:
    value = getattr(metrics, field) if metrics else None
    return value if isinstance(value, str) else show(value)


def _title(key: str) -> str:
    return key.replace("_", " ").title()


_SUMMARY_ROWS = (
    ("Avg Latency (s)", "avg_latency", seconds),
    ("Total Tokens", "total_tokens", whole),
    ("Est. Cost (USD)", "total_cost_usd", dollars),
    ("Avg Correctness (1-5)", "avg_correctness", tenths),
    ("Avg Completeness (1-5)", "avg_completeness", tenths),
    ("Avg Faithfulness (1-5)", "avg_faithfulness", tenths),
    ("Avg Retrieval Precision", "avg_retrieval_precision", hundredths),
    ("Avg Retrieval Recall", "avg_retrieval_recall", hundredths),
)
_QUESTION_ROWS = (
    ("Latency (s)", "latency_seconds", seconds),
    ("Tokens", "total_tokens", whole),
    ("Cost (USD)", "estimated_cost_usd", dollars),
    ("Correctness", "correctness_score", tenths),
    ("Completeness", "completeness_score", tenths),
    ("Faithfulness", "faithfulness_score", tenths),
    ("Retrieval Precision", "retrieval_precision", hundredths),
    ("Retrieval Recall", "retrieval_recall", hundredths),
)
_STATIC_ROWS = (
    ("Source Lines (SLOC)", "sloc", whole),
    ("Comment Ratio", "comment_ratio", percent),
    ("Avg Cyclomatic Complexity", "avg_cyclomatic_complexity", tenths),
    ("Max Cyclomatic Complexity", "max_cyclomatic_complexity", whole),
    ("Complexity Grade", "complexity_grade", whole),
    ("Maintainability Index", "maintainability_index", tenths),
    ("Maintainability Grade", "maintainability_grade", whole),
    ("Halstead Volume", "halstead_volume", whole),
    ("Halstead Difficulty", "halstead_difficulty", tenths),
    ("Halstead Bugs (est.)", "halstead_bugs", hundredths),
    ("Total Imports", "num_imports", whole),
    ("Framework Imports", "num_framework_imports", whole),
    ("Classes", "num_classes", whole),
    ("Functions", "num_functions", whole),
    ("Type Annotation Coverage", "type_annotation_ratio", percent),
)
_REVIEW_ROWS = (
    ("Readability", "readability"),
    ("Idiomatic Usage", "idiomatic_usage"),
    ("Error Handling", "error_handling"),
    ("Extensibility", "extensibility"),
    ("Testability", "testability"),
    ("Documentation", "documentation"),
    ("Abstraction", "abstraction"),
    ("Average", "avg_score"),
)
