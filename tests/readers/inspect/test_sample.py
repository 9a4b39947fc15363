"""What samples of Inspect are called, and how they end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.inspect.archives import archive
from tests.readers.inspect.samples import CALLED, HEADER, SAID, answered, begin, gave, sample
from tests.readers.inspect.test_logs import attempt_of, read
from tests.steps import assert_linear
from trajmeter.readers.batches import TrajectoryBatches
from trajmeter.records import Failure

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import ReadProblem


def write(found: list[dict[str, Any]], folder: Path, *, is_archive: bool) -> Path:
    """A log of samples, which is an archive or a document."""
    path = folder / ("run.eval" if is_archive else "run.json")
    entries = [(f"samples/s{number}_epoch_1.json", each) for number, each in enumerate(found)]
    if is_archive:
        path.write_bytes(archive(("header.json", HEADER), *entries))
    else:
        path.write_text(json.dumps({**HEADER, "samples": found}))
    return path


def test_an_error_that_the_prompt_is_too_long_is_a_budget_used_up(tmp_path: Path) -> None:
    error = {"message": "BadRequestError: Prompt is too long: 210000 tokens > 200000 maximum"}
    failure = attempt_of(tmp_path, sample(error=error)).failure
    assert failure == Failure(reason="budget_exhausted", message=error["message"])


def test_an_invalid_time_loses_nothing_else(tmp_path: Path) -> None:
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
    path = write(found, tmp_path, is_archive=is_archive)
    (attempt,), (problem,) = read(path)
    assert (attempt.task_id, attempt.attempt) == ("7", "1")
    assert (problem.record, problem.message) == (
        "samples/s0_epoch_1.json" if is_archive else "samples[0]",
        message,
    )


@pytest.mark.parametrize("is_archive", [True, False])
def test_attachments_that_multiply_without_end_are_reported(
    is_archive: bool, tmp_path: Path
) -> None:
    large = {"aa": "x" * (1 << 20)}
    events = [answered(CALLED, 1), *[gave("attachment://aa", 5)] * 257]
    found = [sample(id="a", events=events, attachments=large), sample(id="b")]
    path = write(found, tmp_path, is_archive=is_archive)
    (attempt,), (problem,) = read(path)
    assert attempt.task_id == "b"
    assert problem.message == (
        "attachments: more than 268,435,456 characters once they are put back into their places"
    )


def test_attachments_multiply_in_columns_that_are_not_wanted_too(tmp_path: Path) -> None:
    large = {"aa": "x" * (1 << 20)}
    about = {"many": ["attachment://aa"] * 257}
    found = [sample(id="a", attachments=large, metadata=about), sample(id="b")]
    path = write(found, tmp_path, is_archive=False)
    problems: list[ReadProblem] = []
    batches = TrajectoryBatches(path, columns=["turns"], on_problem=problems.append)
    assert sum(batch.num_rows for batch in batches) == 1
    assert [each.record for each in problems] == ["samples[0]"]


def test_spans_around_a_call_of_a_model_are_looked_at_in_linear_time(tmp_path: Path) -> None:
    def look(size: int) -> None:
        around = [begin("agent", "a", f"s{n}", f"s{n + 1}") for n in range(size)]
        said = [answered(SAID, 1, span_id=f"s{n % 9}") for n in range(size)]
        ring = [begin("agent", "a", "r1", "r2"), begin("agent", "a", "r2", "r1")]
        said += [answered(SAID, 1, span_id="r1")]
        attempt = attempt_of(tmp_path, sample(events=[*around, *ring, *said]))
        assert len(attempt.turns or ()) == size + 1

    assert_linear(look)


def test_a_call_of_a_model_by_a_scorer_that_lies_in_others(tmp_path: Path) -> None:
    around = [begin("scorers", "s", "top"), begin("scorer", "verify", "one", "top")]
    events = [*around, answered(SAID, 1, span_id="one"), answered(SAID, 2)]
    attempt = attempt_of(tmp_path, sample(events=events))
    assert (len(attempt.turns or ()), attempt.usage) == (1, None)


@pytest.mark.parametrize("error", [None, {"type": "timeout", "message": "late"}])
def test_a_call_whose_tool_raised_an_exception_failed(tmp_path: Path, error: Any) -> None:
    events = [answered(CALLED, 1), gave("", 5, failed=True, error=error), answered(SAID, 9)]
    first, _ = attempt_of(tmp_path, sample(events=events)).turns or ()
    (call,) = first.tool_calls
    assert call.success is False
    assert call.error == ("late" if error else "the tool raised an exception")


def test_an_error_of_the_provider_is_not_an_answer(tmp_path: Path) -> None:
    empty = {"role": "assistant", "content": "", "model": "m"}
    failed = answered(empty, 5, error="Error code: 500 - overloaded")
    attempt = attempt_of(tmp_path, sample(events=[answered(SAID, 1), failed]))
    assert [turn.text for turn in attempt.turns or ()] == ["Done."]
    said = answered(SAID, 5, error="Error code: 500 - overloaded")
    assert len(attempt_of(tmp_path, sample(events=[said])).turns or ()) == 1


def test_steps_of_scorers_in_logs_without_spans(tmp_path: Path) -> None:
    def step(action: str, kind: str) -> dict[str, Any]:
        return {"event": "step", "action": action, "type": kind, "name": kind}

    graded = answered({**SAID, "content": "GRADE: C"}, 5, span_id=None)
    scored = [step("begin", "scorer"), graded, step("end", "scorer")]
    solved = [step("begin", "solver"), answered(SAID, 1, span_id=None), step("end", "solver")]
    attempt = attempt_of(tmp_path, sample(events=[*solved, *scored], output={}))
    assert [turn.text for turn in attempt.turns or ()] == ["Done."]
    assert (attempt.final_output, attempt.usage) == ("Done.", None)
    again = attempt_of(tmp_path, sample(events=[step("end", "scorer"), *scored, *solved]))
    assert len(again.turns or ()) == 1
