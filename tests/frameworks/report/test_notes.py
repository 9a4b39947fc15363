"""What a comparison says in words."""

from __future__ import annotations

from trajmeter.frameworks.comparison import build_comparison
from trajmeter.frameworks.repeats import average
from trajmeter.frameworks.report.notes import heading, notes
from trajmeter.frameworks.report.tables import comparison_tables
from trajmeter.frameworks.result_files import NamedResult
from trajmeter.frameworks.results import FrameworkEvaluation, QuestionResult
from trajmeter.records import Cause, JudgeRecord


def evaluation(name: str, **fields: object) -> FrameworkEvaluation:
    question = QuestionResult.model_validate(
        {"question_id": "q", "question_text": "?", "latency_seconds": 1.0} | fields
    )
    return FrameworkEvaluation(framework_name=name, scenario_name="s", questions=(question,))


def test_a_note_on_several_frameworks_appears_once() -> None:
    refused = JudgeRecord(cause=Cause.JUDGE_REFUSED)
    results = [
        evaluation("A"),
        evaluation("B", judge=refused),
        evaluation("C", correctness_score=4.0),
    ]
    said = notes(
        build_comparison([NamedResult(f"{i}.json", result) for i, result in enumerate(results)])
    )
    unpriced = "no known cost and tokens, so efficiency rests on the other parts with their weights"
    assert said[:-1] == [
        f"A, B, C: {unpriced} rescaled.",
        "A, B: neither judged nor with scenario signals, so capability is not scored.",
        "B: answers that the judge did not score: judge_refused 1.",
    ]


def test_efficiency_without_any_part_is_said_not_to_be_scored() -> None:
    failed = evaluation("A", outcome="failed", correctness_score=0.0)
    answered = evaluation("B", total_tokens=9, correctness_score=4.0, latency_seconds=None)
    said = notes(build_comparison([NamedResult("a.json", failed), NamedResult("b.json", answered)]))
    assert "A: no known latency, cost and tokens, so efficiency is not scored." in said
    assert any(
        note.startswith("B: no known latency and cost, so efficiency rests") for note in said
    )


def test_answers_of_an_average_that_the_judge_did_not_score_are_counted() -> None:
    refused = JudgeRecord(cause=Cause.JUDGE_REFUSED)
    late = JudgeRecord(cause=Cause.JUDGE_TIMEOUT)
    judges = (refused, refused, late, JudgeRecord())
    runs = [
        evaluation("A", judge=judge, correctness_score=None if judge.cause else 4.0)
        for judge in judges
    ]
    said = notes(build_comparison([NamedResult("a.json", average(runs))]))
    assert "A: answers that the judge did not score: judge_refused 2, judge_timeout 1." in said


def test_runs_are_a_range_where_they_differ_and_the_summary_has_those_of_each() -> None:
    once = evaluation("A")
    thrice = evaluation("B").model_copy(update={"run_count": 3})
    alike = build_comparison([NamedResult("a.json", thrice), NamedResult("b.json", thrice)])
    assert dict(heading(alike))["Runs per framework"] == "3"
    apart = build_comparison([NamedResult("a.json", once), NamedResult("b.json", thrice)])
    assert dict(heading(apart))["Runs per framework"] == "1 to 3"
    summary = next(comparison_tables(apart))
    assert ("Runs", "1", "3") in summary.rows
