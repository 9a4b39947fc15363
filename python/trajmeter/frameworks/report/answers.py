"""The table of answers, each of which expands to question, answer, judgement and sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from trajmeter.frameworks.report.tables import labels
from trajmeter.frameworks.results import SCORES
from trajmeter.reports.cells import any_figure, dollars, seconds
from trajmeter.reports.page.attempts import AttemptTable, DetailBlock, NumberColumn, TextColumn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.frameworks.comparison import ComparedQuestion, Comparison

__all__ = ["answer_table"]

_NUMBERS = (
    ("correctness", "correctness_score", True),
    ("completeness", "completeness_score", True),
    ("faithfulness", "faithfulness_score", True),
    ("retrieval precision", "retrieval_precision", True),
    ("retrieval recall", "retrieval_recall", True),
    ("latency (s)", "latency_seconds", False),
    ("tokens", "total_tokens", False),
    ("cost (USD)", "estimated_cost_usd", False),
)


def answer_table(comparison: Comparison) -> AttemptTable:
    """Create the table of answers, with a row for each framework and question."""
    names = labels(comparison)
    held = [
        (name, question_id, question)
        for question_id in comparison.question_texts()
        for name, result in zip(names, comparison.results, strict=True)
        if (question := result.questions.get(question_id)) is not None
    ]
    outcomes = [question.outcome.value if question.outcome else "" for _, _, question in held]
    columns: list[TextColumn | NumberColumn] = [
        _texts("question_id", "question", [question_id for _, question_id, _ in held]),
        _texts("framework", "framework", [name for name, _, _ in held]),
        _texts("question_text", "text", [question.question_text for _, _, question in held]),
        _texts("outcome", "outcome", [outcome.replace("_", " ") for outcome in outcomes]),
    ]
    for label, field, is_better in _NUMBERS:
        found = [getattr(question, field) for _, _, question in held]
        if any(value is not None for value in found):
            values = np.array([np.nan if value is None else value for value in found], np.float64)
            columns.append(NumberColumn(field, label, values, higher_is_better=is_better))
    return AttemptTable("Answers", tuple(columns), _Details(held))


class _Details:
    """Everything known about each answer."""

    def __init__(self, held: Sequence[tuple[str, str, ComparedQuestion]]) -> None:
        self._held = held

    def __iter__(self) -> Iterator[tuple[DetailBlock, ...]]:
        """Create them one by one."""
        for name, question_id, question in self._held:
            yield tuple(_blocks(name, question_id, question))


def _blocks(name: str, question_id: str, question: ComparedQuestion) -> Iterator[DetailBlock]:
    facts = [("framework", name), ("question", question_id)]
    facts += [("outcome", question.outcome.value.replace("_", " "))] if question.outcome else []
    facts += [("model", question.model_name)] if question.model_name else []
    if question.latency_seconds is not None:
        facts.append(("latency", f"{seconds(question.latency_seconds)} s"))
    if question.total_tokens is not None:
        facts.append(("tokens", f"{question.total_tokens:,}"))
    if question.estimated_cost_usd is not None:
        known = "" if question.priced is not False else " (the model's price is not known)"
        facts.append(("cost", f"{dollars(question.estimated_cost_usd)}{known}"))
    runs = question.run_outcomes or {}
    if runs:
        listed = ", ".join(f"{kind.value.replace('_', ' ')} {n}" for kind, n in runs.items() if n)
        facts.append(("runs", f"{listed}; answer and reasons are those of the typical run"))
    yield DetailBlock(facts=tuple(facts))
    yield DetailBlock("Question", text=question.question_text)
    if question.expected_answer is not None:
        yield DetailBlock("Expected answer", text=question.expected_answer)
    if question.error:
        yield DetailBlock("Error", text=question.error)
    yield DetailBlock("Answer", text=question.actual_answer or "(none recorded)")
    yield from _judgement(question)
    yield from _sources(question)
    figures = tuple(
        (key, str(any_figure(value))) for key, value in sorted(question.extra_metrics.items())
    )
    if figures or question.extra_metrics_error:
        why = (("error", question.extra_metrics_error),) if question.extra_metrics_error else ()
        yield DetailBlock(
            "Figures of the scenario profile",
            why,
            ("figure", "value") if figures else (),
            figures,
            (1,),
        )
    if question.answer_problems:
        rows = tuple((problem,) for problem in question.answer_problems)
        yield DetailBlock("Parts of the answer that could not be read", (), ("",), rows)


def _judgement(question: ComparedQuestion) -> Iterator[DetailBlock]:
    scores = [(each, getattr(question, f"{each}_score")) for each in SCORES]
    facts = [(each, f"{value:g} of 5") for each, value in scores if value is not None]
    judge = question.judge
    if judge is not None:
        facts += [("judge", judge.model)] if judge.model else []
        facts += [("not scored", judge.cause.value.replace("_", " "))] if judge.cause else []
        facts += [("why", judge.message)] if judge.message else []
    for cause, count in (question.run_judge_causes or {}).items():
        facts.append(("not scored in runs", f"{cause.value.replace('_', ' ')} {count}"))
    text = question.judge_reasoning or ""
    if facts or text:
        yield DetailBlock("Judge's scores and reasoning", tuple(facts), text=text)


def _sources(question: ComparedQuestion) -> Iterator[DetailBlock]:
    """Expected sources next to those retrieved, in the order of retrieval."""
    expected, retrieved = question.sources_expected, question.sources_retrieved
    if not expected and not retrieved:
        return
    ranks: dict[str, list[str]] = {}
    for rank, source in enumerate(retrieved, 1):
        ranks.setdefault(source, []).append(str(rank))
    rows = [
        (source, "yes" if source in expected else "no", ", ".join(places))
        for source, places in ranks.items()
    ]
    rows += [(source, "yes", "not retrieved") for source in expected if source not in ranks]
    yield DetailBlock("Sources", (), ("source", "expected", "retrieved as"), tuple(rows))


def _texts(name: str, label: str, found: Sequence[str]) -> TextColumn:
    numbers = {text: number for number, text in enumerate(dict.fromkeys(found))}
    codes = np.array([numbers[text] for text in found], np.int32)
    return TextColumn(name, label, codes, tuple(numbers))
