"""Counts are integers of 64 bits, as in a table: a larger one is refused where it is read."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from trajmeter.records import LARGEST_COUNT, RunLog, Task, Trajectory, Turn, Usage


@pytest.mark.parametrize("count", [LARGEST_COUNT, 0, -LARGEST_COUNT - 1])
def test_counts_that_a_column_holds(count: int) -> None:
    assert Usage(total_tokens=count).total_tokens == count
    assert Turn(number=count).number == count


@pytest.mark.parametrize("count", [2**63, -(2**63) - 1, 10**400])
def test_counts_that_no_column_holds(count: int) -> None:
    for name in ("input_tokens", "output_tokens", "total_tokens"):
        with pytest.raises(ValidationError, match=name):
            Usage.model_validate({name: count})
    with pytest.raises(ValidationError, match="turn_count"):
        Trajectory(task_id="t", turn_count=count)
    with pytest.raises(ValidationError, match="dropped_calls"):
        Trajectory(task_id="t", dropped_calls=count)
    with pytest.raises(ValidationError, match=r"events\.i"):
        RunLog(events={"i": count})
    with pytest.raises(ValidationError, match="max_turns"):
        Task(id="t", max_turns=count)
