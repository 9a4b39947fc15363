"""Feedback on MLflow's traces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.readers.logs import read_one, write_lines
from tests.readers.mlflow.examples import SPANS, feedback, trace

if TYPE_CHECKING:
    from pathlib import Path


def test_feedback(tmp_path: Path) -> None:
    given = [
        feedback("grade", "good", 3),
        feedback("grade", "bad", 2),
        feedback("over", 5.0),
        feedback("over", 1.0, 9, valid=False),
        feedback("of the root", 1, span_id="0000000000000001"),
        feedback("of a tool", 1, span_id="0000000000000004"),
        feedback("of a list", 1, span_id=["0000000000000001"]),
        feedback("broken", None, feedback={"value": None, "error": {"error_code": "E"}}),
        feedback("an object", {"a": 1}),
        feedback("expected", None, feedback=None, expectation={"value": "Done."}),
        {"assessment_name": None, "feedback": {"value": 1}},
        1,
    ]
    attempt = read_one(write_lines(tmp_path / "a", trace(*SPANS, assessments=given)))
    assert attempt.metadata["scores"] == {"grade": "good", "over": 5.0, "of the root": 1}
    assert attempt.passed is None
