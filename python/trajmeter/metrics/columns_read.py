"""The trajectory columns that metrics read; readers fill no others."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from trajmeter.benchmark_tables import BENCHMARK_TABLES
from trajmeter.records import ToolCall, Turn
from trajmeter.shapes import trajectory_shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trajmeter.metrics import AnyMetric
    from trajmeter.shapes import Member

__all__ = ["columns_read", "columns_to_fill", "presence_read"]

_RESULT = "ToolCall.result"
"""Name of the result field in a metric's requirements; results are large, and few metrics read
them."""

_IDENTITY = frozenset({"task_id", "agent", "model", "attempt", "instance", "source"})


def columns_read(metrics: Iterable[AnyMetric]) -> frozenset[str]:
    """Trajectory columns that metrics read; the others may be null in every row."""
    return _IDENTITY.union(*map(_columns_of, metrics))


def columns_to_fill(metrics: Sequence[AnyMetric]) -> frozenset[str]:
    """The columns to request from a reader: those read, and tables of benchmarks as columns.

    The latter are requested only if every metric that reads measurements accepts them. A subclass
    of such a metric must declare that anew, because it may override how batches are scored.
    """
    columns = columns_read(metrics)
    reading = [metric for metric in metrics if _reads_measurements(metric)]
    if reading and all("takes_benchmark_tables" in vars(type(metric)) for metric in reading):
        columns |= {BENCHMARK_TABLES}
    return columns


def _reads_measurements(metric: AnyMetric) -> bool:
    return any(name.partition(".")[0] == "measurements" for name in _columns_of(metric))


def presence_read(metrics: Sequence[AnyMetric]) -> frozenset[str]:
    """Columns of which metrics only check which values are null."""
    marked = frozenset[str]().union(*map(_presence_of, metrics))
    whole = frozenset[str]().union(*(_columns_of(each) - _presence_of(each) for each in metrics))
    return frozenset(
        name for name in marked if not any(f"{name}.".startswith(f"{each}.") for each in whole)
    )


def _presence_of(metric: AnyMetric) -> frozenset[str]:
    marked: frozenset[str] = getattr(metric, "presence_columns", frozenset())
    return marked & _columns_of(metric)


def _columns_of(metric: AnyMetric) -> frozenset[str]:
    """Columns that a metric declares, or else all; tool results only if it requires them."""
    named: frozenset[str] | None = getattr(metric, "batch_columns", None)
    if named is not None:
        return named
    members = trajectory_shape().members
    if _RESULT in metric.requires:
        return frozenset(member.name for member in members)
    return _all_but_results()


@cache
def _all_but_results() -> frozenset[str]:
    return frozenset(_named(trajectory_shape().members, ""))


def _named(members: Iterable[Member], within: str) -> Iterator[str]:
    for member in members:
        name, shape = f"{within}{member.name}", member.shape.item or member.shape
        if shape.model in (Turn, ToolCall):
            yield from _named(shape.members, f"{name}.")
        elif not name.endswith("tool_calls.result"):
            yield name
