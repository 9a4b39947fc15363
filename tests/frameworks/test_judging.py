"""Judging result files again: what is asked, what is written, and what it adds up to."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from tests.judges.scripted import GOOD, REVIEW, ScriptedModel
from trajmeter.errors import ReadError
from trajmeter.frameworks.judging import JudgedFile, Unjudged, judge_files, unjudged_count
from trajmeter.frameworks.repeats import average
from trajmeter.frameworks.result_files import read_evaluation, write_evaluation
from trajmeter.frameworks.results import AnswerOutcome, FrameworkEvaluation, QuestionResult
from trajmeter.judges import ExchangeError, Judge
from trajmeter.prices import price_usd
from trajmeter.records import Cause, CodeQuality, JudgeRecord, ReadProblem, UnreviewedCode

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.judges import Prompt, Reply

FAILED = JudgeRecord(cause=Cause.JUDGE_ERROR, message="status 401", attempts=2, cost_usd=0.5)


def evaluation(run_id: int = 0) -> FrameworkEvaluation:
    """A run with an answer that no judge scored, one that one did, and a failure."""
    questions = (
        QuestionResult(
            question_id="q1",
            question_text="Where?",
            expected_answer="pier",
            actual_answer="quay",
            sources_retrieved=("a.md",),
            outcome=AnswerOutcome.ANSWERED,
            judge=FAILED,
        ),
        QuestionResult(
            question_id="q2",
            question_text="When?",
            actual_answer="1871",
            outcome=AnswerOutcome.ANSWERED,
            correctness_score=1.0,
            completeness_score=1.0,
            faithfulness_score=1.0,
            judge=JudgeRecord(),
        ),
        QuestionResult(
            question_id="q3",
            question_text="Who?",
            actual_answer="",
            outcome=AnswerOutcome.FAILED,
            correctness_score=0.0,
            completeness_score=0.0,
            faithfulness_score=0.0,
        ),
    )
    return FrameworkEvaluation(
        framework_name="W", scenario_name="s", questions=questions, run_id=run_id
    )


def judged(*files: Path, script: tuple[str | Reply | ExchangeError, ...]) -> list[JudgedFile]:
    judge = Judge(ScriptedModel(*script), price_usd)
    return asyncio.run(judge_files(files, judge))


def test_only_what_is_not_judged_is_judged_from_the_kept_answer(tmp_path: Path) -> None:
    file = tmp_path / "w.json"
    write_evaluation(evaluation(), file)
    model = ScriptedModel(GOOD)
    (done,) = asyncio.run(judge_files([file], Judge(model, price_usd)))
    assert (done.judged, done.unjudged.total) == (1, 0)
    (prompt,) = model.prompts
    assert json.loads(prompt.text) == {
        "question": "Where?",
        "reference_answer": "pier",
        "agent_answer": "quay",
        "retrieved_sources": ["a.md"],
    }
    written = read_evaluation(file)
    assert written == done.evaluation
    first, *others = written.questions
    assert (first.correctness_score, first.judge_reasoning) == (5.0, "fine")
    assert others == list(evaluation().questions[1:])
    assert written.avg_correctness == 2.0  # (5 + 1 + 0) / 3
    assert first.judge is not None
    # Earlier calls count: 2 + 1 of them, $0.5 + 45e-6.
    assert (first.judge.cause, first.judge.attempts) == (None, 3)
    assert first.judge.cost_usd == pytest.approx(0.500045)


def test_an_answer_that_is_still_not_judged_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "w.json"
    write_evaluation(evaluation(), file)
    (done,) = judged(file, script=(ExchangeError("status 500"),))
    assert (done.judged, done.unjudged.total) == (0, 1)
    record = read_evaluation(file).questions[0].judge
    assert record is not None
    assert (record.cause, record.message) == (Cause.JUDGE_ERROR, "status 500")


@pytest.mark.parametrize("names", [["w.json"], ["w_run1.json", "w_run2.json"]])
def test_an_average_is_made_again_from_its_judged_runs(tmp_path: Path, names: list[str]) -> None:
    runs = [evaluation(0), evaluation(1)]
    for number, run in enumerate(runs, start=1):
        write_evaluation(run, tmp_path / f"w_run{number}.json")
    write_evaluation(average(runs), tmp_path / "w.json")
    done = judged(*(tmp_path / name for name in names), script=(GOOD, GOOD))
    assert sum(each.judged for each in done) == 2
    written = read_evaluation(tmp_path / "w.json")
    assert written.run_count == 2
    assert written.questions[0].correctness_score == 5.0
    assert written.questions[0].run_judge_causes == {}


def test_a_file_that_cannot_be_judged_is_named_and_the_others_are_judged(tmp_path: Path) -> None:
    write_evaluation(average([evaluation(0), evaluation(1)]), tmp_path / "alone.json")
    write_evaluation(evaluation(), tmp_path / "w.json")
    (tmp_path / "other.json").write_text("[]")
    files = [tmp_path / name for name in ("alone.json", "other.json", "w.json")]
    with pytest.raises(ReadError, match="its 2 runs next to the average, found 0"):
        judged(*files, script=())
    problems: list[ReadProblem] = []
    model = ScriptedModel(GOOD)
    judging = judge_files(files, Judge(model, price_usd), on_problem=problems.append)
    (done,) = asyncio.run(judging)
    assert (done.file, done.judged) == (files[2], 1)
    assert [problem.file for problem in problems] == [str(file) for file in files[:2]]


def test_what_was_judged_before_an_interruption_is_kept(tmp_path: Path) -> None:
    class Interrupted(ScriptedModel):
        async def reply(self, prompt: Prompt) -> Reply:
            if len(self.prompts) == 1:
                raise asyncio.CancelledError
            return await super().reply(prompt)

    file = tmp_path / "w.json"
    whole = evaluation()
    again = whole.questions[0].model_copy(update={"question_id": "q4"})
    write_evaluation(whole.model_copy(update={"questions": (*whole.questions, again)}), file)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(judge_files([file], Judge(Interrupted(GOOD), price_usd, concurrency=1)))
    scores = [question.correctness_score for question in read_evaluation(file).questions]
    assert scores == [5.0, 1.0, 0.0, None]


def unreviewed(run_id: int = 0) -> FrameworkEvaluation:
    """A run whose answers are judged, and whose code is not."""
    code = UnreviewedCode(scenario="Find it.", source="def answer(): ...")
    quality = CodeQuality(source_file="w.py", source_sloc=1, judge=FAILED, unreviewed=code)
    whole = evaluation(run_id)
    return whole.model_copy(update={"questions": whole.questions[1:], "code_quality": quality})


def test_code_whose_review_failed_is_reviewed_from_what_was_kept(tmp_path: Path) -> None:
    file = tmp_path / "w.json"
    write_evaluation(unreviewed(), file)
    calls: list[tuple[str, str, JudgeRecord | None]] = []
    model = ScriptedModel(REVIEW)
    judging = judge_files(
        [file],
        Judge(model, price_usd),
        progress=lambda of, name, record: calls.append((of.name, name, record)),
    )
    (done,) = asyncio.run(judging)
    assert (done.judged, done.unjudged) == (1, Unjudged(0, 0))
    (prompt,) = model.prompts
    assert json.loads(prompt.text) == {
        "framework": "W",
        "scenario": "Find it.",
        "source_code": "def answer(): ...",
    }
    written = read_evaluation(file)
    quality = written.code_quality
    assert quality is not None
    assert quality.code_review is not None
    assert quality.code_review.avg_score == pytest.approx(27 / 7)
    assert (quality.source_file, quality.unreviewed) == ("w.py", None)
    assert written.questions == unreviewed().questions
    assert quality.judge is not None
    assert (quality.judge.cause, quality.judge.attempts) == (None, 3)  # 2 failed before
    assert calls == [("w.json", "code review", quality.judge)]


def test_code_whose_review_fails_again_is_kept_and_counted(tmp_path: Path) -> None:
    file = tmp_path / "w.json"
    write_evaluation(unreviewed(), file)
    (done,) = judged(file, script=(ExchangeError("status 500"),))
    assert (done.judged, done.unjudged) == (0, Unjudged(0, 1))
    quality = read_evaluation(file).code_quality
    assert quality is not None
    assert quality.unreviewed == UnreviewedCode(scenario="Find it.", source="def answer(): ...")
    assert unjudged_count(done.evaluation) == Unjudged(0, 1)


def test_code_is_reviewed_once_for_all_runs_and_stands_in_their_average(tmp_path: Path) -> None:
    first = unreviewed(0)
    runs = [first, evaluation(1).model_copy(update={"questions": first.questions})]
    for number, run in enumerate(runs, start=1):
        write_evaluation(run, tmp_path / f"w_run{number}.json")
    write_evaluation(average(runs), tmp_path / "w.json")
    (done,) = judged(tmp_path / "w.json", script=(REVIEW,))
    assert (done.judged, done.unjudged) == (1, Unjudged(0, 0))
    for name in ("w", "w_run1"):
        quality = read_evaluation(tmp_path / f"{name}.json").code_quality
        assert quality is not None
        assert quality.code_review is not None
