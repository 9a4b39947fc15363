"""A metric with figures of every type, and tables of its results."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from pydantic import Field

from trajmeter.metrics import Result, RowLayout, score_trajectories
from trajmeter.records import Cause, Source, Task, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic import JsonValue

    from trajmeter.writers import (
        TableWriter,
    )

TASK = Task(id="one", expected_answer="a b")


class Everything(Result):
    flag: bool | None = None
    count: int = 0
    ratio: float | None = None
    cause: Cause | None = None
    parts: tuple[float, ...] = ()
    reasons: dict[str, int] = Field(default_factory=dict)
    details: dict[str, Any] = Field(default_factory=dict)


class EverythingMetric:
    name = "all"
    version = "3"
    requires = ()
    parameters: Mapping[str, JsonValue] = {"profile": "strict"}
    result_type = Everything

    def __init__(self, result: Everything) -> None:
        self._result = result

    def score(self, task: Task | None, trajectory: Trajectory) -> Everything:
        return self._result


FULL = Everything(
    flag=True,
    count=2**53 + 1,
    ratio=0.1,
    cause=Cause.FAILED,
    parts=(0.5, 1.0),
    reasons={"parse_error": 2},
    details={"check": [1, None]},
)


def write_table(
    make: Callable[[io.BytesIO, RowLayout], TableWriter],
    result: Everything,
    task_id: str = "one",
    rows: int = 1,
) -> bytes:
    metric = EverythingMetric(result)
    layout = RowLayout([metric])
    stream = io.BytesIO()
    writer = make(stream, layout)
    attempts = [Trajectory(task_id=task_id, source=Source(file="p.jsonl", line=7))] * rows
    for scored in score_trajectories(attempts, metrics=[metric]):
        writer.write(layout.values(scored))
    writer.finish()
    return stream.getvalue()
