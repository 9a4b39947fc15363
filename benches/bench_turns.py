"""Turn analysis: many attempts from columns, and one attempt from the objects of a harness.

*Columns*: attempts of 1 to 39 turns with a call in each, most of them successful, as in an
evaluation of many agents on many tasks. numpy and polars compute only the main counts (no reasons
by name, no first calls, no validity of the first turn), each with its own groups.

*Objects*: an attempt of 30 turns with a call in each, and a task with expectations for every
family: assertions, tools, budgets, and 30 reference calls, two of which are swapped and one of
which differs. No two attempts in a row are the same object, because families cache what they read
of an attempt.
"""

from __future__ import annotations

from functools import partial
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from benches.contest import Built, Case, Entry, entries
from trajmeter import kernels
from trajmeter.kernels import NO_NUMBER
from trajmeter.metrics.rules import RulesMetric
from trajmeter.metrics.tools import ToolsMetric
from trajmeter.metrics.turns import TurnsMetric
from trajmeter.metrics.turns.columns import TurnColumns, TurnTable, analyse_columns
from trajmeter.records import Assertion, Failure, Task, ToolCall, Trajectory, Turn, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_benchmark.fixture import BenchmarkFixture

    from trajmeter.kernels import BoolArray, Int64Array
    from trajmeter.metrics.rules import RulesResult
    from trajmeter.metrics.tools import ToolsResult
    from trajmeter.metrics.turns import TurnsResult

_REASONS = ("eval_error", "multiple_code_blocks", "no_code_found", "parse_error", "tool_error")
_MULTIPLE, _NO_CODE, _PARSE = 1, 2, 3
_COUNTS = (
    "turns",
    "parse_failures",
    "no_code_turns",
    "multi_code_block_turns",
    "failed_turns",
    "followed_failures",
    "recovered_failures",
    "repeated_failures",
    "calls",
    "repeated_calls",
    "successful_calls",
    "known_calls",
)


def _columns(size: int) -> TurnColumns:
    random = np.random.default_rng(0)
    ends = random.integers(1, 40, size).cumsum()
    run_offsets = np.concatenate(([0], ends[ends < size], [size]))
    success = random.choice(np.array([1, 1, 1, 1, 0, -1]), size)
    reason = np.where(success == 1, -1, random.integers(-1, len(_REASONS), size))
    run = np.repeat(np.arange(len(run_offsets) - 1), np.diff(run_offsets))
    return TurnColumns(
        success=success,
        program=random.choice(np.array([0, 1, 1, 1]), size),
        reason=reason,
        # Three messages to a reason.
        error=np.where(reason < 0, -1, 3 * reason + random.integers(0, 3, size)),
        number=np.full(size, NO_NUMBER),
        call_success=random.choice(np.array([1, 1, 1, 0, -1]), size),
        # Of each agent's own calls, so that most are made once in an attempt.
        call=100 * run + random.integers(0, 100, size),
        call_offsets=np.arange(size + 1),
        run_offsets=run_offsets,
        reasons=_REASONS,
    )


def _per_run(columns: TurnColumns, flags: BoolArray) -> Int64Array:
    """Return how many turns of each run are flagged; every run has a turn."""
    return np.add.reduceat(flags, columns.run_offsets[:-1], dtype=np.int64)


def _numpy(columns: TurnColumns) -> Int64Array:
    failed = columns.success == 0
    has_next = np.ones(len(failed), np.bool_)
    has_next[columns.run_offsets[1:] - 1] = False
    followed = failed & has_next
    after = np.roll(columns.success, -1)
    error = columns.error
    repeats = followed & (after == 0) & (error >= 0) & (error == np.roll(error, -1))
    # Calls of different runs have different codes.
    _, first = np.unique(columns.call, return_index=True)
    is_repeated = np.ones(len(failed), np.bool_)
    is_repeated[first] = False
    flags = [
        columns.reason == _PARSE,
        columns.reason == _NO_CODE,
        columns.reason == _MULTIPLE,
        failed,
        followed,
        followed & (after == 1),
        repeats,
        np.ones(len(failed), np.bool_),
        is_repeated,
        columns.call_success == 1,
        columns.call_success >= 0,
    ]
    return np.stack([np.diff(columns.run_offsets), *(_per_run(columns, flag) for flag in flags)])


def _frame(columns: TurnColumns) -> pl.DataFrame:
    lengths = np.diff(columns.run_offsets)
    names = ("success", "reason", "error", "call", "call_success")
    return pl.DataFrame(
        {
            "run": np.repeat(np.arange(len(lengths)), lengths),
            **{name: getattr(columns, name) for name in names},
        }
    )


def _polars(frame: pl.DataFrame) -> Int64Array:
    run, success, reason, error = (pl.col(name) for name in ("run", "success", "reason", "error"))
    failed, after = success == 0, success.shift(-1)
    flags = frame.lazy().select(
        run,
        "call",
        "call_success",
        "reason",
        failed=failed,
        followed=failed & (run == run.shift(-1)),
        recovers=after == 1,
        repeats=(after == 0) & (error >= 0) & (error == error.shift(-1)),
    )
    followed = pl.col("followed")
    figures = [
        pl.len(),
        (reason == _PARSE).sum(),
        (reason == _NO_CODE).sum(),
        (reason == _MULTIPLE).sum(),
        pl.col("failed").sum(),
        followed.sum(),
        (followed & pl.col("recovers")).sum(),
        (followed & pl.col("repeats")).sum(),
        pl.len(),
        pl.len() - pl.col("call").n_unique(),
        (pl.col("call_success") == 1).sum(),
        (pl.col("call_success") >= 0).sum(),
    ]
    named = [
        figure.cast(pl.Int64).alias(name) for figure, name in zip(figures, _COUNTS, strict=True)
    ]
    counts = flags.group_by("run").agg(named).sort("run").select(_COUNTS).collect()
    return np.stack([counts[name].to_numpy() for name in _COUNTS])


