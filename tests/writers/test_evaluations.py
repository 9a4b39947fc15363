"""Result files: their names, and what is read back."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING

import pytest

from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.readers.evaluations import read_evaluation
from trajmeter.records import AnswerOutcome, FrameworkEvaluation, QuestionResult
from trajmeter.writers.evaluations import evaluation_file_name, write_evaluation

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


def test_names_hold_framework_scenario_time_and_run() -> None:
    name = evaluation_file_name("Anchor AI", "ferry_chain", at=AT, run=1)
    assert name == "anchor_ai_ferry_chain_20260301_120028_run1.json"
    assert "/" not in evaluation_file_name("../etc", "a/b", at=AT)


def test_a_file_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "results" / "a.json"
    write_evaluation(EVALUATION, file)
    assert read_evaluation(file) == EVALUATION
    assert [path.name for path in file.parent.iterdir()] == ["a.json"]


def test_what_cannot_be_written_or_read_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("{}")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        write_evaluation(EVALUATION, blocked / "a.json")
    with pytest.raises(ReadError, match="file: framework_name: Field required"):
        read_evaluation(blocked)
    with pytest.raises(ReadError, match="absent: cannot be read: No such file"):
        read_evaluation(tmp_path / "absent")
    blocked.write_text('{"framework_name": "A", "scenario_name": "s", "questions": [{}]}')
    with pytest.raises(ReadError, match=r"questions\.0\.question_id: Field required"):
        read_evaluation(blocked)


def test_published_files(reference_data: Path) -> None:
    files = sorted((reference_data / "compare/results").glob("*/*.json"))
    assert files
    for file in files:
        evaluation = read_evaluation(file)
        name = evaluation.framework_name.lower().replace(" ", "_")
        assert file.name.startswith(f"{name}_{evaluation.scenario_name}_")
