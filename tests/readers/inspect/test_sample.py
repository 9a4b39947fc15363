"""What samples of Inspect are called, and how they end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.inspect.archives import archive
from tests.readers.inspect.samples import HEADER, sample
from tests.readers.inspect.test_logs import attempt_of, read
from trajmeter.records import Failure

if TYPE_CHECKING:
    from pathlib import Path


def test_an_error_that_the_prompt_is_too_long_is_a_budget_used_up(tmp_path: Path) -> None:
    error = {"message": "BadRequestError: Prompt is too long: 210000 tokens > 200000 maximum"}
    failure = attempt_of(tmp_path, sample(error=error)).failure
    assert failure == Failure(reason="budget_exhausted", message=error["message"])


def test_a_time_that_is_no_number_costs_itself_alone(tmp_path: Path) -> None:
    attempt = attempt_of(tmp_path, sample(total_time="a while"))
    assert attempt.duration_seconds is None
    assert attempt.unusable == {"total_time": "expected a number, got text"}
    assert attempt.turns


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"id": None}, "id: expected text or an integer, got null"),
        ({"id": True}, "id: expected text or an integer, got true or false"),
        ({"id": [1]}, "id: expected text or an integer, got a list"),
        ({"epoch": 1.5}, "epoch: expected text or an integer, got a number"),
    ],
)
@pytest.mark.parametrize("is_archive", [True, False])
def test_a_sample_without_an_id_is_reported(
    fields: dict[str, Any],
    message: str,
    is_archive: bool,
    tmp_path: Path,
) -> None:
    found = [sample(**fields), sample(id=7, epoch=None)]
    if is_archive:
        path = tmp_path / "run.eval"
        entries = [(f"samples/s{number}_epoch_1.json", each) for number, each in enumerate(found)]
        path.write_bytes(archive(("header.json", HEADER), *entries))
    else:
        path = tmp_path / "run.json"
        path.write_text(json.dumps({**HEADER, "samples": found}))
    (attempt,), (problem,) = read(path)
    assert (attempt.task_id, attempt.attempt) == ("7", "1")
    assert (problem.record, problem.message) == (
        "samples/s0_epoch_1.json" if is_archive else "samples[0]",
        message,
    )
