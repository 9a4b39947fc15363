"""Result files: their names, what is read back, what old ones hold, and what is refused."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.frameworks.result_files import (
    evaluation_file_name,
    read_evaluation,
    write_evaluation,
)
from trajmeter.frameworks.results import AnswerOutcome, FrameworkEvaluation, QuestionResult

if TYPE_CHECKING:
    from pathlib import Path

AT = datetime(2026, 3, 1, 12, 0, 28, tzinfo=timezone.utc)
EVALUATION = FrameworkEvaluation(
    framework_name="Anchor AI",
    scenario_name="harbour",
    questions=(
        QuestionResult(question_id="q1", question_text="?", outcome=AnswerOutcome.ANSWERED),
    ),
)
QUESTION = {"question_id": "q1", "question_text": "Where?"}


def write(folder: Path, **fields: Any) -> Path:
    file = folder / "result.json"
    file.write_text(json.dumps({"framework_name": "A", "scenario_name": "s"} | fields))
    return file


def test_null_is_absent_and_unknown_keys_are_passed_over(tmp_path: Path) -> None:
    empty = {"sources_expected": None, "sources_retrieved": None, "extra_metrics": None}
    got = read_evaluation(
        write(
            tmp_path,
            questions=[QUESTION | empty | {"colour": "red"}],
            extra_aggregates=None,
            run_id=None,
            run_count=None,
            code_quality={"static_metrics": {"sloc": 3, "colour": 1}, "code_review": None},
        )
    )
    (question,) = got.questions
    assert (question.sources_expected, question.extra_metrics) == ((), {})
    assert (got.run_id, got.run_count, got.extra_aggregates) == (0, 1, {})
    assert got.code_quality is not None
    assert got.code_quality.static_metrics is not None
    assert got.code_quality.static_metrics.sloc == 3
    assert read_evaluation(write(tmp_path, questions=None)).questions == ()


def test_a_figure_that_abstains_stays_apart_from_one_that_is_absent(tmp_path: Path) -> None:
    got = read_evaluation(write(tmp_path, questions=[QUESTION | {"extra_metrics": {"x": None}}]))
    assert got.questions[0].extra_metrics == {"x": None}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"questions": [QUESTION | {"latency_seconds": float("nan")}]},
            r"questions\[0\]\.latency_seconds: expected a finite number, got nan",
        ),
        ({"run_count": 0}, r"run_count: expected at least 1, got 0"),
        (
            {"questions": [QUESTION, QUESTION | {"question_id": "q2"}, QUESTION]},
            r"questions\[2\]\.question_id: also the id of questions\[0\]; .* unique, got \"q1\"",
        ),
        (
            {"extra_aggregates": {"x_avg": float("-inf")}},
            r"extra_aggregates\.x_avg: expected a finite number, got -inf",
        ),
        (
            {"questions": [{"question_id": "q1"}]},
            r"questions\[0\]\.question_text: required, but missing from \{\"question_id\": ",
        ),
        ({"total_tokens": "many"}, r"total_tokens: expected an integer, got \"many\""),
    ],
)
def test_a_wrong_value_is_named_with_its_place(
    tmp_path: Path, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(ReadError, match=rf"result\.json: {message}"):
        read_evaluation(write(tmp_path, **fields))


@pytest.mark.parametrize("content", [b"", b"[]", b'{"framework_name": "A', b"[" * 100_000, b"\xff"])
def test_a_file_that_is_not_a_result_is_named(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(content)
    with pytest.raises(ReadError, match=r"result\.json"):
        read_evaluation(file)


def test_a_negative_count_or_cost_is_no_figure(tmp_path: Path) -> None:
    question = {"question_id": "q", "question_text": "?", "prompt_tokens": -3, "total_tokens": 4}
    file = tmp_path / "result.json"
    document = {"framework_name": "f", "scenario_name": "s", "total_cost_usd": -0.5}
    file.write_text(json.dumps(document | {"questions": [question], "total_tokens": 4}))
    evaluation = read_evaluation(file)
    assert (evaluation.total_cost_usd, evaluation.total_tokens) == (None, 4)
    (read,) = evaluation.questions
    assert (read.prompt_tokens, read.total_tokens) == (None, 4)
    assert read.answer_problems == ("prompt_tokens is -3, expected 0 or more",)


def test_names_hold_framework_scenario_time_and_run() -> None:
    name = evaluation_file_name("Anchor AI", "ferry_chain", at=AT, run=1)
    assert name == "anchor_ai_ferry_chain_20260301_120028_run1.json"
    assert "/" not in evaluation_file_name("../etc", "a/b", at=AT)


def test_a_file_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "results" / "a.json"
    write_evaluation(EVALUATION, file)
    assert read_evaluation(file) == EVALUATION
    assert [path.name for path in file.parent.iterdir()] == ["a.json"]


def test_files_that_cannot_be_written_or_read_are_named(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("{}")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        write_evaluation(EVALUATION, blocked / "a.json")
    with pytest.raises(ReadError, match="file: framework_name: required, but missing"):
        read_evaluation(blocked)
    with pytest.raises(ReadError, match="absent: cannot be read: No such file"):
        read_evaluation(tmp_path / "absent")
    blocked.write_text('{"framework_name": "A", "scenario_name": "s", "questions": [{}]}')
    with pytest.raises(ReadError, match=r"questions\[0\]\.question_id: required, but missing"):
        read_evaluation(blocked)


def test_published_files(reference_data: Path) -> None:
    files = sorted((reference_data / "compare/results").glob("*/*.json"))
    assert files
    for file in files:
        evaluation = read_evaluation(file)
        name = evaluation.framework_name.lower().replace(" ", "_")
        assert file.name.startswith(f"{name}_{evaluation.scenario_name}_")


def test_a_negative_latency_counts_as_absent(tmp_path: Path) -> None:
    file = tmp_path / "f.json"
    question = {"question_id": "q", "question_text": "?", "latency_seconds": -3.0}
    fields = {"framework_name": "F", "scenario_name": "s", "questions": [question]}
    file.write_text(json.dumps(fields | {"avg_latency": -3.0}))
    read = read_evaluation(file)
    assert (read.avg_latency, read.questions[0].latency_seconds) == (None, None)
    assert read.questions[0].answer_problems == ("latency_seconds is -3.0, expected 0 or more",)
