"""Which columns metrics read, and of which they see only what is null."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyarrow")

from trajmeter.metrics import create, metric
from trajmeter.metrics.columns_read import columns_read, presence_read

if TYPE_CHECKING:
    from trajmeter.records import Task, Trajectory


@metric
def programs(task: Task | None, trajectory: Trajectory) -> float:
    """Count programs by record, which reads every column."""
    return float(sum(turn.program == "x" for turn in trajectory.turns or ()))


def test_presence_matters_where_no_other_metric_reads_the_texts() -> None:
    for others in ([], ["tools"], ["answers", "tools"]):
        made = create(["turns", *others])
        assert presence_read(made) == {"turns.program"} < columns_read(made)
    assert presence_read([*create("turns"), programs]) == frozenset()


def test_presence_of_no_column_matters_that_is_not_read() -> None:
    made = create("turns.run")
    assert "turns.program" not in columns_read(made)
    assert presence_read(made) == frozenset()
