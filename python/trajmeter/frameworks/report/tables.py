"""The tables of a comparison report, as text and as numbers, for every format alike."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.frameworks.report.cells import (
    NOT_AVAILABLE,
    Cell,
    dollars,
    extra,
    hundredths,
    no_figure,
    number,
    percent,
    seconds,
    tenths,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from trajmeter.frameworks.compared import ComparedFigure, ComparedResult, Comparison
    from trajmeter.records import StaticMetrics

__all__ = ["Table", "comparison_tables", "labels", "question_table"]


class Table(NamedTuple):
    """One table: a row per figure, a column per framework."""

    title: str
    """Heading."""
    first_column: str
    """Heading of the column that names the figures."""
    rows: list[tuple[str, list[Cell]]]
    """Name of each figure, and a cell per framework."""


def labels(comparison: Comparison) -> list[str]:
    """Name of each column: the framework, with its file where two results share a framework.

    A file that was given twice is numbered, because charts tell frameworks apart by these names.
    """
    names = [result.framework for result in comparison.results]
    seen: Counter[str] = Counter()
    found = []
    for name, result in zip(names, comparison.results, strict=True):
        label = name if names.count(name) == 1 else f"{name} ({result.file})"
        seen[label] += 1
        found.append(label if seen[label] == 1 else f"{label} #{seen[label]}")
    return found


def comparison_tables(comparison: Comparison) -> Iterator[Table]:
    """Every table but those of single questions; a table without figures is left out.

    Args:
        comparison: What to show.

    Yields:
        Summary, scorecard, latency, the scenario profile's figures, static quality and review.
    """
    results = comparison.results
    tables = [
        _summary(results),
        _scorecard(results),
        _latency(results),
        _scenario(results),
        _static(results),
        _review(results),
    ]
    yield from (table for table in tables if table.rows)


def question_table(comparison: Comparison, question_id: str) -> Table:
    """Figures of one question, a column per framework."""
    answers = [result.questions.get(question_id) for result in comparison.results]
    rows = [
        ("Outcome", [Cell(a.outcome.value if a and a.outcome else NOT_AVAILABLE) for a in answers])
    ]
    for name, field, show in _QUESTION_ROWS:
        rows.append((name, [show(getattr(a, field)) if a else no_figure() for a in answers]))
    keys = sorted({key for a in answers if a for key in a.extra_metrics})
    rows += [
        (_title(key), [extra(a.extra_metrics.get(key)) if a else no_figure() for a in answers])
        for key in keys
    ]
    return Table(question_id, "Metric", rows)


def _summary(results: Sequence[ComparedResult]) -> Table:
    rows = [
        (name, [_figure(result.summary[field], show) for result in results])
        for name, field, show in _SUMMARY_ROWS
    ]
    if any(result.run_count > 1 for result in results):
        rows += [
            ("Runs", [whole(result.run_count) for result in results]),
            ("Tokens per Run", [whole(result.tokens_per_run) for result in results]),
            ("Cost per Run (USD)", [dollars(result.cost_usd_per_run) for result in results]),
        ]
    judging = [result.judging for result in results]
    if any(judging):
        rows.append(
            (
                "Judge's Cost (USD)",
                [dollars(taken.cost_usd if taken else None) for taken in judging],
            )
        )
    rows += [
        (
            f"Questions {outcome.value.replace('_', ' ')}",
            [Cell(str(result.outcomes[outcome]), result.outcomes[outcome]) for result in results],
        )
        for outcome in results[0].outcomes
    ]
    return Table("Summary", "Metric", rows)


def _scorecard(results: Sequence[ComparedResult]) -> Table:
    cards = [result.scorecard for result in results]
    rows = [
        ("Capability", [number(card.capability.value, 1) for card in cards]),
        ("Efficiency", [number(card.efficiency.value, 1) for card in cards]),
        ("Developer Experience", [number(card.developer_experience.value, 1) for card in cards]),
    ]
    return Table("Derived Scorecard (0-100)", "Axis", rows)


def _latency(results: Sequence[ComparedResult]) -> Table:
    rows = [
        ("Latency p50 (s)", [seconds(result.latency.p50) for result in results]),
        ("Latency p95 (s)", [seconds(result.latency.p95) for result in results]),
    ]
    return Table("Runtime Distribution", "Metric", rows)


def _scenario(results: Sequence[ComparedResult]) -> Table:
    keys = sorted({key for result in results for key in result.extra_aggregates})
    rows = [
        (_title(key), [extra(result.extra_aggregates.get(key)) for result in results])
        for key in keys
    ]
    return Table("Scenario-Specific Metrics", "Metric", rows)


def _static(results: Sequence[ComparedResult]) -> Table:
    measures = [r.code_quality.static_metrics if r.code_quality else None for r in results]
    rows: list[tuple[str, list[Cell]]] = []
    if any(measures):
        rows = [
            (name, [_measure(metrics, field, show) for metrics in measures])
            for name, field, show in _STATIC_ROWS
        ]
    return Table("Code Quality: Static Metrics", "Metric", rows)


def _review(results: Sequence[ComparedResult]) -> Table:
    reviews = [r.code_quality.code_review if r.code_quality else None for r in results]
    rows: list[tuple[str, list[Cell]]] = []
    if any(reviews):
        rows = [
            (
                name,
                [
                    number(getattr(review, field), 1) if review else no_figure()
                    for review in reviews
                ],
            )
            for name, field in _REVIEW_ROWS
        ]
    return Table("Code Quality: Review (1-5)", "Criterion", rows)


def _figure(figure: ComparedFigure, show: Callable[[float | None], Cell]) -> Cell:
    cell = show(figure.value)
    text = cell.text
    if figure.run_stddev is not None:
        text += f" ±{figure.run_stddev:.2f}"
    if figure.value is not None and figure.n < figure.of:
        text += f" ({figure.n} of {figure.of})"
    return Cell(text, cell.value)


def _measure(
    metrics: StaticMetrics | None, field: str, show: Callable[[float | None], Cell]
) -> Cell:
    value = getattr(metrics, field) if metrics else None
    return Cell(value) if isinstance(value, str) else show(value)


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
