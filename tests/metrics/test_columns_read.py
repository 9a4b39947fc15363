"""Which columns metrics read, and of which they see only what is null."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyarrow")

from trajmeter.metrics import create, metric
from trajmeter.metrics.columns_read import columns_read, columns_to_fill, presence_read
from trajmeter.metrics.speedup import SpeedupMetric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.metrics import AnyMetric
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


class _Text(SpeedupMetric):
    """It reads the tables as text."""

    name = "text"
    batch_columns = frozenset({"measurements.ratios_by_agent"})


class _Subclass(SpeedupMetric):
    """It may score batches in another way."""


def test_tables_are_columns_where_all_metrics_take_them_so() -> None:
    for names in (["speedup"], ["turns", "speedup"]):
        made = create(names)
        assert columns_to_fill(made) - columns_read(made) == {"benchmark_tables"}
    others: list[Sequence[AnyMetric]] = [
        create("turns"),
        [*create("speedup"), programs],
        [_Subclass()],
        [*create("speedup"), _Text()],
    ]
    for other in others:
        assert columns_to_fill(other) == columns_read(other)


def test_presence_of_no_column_matters_that_is_not_read() -> None:
    made = create("turns.run")
    assert "turns.program" not in columns_read(made)
    assert presence_read(made) == frozenset()
