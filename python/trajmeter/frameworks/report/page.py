"""A comparison of frameworks as the model of a report: headlines, parts, answers, provenance."""

from __future__ import annotations

from operator import attrgetter
from statistics import fmean
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ConfigurationError, ExtraMissingError
from trajmeter.frameworks.report.answers import answer_table
from trajmeter.frameworks.report.notes import heading, notes
from trajmeter.frameworks.report.parts import comparison_parts
from trajmeter.frameworks.report.tables import labels
from trajmeter.frameworks.results import SCORES, AnswerOutcome
from trajmeter.metrics.rows import package_version
from trajmeter.reports.cells import counted
from trajmeter.reports.differences import detectable, p_text, signed
from trajmeter.reports.page.document import Document, Part, PartTable
from trajmeter.reports.results.provenance import file_rows, shown_command
from trajmeter.reports.tables import Table
from trajmeter.writers.provenance import Provenance, input_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from trajmeter.frameworks.comparison import ComparedResult, Comparison
    from trajmeter.reports.page.document import Headline
    from trajmeter.summaries.comparing import ComparedScores
    from trajmeter.summaries.table_estimates import Estimates

__all__ = ["comparison_document"]

_UNKNOWN = "not recorded"
_RANGE = (0.0, 5.0)
"""Range of a judge's scores, including the 0 of a failed answer."""


def comparison_document(
    comparison: Comparison,
    *,
    title: str | None = None,
    files: Sequence[Path] = (),
    made: Provenance | None = None,
) -> Document:
    """Create the report of a comparison.

    Args:
        comparison: The comparison.
        title: Heading of the page.
        files: The result files.
        made: How the report is made; by default by this process.
    """
    estimates, compared = _statistics(comparison)
    return Document(
        title=title or f"Framework comparison: {comparison.scenario}",
        headlines=tuple(_headlines(comparison, compared)),
        parts=(
            *comparison_parts(comparison, estimates),
            Part("notes", "Notes", notes=tuple(notes(comparison))),
        ),
        provenance=_provenance(comparison, files, made or Provenance.now()),
        attempts=answer_table(comparison),
    )


def _statistics(comparison: Comparison) -> tuple[Estimates | None, ComparedScores | None]:
    """Judge scores with intervals over questions, and differences between frameworks.

    ``None`` if nothing was judged, or if pyarrow or scipy is missing: a comparison works without
    them.
    """
    named = zip(labels(comparison), comparison.results, strict=True)
    judged = [(label, each) for label, each in named if _correctness(each) is not None]
    if not judged:
        return None, None
    from trajmeter.summaries.comparing import compare_scores
    from trajmeter.summaries.summarizing import summarize

    rows = [row for label, result in judged for row in _rows(label, result)]
    scores = [score for score in SCORES if any(row[score] is not None for row in rows)]
    options: dict[str, Any] = {
        "figures": scores,
        "by": "agent",
        "ranges": dict.fromkeys(scores, _RANGE),
        "better": dict.fromkeys(scores, "higher"),
    }
    estimates = None
    try:
        estimates = summarize(rows, **options)
        typical = [
            row
            for framework, results in _frameworks(comparison).items()
            for number, each in enumerate(results)
            if _correctness(each) is not None
            for row in _rows(framework, each, attempt=str(number))
        ]
        return estimates, compare_scores(typical, pairs="all", **options)
    except ExtraMissingError:
        return None, None
    except ConfigurationError:  # one framework, or no shared questions
        return estimates, None


def _rows(
    agent: str, result: ComparedResult, *, attempt: str | None = None
) -> Iterator[dict[str, Any]]:
    for question_id, question in result.questions.items():
        scores = {score: getattr(question, f"{score}_score") for score in SCORES}
        yield {"task_id": question_id, "agent": agent, "attempt": attempt, **scores}


def _frameworks(comparison: Comparison) -> dict[str, list[ComparedResult]]:
    """The results that represent each framework: its largest average, otherwise its single runs."""
    frameworks: dict[str, list[ComparedResult]] = {}
    for result in comparison.results:
        results = frameworks.setdefault(result.framework, [])
        most = max((each.run_count for each in results), default=0)
        if result.run_count > most:
            results.clear()
        if result.run_count >= most:
            results.append(result)
    return frameworks


def _means(
    frameworks: Mapping[str, Sequence[ComparedResult]],
    value_of: Callable[[ComparedResult], float | None],
) -> list[tuple[float, str]]:
    """Mean of a value over the results of each framework that has any, and the framework."""
    means = []
    for framework, results in frameworks.items():
        known = [value for value in map(value_of, results) if value is not None]
        if known:
            means.append((fmean(known), framework))
    return means