def _build_columns(size: int) -> Built:
    columns = _columns(size)
    return Built(
        {
            "rust": partial(analyse_columns, columns, backend=kernels.load("rust")),
            "python": partial(analyse_columns, columns, backend=kernels.load("python")),
            "numpy": partial(_numpy, columns),
            "polars": partial(_polars, _frame(columns)),
        },
        _numpy(columns),
    )


def _same_counts(answer: object, expected: object) -> bool:
    if isinstance(answer, TurnTable):
        answer = np.stack([answer.counts[name] for name in _COUNTS])
    return np.array_equal(np.asarray(answer), np.asarray(expected))


_TURNS = 30


def _attempt(number: int) -> Trajectory:
    """Return an attempt whose every fifth turn fails; what differs changes no figure."""
    failure = Failure(reason="eval_error", message="m")
    turns = [
        Turn(
            number=at + 1,
            program="ls",
            success=at % 5 != 0,
            error=None if at % 5 else failure,
            tool_calls=(call,),
        )
        for at, call in enumerate(_calls())
    ]
    return Trajectory(
        task_id="t",
        attempt=str(number),
        turns=tuple(turns),
        usage=Usage(input_tokens=500, output_tokens=2000),
        transcript="agent: a line of text that is rather ordinary\n" * 200,
        final_output="done",
        duration_seconds=12.5,
        passed=True,
    )


def _calls() -> list[ToolCall]:
    return [
        ToolCall(
            name=("bash", "open", "edit")[at % 3],
            arguments={"command": f"ls {at}", "n": at},
            success=True,
        )
        for at in range(_TURNS)
    ]


def _task() -> Task:
    reference = _calls()
    reference[5], reference[6] = reference[6], reference[5]
    reference[10] = ToolCall(name="edit", arguments={"x": 1})
    return Task(
        id="t",
        max_turns=40,
        assertions=(
            Assertion(type="transcript_contains", check="ordinary"),
            Assertion(type="tool_called", tool="bash"),
            Assertion(type="output_contains", check="not done"),
        ),
        metadata={
            "expected_tools": ["bash", "open"],
            "max_latency_ms": 10_000,
            "max_tokens": 2000,
        },
        expected_tool_calls=tuple(reference),
    )


def _score(
    turns: TurnsMetric,
    rules: RulesMetric,
    tools: ToolsMetric,
    task: Task,
    attempts: Iterator[Trajectory],
) -> tuple[TurnsResult, RulesResult, ToolsResult]:
    attempt = next(attempts)
    return turns.score(task, attempt), rules.score(task, attempt), tools.score(task, attempt)


def _build_attempts(size: int) -> Built:
    del size  # one attempt, even if only answers are checked
    metrics = TurnsMetric(), RulesMetric(), ToolsMetric()
    attempts = cycle([_attempt(number) for number in range(64)])
    expected = (
        0 / 30,
        6 / 6,  # turns 1, 6, ... 26 failed, and a success followed each
        2 / 3 * 10,  # the output is "done"
        2 / 2 * 10,
        10 / (12_500 / 10_000),
        10 / (2_500 / 2_000),
        29 / 30,  # all but the one that differs
        28 / 30,  # of the two that were swapped, only one is in order
        3,  # the two replaced, and the other
    )
    return Built({"objects": partial(_score, *metrics, _task(), attempts)}, expected)


def _same_figures(answer: object, expected: object) -> bool:
    results: tuple[TurnsResult, RulesResult, ToolsResult] = answer  # type: ignore[assignment] # what the contender returns
    turns, rules, tools = results
    return expected == (
        turns.parse_failure_rate,
        turns.recovered_errors,
        rules.assertion_pass_rate.score,
        rules.tool_usage.score,
        rules.latency.score,
        rules.cost_budget.score,
        tools.any_order_grades.recall,
        tools.in_order_grades.recall,
        tools.edit_distance,
    )


_ATTEMPT_SECONDS = 100e-6
"""One attempt of 30 turns through turns, rules and tools, its three results included."""

CASES = [
    Case(
        kernel="analyse_columns",
        workload="10 million turns, a call each",
        size=10_000_000,
        unit="turn",
        build=_build_columns,
        contenders=("rust", "python", "numpy", "polars"),
        same=_same_counts,
        prepared="int64 columns; a data frame for polars",
        bars={"python": 50.0},
        parallel=True,
    ),
    Case(
        kernel="turns + rules + tools",
        workload="30 turns with a call each, 30 reference calls",
        size=_TURNS,
        unit="turn",
        build=_build_attempts,
        contenders=("objects",),
        same=_same_figures,
        prepared="records, metrics",
        most_seconds=_ATTEMPT_SECONDS,
    ),
]


@pytest.mark.parametrize("entry", entries(CASES), ids=str)
def bench_turns(benchmark: BenchmarkFixture, entry: Entry) -> None:
    entry.run(benchmark)
