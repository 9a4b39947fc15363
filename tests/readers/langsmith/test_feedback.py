"""Feedback on LangSmith's runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.langsmith.test_runs import ROOT, RUNS
from tests.readers.logs import read, read_one, write_lines

if TYPE_CHECKING:
    from pathlib import Path


def feedback(key: str, score: Any = None, **fields: Any) -> dict[str, Any]:
    """Feedback on the root, as the SDK writes it."""
    return {
        "id": f"f-{key}",
        "created_at": "2026-01-02T03:05:00",
        "run_id": "r1",
        "trace_id": "r1",
        "key": key,
        "score": score,
        "value": None,
        "comment": None,
        **fields,
    }


STATS = {
    "passed": {"n": 1, "avg": 1.0, "values": {}},
    "helpfulness": {"n": 2, "avg": 0.75, "values": {}},
    "tone": {"n": 2, "avg": None, "values": {"calm": 2}},
    "style": {"n": 2, "avg": None, "values": {"plain": 1, "dry": 1}},
    "note": {"n": 1, "avg": None, "values": {}, "comments": ["As agreed."]},
}
FEEDBACK = [feedback("passed", score=True), feedback("tone", value="calm")]


def test_statistics_of_the_root(tmp_path: Path) -> None:
    inner = {**RUNS[1], "feedback_stats": {"resolved": {"n": 1, "avg": 0.0}}}
    path = write_lines(tmp_path / "a", {**ROOT, "feedback_stats": STATS}, inner, *RUNS[2:])
    attempt = read_one(path)
    assert attempt.passed is True
    scores = {"passed": 1.0, "helpfulness": 0.75, "tone": "calm"}
    assert attempt.metadata == {"exit_status": "stop", "scores": scores}


def test_feedback_among_the_runs(tmp_path: Path) -> None:
    stats = {"passed": {"n": 1, "avg": 0.0}, "helpfulness": {"n": 1, "avg": 0.5}}
    inner = feedback("resolved", 0, run_id="r2")
    lines = [*FEEDBACK, inner, {**ROOT, "feedback_stats": stats}, *RUNS[1:]]
    attempt = read_one(write_lines(tmp_path / "a", *lines))
    assert attempt.passed is True
    assert attempt.metadata["scores"] == {"passed": True, "helpfulness": 0.5, "tone": "calm"}


@pytest.mark.parametrize(
    ("found", "passed"),
    [
        ([feedback("resolved", 0)], False),
        ([feedback("passed", 0.5)], None),
        ([feedback("passed", value="yes")], None),
        ([feedback("correctness", 1)], None),
        ([feedback("passed")], None),
        ([feedback("passed", 1, created_at="2026-01-02T03:06:00"), feedback("passed", 0)], True),
    ],
)
def test_feedback_may_say_whether_the_attempt_passed(
    found: list[dict[str, Any]], passed: bool | None, tmp_path: Path
) -> None:
    assert read_one(write_lines(tmp_path / "a", *RUNS, *found)).passed is passed


def test_runs_without_feedback_have_no_scores(tmp_path: Path) -> None:
    attempt = read_one(write_lines(tmp_path / "a", {**ROOT, "feedback_stats": {}}, *RUNS[1:]))
    assert (attempt.passed, attempt.metadata) == (None, {"exit_status": "stop"})


def test_feedback_alone_is_not_of_this_format(tmp_path: Path) -> None:
    attempts, problems = read(write_lines(tmp_path / "a.jsonl", *FEEDBACK))
    assert attempts == []
    assert problems
