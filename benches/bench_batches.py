"""Scoring of record batches: from columns, from records built from columns, and from rows.

The attempts are those of a shell agent: 10 turns with one call each, all with different arguments.
A third of the turns failed, and every turn has a view. *Records* makes the same call with a metric
that has no batch form. *Rows* is the cost of a data set without either: each row is read as a
record, validated and scored.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import trajmeter
from benches.contest import Built, Case, Entry, entries
from trajmeter.metrics.answers import AnswersMetric
from trajmeter.metrics.context import ContextMetric
from trajmeter.metrics.rules import RulesMetric
from trajmeter.metrics.speedup import SpeedupMetric
from trajmeter.metrics.tools import ToolsMetric
from trajmeter.metrics.turns import TurnsMetric
from trajmeter.records import (
    Assertion,
    Extent,
    Failure,
    GoldRange,
    Measurements,
    PytestSummary,
    SnapshotSummary,
    Source,
    Task,
    ToolCall,
    Trajectory,
    Turn,
    Usage,
    View,
)
from trajmeter.schemas import trajectory_batch, trajectory_from_row
from trajmeter.snapshots import Definitions, FileSnapshot, Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa
    from pytest_benchmark.fixture import BenchmarkFixture

    from trajmeter.metrics import AnyMetric, Metric

_TURNS = 10
_REASONS = ("parse_error", "eval_error", "timeout")
_TURN_FIGURES = ("turns.parse_failure_rate", "turns.recovered_errors", "turns.repeated_tool_calls")
_BENCHMARKS, _AGENTS = 265, 8
_SPEEDUP_FIGURES = ("speedup.task_speedup", "speedup.agent_advantage_level1")
_EXPECTED_FIGURES = {
    "rules": (
        "rules.assertion_pass_rate.checks",
        "rules.cost_budget.score",
        "rules.latency.reason",
    ),
    "tools": ("tools.any_order_grades.f1", "tools.edit_distance", "tools.mismatches"),
    "answers": ("answers.retrieval.recall", "answers.hops.coverage", "answers.tools.coverage"),
}
_CONTEXT_FIGURES = ("context.final.line.precision", "context.trajectory.line.auc_coverage")


class _WithoutBatches:
    """A metric that only scores records."""

    def __init__(self, metric: Metric | SpeedupMetric) -> None:
        self.name = metric.name
        self.version = metric.version
        self.requires = metric.requires
        self.parameters = metric.parameters
        self.result_type = metric.result_type
        if isinstance(metric, SpeedupMetric):
            self.score_trial = metric.score_trial
        else:
            self.score = metric.score


@cache
def _batch(size: int) -> pa.RecordBatch:
    random = np.random.default_rng(0)
    failures = random.integers(0, 3 * len(_REASONS), (size, _TURNS)).tolist()
    return trajectory_batch(_attempt(number, failed) for number, failed in enumerate(failures))


def _attempt(number: int, failures: Sequence[int]) -> Trajectory:
    turns = tuple(_turn(number, at, failure) for at, failure in enumerate(failures))
    return Trajectory(
        task_id=f"task-{number // 8}",
        agent="owl",
        model="m",
        source=Source(file="runs.jsonl", line=number + 1),
        turns=turns,
        transcript="\n".join(f"$ {turn.program}\n{turn.success}" for turn in turns),
        final_output=f"The value of module_{number % 50} is {number % 7}.",
        sources=tuple(f"doc-{at}.md" for at in range(number % 4)),
        usage=Usage(input_tokens=5_000, output_tokens=number % 4_000, cost_usd=number % 97 / 80),
        duration_seconds=number % 1_013 / 10,
        passed=number % 3 == 0,
        metadata={"tools_used": ["bash", "sql"][: number % 3]},
    )


def _expecting_task(number: int) -> Task:
    """A task, some of whose expected calls its attempts make."""
    calls = [_turn(number * 8 + at, at * 3, 9).tool_calls[0] for at in range(3)]
    return Task(
        id=f"task-{number}",
        expected_tool_calls=(*calls, ToolCall(name="submit")),
        expected_sources=("doc-0.md", "doc-9.md"),
        max_turns=12,
        assertions=(
            Assertion(type="transcript_contains", check=f"module_{number % 50}"),
            Assertion(type="transcript_not_contains", check="panic"),
            Assertion(type="output_contains", check=f"is {number % 7}"),
            Assertion(type="tool_called", tool="bash"),
            Assertion(type="llm_judge", check="Is the answer right?"),
        ),
        metadata={
            "expected_tools": ["bash"],
            "forbidden_tools": ["rm", "submit"],
            "error_markers": ["Traceback", "False"],
            "max_latency_ms": 50_000,
            "max_tokens": 7_000,
            "max_cost_usd": 0.5,
            "required_hops": [{"any_of": ["value of"], "source": "doc-1.md"}],
            "required_tools": ["sql"],
        },
    )


def _turn(number: int, at: int, failure: int) -> Turn:
    path = f"src/module_{(number + at) % 50}.py"
    failed = failure < len(_REASONS)
    error = Failure(reason=_REASONS[failure], message=f"at {path}") if failed else None
    command = f"sed -n '{at * 20 + 1},{number + 40}p' {path}"
    return Turn(
        number=at + 1,
        program=command,
        success=not failed,
        error=error,
        tool_calls=(ToolCall(name="bash", arguments={"command": command}, success=not failed),),
        views=(View(path=path, extent=Extent.LINES, start=at * 20 + 1, end=number % 400),),
    )


class _Repository:
    """Every task starts from the same 50 files of 500 lines, ten bytes each."""

    def __init__(self) -> None:
        none = np.empty(0, np.int64)
        definitions = Definitions(kind=(), start=none, end=none, name=())
        file = FileSnapshot(5_000, np.arange(0, 5_000, 10, dtype=np.int64), definitions)
        files = {f"src/module_{number}.py": file for number in range(50)}
        self._snapshot = Snapshot("acme/widget", "c0ffee", files)

    def find(self, task: Task) -> Snapshot:
        del task
        return self._snapshot


_REPOSITORY = _Repository()


def _by_batch(
    batch: pa.RecordBatch, metric: str | AnyMetric, tasks: Sequence[Task], names: Sequence[str]
) -> list[list[Any]]:
    (scored,) = trajmeter.score_batches(
        [batch], metrics=[metric], tasks=tasks, snapshots=_REPOSITORY
    )
    return [scored[name].to_pylist() for name in names]


def _by_row(
    batch: pa.RecordBatch, metric: str | AnyMetric, tasks: Sequence[Task], names: Sequence[str]
) -> list[list[Any]]:
    records = [trajectory_from_row(row) for row in batch.to_pylist()]
    rows = trajmeter.score(records, metrics=[metric], tasks=tasks, snapshots=_REPOSITORY).rows
    return [[row[name] for row in rows] for name in names]


def _turns(size: int) -> Built:
    batch = _batch(size)
    return Built(
        {
            "columns": partial(_by_batch, batch, "turns", (), _TURN_FIGURES),
            "records": partial(_by_batch, batch, _WithoutBatches(TurnsMetric()), (), _TURN_FIGURES),
            "rows": partial(_by_row, batch, "turns", (), _TURN_FIGURES),
        },
        _by_row(batch, "turns", (), _TURN_FIGURES),
    )


def _expecting(size: int, *, metric: RulesMetric | ToolsMetric | AnswersMetric) -> Built:
    batch = _batch(size)
    tasks = [_expecting_task(number) for number in range(size // 8 + 1)]
    figures = _EXPECTED_FIGURES[metric.name]
    return Built(
        {
            "columns": partial(_by_batch, batch, metric, tasks, figures),
            "records": partial(_by_batch, batch, _WithoutBatches(metric), tasks, figures),
        },
        _by_batch(batch, _WithoutBatches(metric), tasks, figures),
    )


def _context(size: int) -> Built:
    batch = _batch(size)
    gold = (GoldRange(path="src/module_3.py", first_line=30, last_line=90),)
    tasks = [Task(id=f"task-{number}", gold_ranges=gold) for number in range(size // 8 + 1)]
    return Built(
        {
            "columns": partial(_by_batch, batch, "context", tasks, _CONTEXT_FIGURES),
            "records": lambda: _by_batch(
                batch,
                # A new metric each round, because the others prepare the tasks anew too.
                _WithoutBatches(ContextMetric(_REPOSITORY)),
                tasks,
                _CONTEXT_FIGURES,
            ),
            "rows": partial(_by_row, batch, "context", tasks, _CONTEXT_FIGURES),
        },
        _by_row(batch, "context", tasks, _CONTEXT_FIGURES),
    )


@cache
def _measured(size: int) -> pa.RecordBatch:
    """Tasks of 265 benchmarks each, measured for 8 agents, one of which failed."""
    random = np.random.default_rng(0)
    ratios = random.lognormal(0.1, 0.5, (size, 2, _BENCHMARKS)).tolist()
    return trajectory_batch(
        Trajectory(
            task_id=f"task-{number // _AGENTS}",
            agent=f"agent-{number % _AGENTS}" if number % _AGENTS else "oracle",
            model="m",
            measurements=Measurements(
                ratios={
                    f"suite.module{at % 6}.Class{at % 3}.time_{at // 3}({at % 3}, 'x')": {
                        "agent/nop": ratio,
                        "oracle/nop": best,
                        "significant": at % 2 == 0,
                    }
                    for at, (ratio, best) in enumerate(zip(agent, oracle, strict=True))
                }
            ),
            pytest_summary=PytestSummary(passed=8, failed=int(number % _AGENTS == 1)),
            snapshot_summary=SnapshotSummary(passed=5, status="passed"),
        )
        for number, (agent, oracle) in enumerate(ratios)
    )


def _speedups(batch: pa.RecordBatch, metric: str | AnyMetric) -> list[list[Any]]:
    scored = list(trajmeter.score_batches([batch], metrics=[metric]))
    return [
        [value for part in scored for value in part[name].to_pylist()] for name in _SPEEDUP_FIGURES
    ]


def _speedup(size: int) -> Built:
    batch = _measured(size)
    return Built(
        {
            "columns": partial(_speedups, batch, "speedup"),
            "records": partial(_speedups, batch, _WithoutBatches(SpeedupMetric())),
            "rows": partial(_by_row, batch, "speedup", (), _SPEEDUP_FIGURES),
        },
        _by_row(batch, "speedup", (), _SPEEDUP_FIGURES),
    )


def _equal(answer: object, expected: object) -> bool:
    return answer == expected


def _case(
    workload: str,
    size: int,
    build: Callable[[int], Built],
    bar: float,
    *,
    peer: str = "rows",
) -> Case:
    return Case(
        kernel="score_batches",
        workload=workload,
        size=size,
        unit="attempt",
        build=build,
        contenders=("columns", "records", "rows") if peer == "rows" else ("columns", peer),
        same=_equal,
        prepared="one Arrow batch",
        bars={peer: bar},
    )


CASES = [
    _case("turns of 5,000 shell agents", 5_000, _turns, 10.0),
    _case("context of 5,000 shell agents", 5_000, _context, 4.0),
    _case(
        "rules of 5,000 shell agents",
        5_000,
        partial(_expecting, metric=RulesMetric()),
        10.0,
        peer="records",
    ),
    _case(
        "tools of 5,000 shell agents",
        5_000,
        partial(_expecting, metric=ToolsMetric()),
        15.0,
        peer="records",
    ),
    _case(
        "answers of 5,000 shell agents",
        5_000,
        partial(_expecting, metric=AnswersMetric()),
        5.0,
        peer="records",
    ),
    _case("speedup of 120 tasks x 265 benchmarks x 8 agents", 960, _speedup, 1.2),
]


@pytest.mark.parametrize("entry", entries(CASES), ids=str)
def bench_batches(benchmark: BenchmarkFixture, entry: Entry) -> None:
    entry.run(benchmark)