def _correctness(result: ComparedResult) -> float | None:
    return result.summary["avg_correctness"].value


def _headlines(comparison: Comparison, compared: ComparedScores | None) -> Iterator[Headline]:
    frameworks = _frameworks(comparison)
    ranked = sorted(_means(frameworks, _correctness), key=lambda each: -each[0])
    if len(ranked) > 1:
        yield _best(ranked, compared)
    elif ranked:
        yield "neutral", f"{ranked[0][1]}: mean correctness {ranked[0][0]:.2f} of 5."
    else:
        yield "warning", "No answer was judged, so quality is unknown."
    for axis in ("capability", "efficiency"):
        scores = _means(frameworks, attrgetter(f"scorecard.{axis}.value"))
        if len(scores) > 1:
            listed = ", ".join(f"{label} {value:.1f}" for value, label in sorted(scores)[::-1][:4])
            yield "neutral", f"{axis.capitalize()} (0-100): {listed}."
    yield from _missing(comparison)


def _best(held: Sequence[tuple[float, str]], compared: ComparedScores | None) -> Headline:
    """Whose answers are best, and how certain that is."""
    (first, a), (second, b) = held[:2]
    text = f"{first:.2f} of 5 against {second:.2f}"
    pairs = compared.pairs if compared is not None else ()
    pair = next((pair for pair in pairs if {pair.a, pair.b} == {a, b}), None)
    each = None if pair is None else next(f for f in pair.figures if f.figure == "correctness")
    if (
        pair is None
        or each is None
        or each.interval is None  # such as without variation, with equal limits
        or each.low is None
        or each.high is None
    ):
        return (
            "neutral",
            f"{a} answers best: mean correctness {text}; no interval could be computed.",
        )
    is_turned = pair.a == a
    low, high = (-each.high, -each.low) if is_turned else (each.low, each.high)
    value = -(each.difference or 0.0) if is_turned else each.difference or 0.0
    sure = f"difference {signed(value)}, 95 % interval {signed(low)}…{signed(high)}"
    if each.p_value is not None:
        sure += f", p {p_text(each.p_value)}"
    about = f"mean correctness {text} ({sure}), on {counted(each.n_tasks, 'shared question')}"
    if low > 0 and (each.p_value is None or each.p_value <= 1 - each.level):
        return "good", f"{a} answers better than {b}: {about}."
    more = detectable(each, *_RANGE)
    return "neutral", f"No clear difference between {a} and {b}: {about}.{more}"


def _missing(comparison: Comparison) -> Iterator[Headline]:
    """Questions without an answer, for all results, in one sentence."""
    parts = []
    for label, result in zip(labels(comparison), comparison.results, strict=True):
        lost = {
            kind.value.replace("_", " "): count
            for kind, count in result.outcomes.items()
            if count and kind is not AnswerOutcome.ANSWERED
        }
        if lost:
            listed = ", ".join(f"{name} {count:,}" for name, count in lost.items())
            asked = sum(count or 0 for count in result.outcomes.values())
            parts.append(f"{label} {sum(lost.values()):,} of {asked:,} ({listed})")
    if parts:
        yield "warning", f"Questions without an answer: {'; '.join(parts)}."


def _provenance(comparison: Comparison, files: Sequence[Path], made: Provenance) -> Part:
    report = (
        ("made at", made.started_at),
        ("by", f"trajmeter {package_version()}, Python {made.python_version}"),
        ("command", shown_command(made)),
    )
    rows = []
    for label, result in zip(labels(comparison), comparison.results, strict=True):
        questions = [*result.questions.values()]
        models = sorted({each.model_name for each in questions if each.model_name})
        judges = sorted({each.judge.model for each in questions if each.judge and each.judge.model})
        versions = ", ".join(f"{name} {text}" for name, text in sorted(result.versions.items()))
        rows.append(
            (
                label,
                result.started_at or _UNKNOWN,
                ", ".join(models) or _UNKNOWN,
                ", ".join(judges) or _UNKNOWN,
                versions or _UNKNOWN,
            )
        )
    header = ("result", "run at", "models", "judge", "versions, price table among them")
    tables = [
        PartTable(Table("This report", ("", ""), report, texts=(0, 1))),
        PartTable(Table("Scenario", ("", ""), tuple(heading(comparison)), texts=(0, 1))),
        PartTable(Table("Results", header, tuple(rows), texts=(0, 1, 2, 3, 4))),
    ]
    if files:
        listed = tuple(file_rows(map(input_file, files)))
        columns = ("file", "bytes", "files", "SHA-256")
        tables.append(PartTable(Table("Result files", columns, listed, texts=(0, 3))))
    return Part("provenance", "Provenance", tables=tuple(tables))
