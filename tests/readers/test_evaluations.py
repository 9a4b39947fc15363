"""Result files: what is read of old ones, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.errors import ReadError
from trajmeter.readers.evaluations import read_evaluation

if TYPE_CHECKING:
    from pathlib import Path

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
            r"questions\.0\.latency_seconds: expected a finite number, got nan",
        ),
        ({"run_count": 0}, r"run_count: Input should be greater than or equal to 1, got 0"),
        (
            {"questions": [QUESTION, QUESTION | {"question_id": "q2"}, QUESTION]},
            r"questions\.2\.question_id: the id of questions\.0 too; .* unique, got 'q1'",
        ),
        (
            {"extra_aggregates": {"x_avg": float("-inf")}},
            r"extra_aggregates\.x_avg: expected a finite number, got -inf",
        ),
        ({"questions": [{"question_id": "q1"}]}, r"questions\.0\.question_text: Field required"),
        ({"total_tokens": "many"}, r"total_tokens: .*valid integer.*, got 'many'"),
    ],
)
def test_a_wrong_value_is_named_with_its_place(
    tmp_path: Path, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(ReadError, match=rf"result\.json: {message}"):
        read_evaluation(write(tmp_path, **fields))


@pytest.mark.parametrize("content", [b"", b"[]", b'{"framework_name": "A', b"[" * 100_000, b"\xff"])
def test_a_file_that_is_no_result_is_named(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(content)
    with pytest.raises(ReadError, match=r"result\.json"):
        read_evaluation(file)
