"""Batches in, results out: what engines and users rely on, whatever the metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import trajmeter
from tests.metrics.fakes import AnswerMetric, RankMetric
from trajmeter.errors import ConfigurationError, InputError, ReadError, UnknownNameError
from trajmeter.metrics.speedup import SpeedupMetric
from trajmeter.readers.batches import TrajectoryBatches
from trajmeter.records import Extent, GoldRange, Source, Task, ToolCall, Trajectory, Turn, View
from trajmeter.schemas import trajectory_batch
from trajmeter.scoring.batches import BatchScorer, score_batches

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trajmeter.scoring.admission import RowProblem

TASKS = [Task(id="one", aliases=("uno",), expected_answer="a b"), Task(id="two")]


def _attempt(task_id: str, output: str | None = "a", **fields: Any) -> Trajectory:
    return Trajectory(task_id=task_id, final_output=output, **fields)


def _rows(batches: Iterator[pa.RecordBatch]) -> list[dict[str, Any]]:
    return [row for batch in batches for row in batch.to_pylist()]


def test_a_row_is_what_records_give() -> None:
    source = Source(file="runs.jsonl", line=3)
    attempts = [_attempt("uno", agent="owl", source=source), _attempt("two"), _attempt("three")]
    rows = _rows(score_batches([trajectory_batch(attempts)], tasks=TASKS, metrics=[AnswerMetric()]))
    assert [row["task_id"] for row in rows] == ["uno", "two", "three"]
    assert (rows[0]["agent"], rows[0]["source"]) == ("owl", "runs.jsonl:3")
    assert rows[0]["backend"] == trajmeter.backend()
    assert [row["answer.parts.words.coverage"] for row in rows] == [1 / 2, None, None]
    assert rows[2]["answer.parts.words.cause"] == "missing_gold"


@pytest.mark.parametrize("metric", ["answers", "context", "rules", "speedup", "tools", "turns"])
@pytest.mark.parametrize("is_named", [True, False])
def test_results_do_not_keep_the_memory_of_attempts(metric: str, *, is_named: bool) -> None:
    names = dict.fromkeys(("agent", "model", "attempt", "instance", "trial"), "x")
    attempt = Trajectory(
        task_id="one",
        turns=(Turn(tool_calls=(ToolCall(name="search"),), views=(View(path="a.py"),)),),
        final_output="a",
        passed=True,
        dropped_calls=2,
        **(names if is_named else {}),  # type: ignore[arg-type]  # texts
    )
    batch = trajectory_batch([attempt] * 2)
    (results,) = score_batches([batch], metrics=[metric], tasks=TASKS)
    kept = {held.address for held in _buffers(batch)} & {held.address for held in _buffers(results)}
    assert not kept


def _buffers(batch: pa.RecordBatch) -> Iterator[pa.Buffer]:
    """The memory of all columns that hold a value; nulls share theirs."""
    for column in batch.columns:
        if column.null_count < len(column):
            yield from (held for held in column.buffers() if held is not None and held.size)


@pytest.mark.parametrize("bad", [[0], [1], [2], [0, 2], [0, 1, 2]])
def test_rows_with_text_views_are_skipped(bad: list[int]) -> None:
    texts = ["a", "b", "a text that is too long to be stored in its view"]
    tokens = [1.5 if row in bad else 1.0 for row in range(3)]
    batch = pa.record_batch(
        {
            "task_id": pa.array(texts, pa.string_view()),
            "usage": pa.array([{"input_tokens": count} for count in tokens]),
        }
    )
    problems: list[RowProblem] = []
    rows = _rows(score_batches([batch], metrics=["turns"], on_problem=problems.append))
    assert [problem.row for problem in problems] == bad
    assert [row["task_id"] for row in rows] == [
        text for row, text in enumerate(texts) if row not in bad
    ]


def test_sources_are_texts() -> None:
    sources = [
        None,
        Source(file="f"),
        Source(file="f", line=2, record="r"),
        Source(file="f", record="r"),
    ]
    batch = trajectory_batch([_attempt("one", source=source) for source in sources])
    rows = _rows(score_batches([batch], metrics=[AnswerMetric()]))
    assert [row["source"] for row in rows] == [None, "f", "f:2", "f: r"]


def test_the_schema_is_known_beforehand_and_that_of_a_parquet_file(tmp_path: Path) -> None:
    scorer = BatchScorer([AnswerMetric(), "turns"], tasks=TASKS)
    assert repr(scorer) == f"<BatchScorer: answer, turns; {len(scorer.schema)} columns>"
    batch = trajectory_batch([_attempt("one")])
    (results,) = scorer.score([batch])
    (empty,) = scorer.score([batch.slice(0, 0)])
    assert list(scorer.score([])) == []
    assert results.schema.equals(scorer.schema, check_metadata=True)
    assert (len(empty), empty.schema) == (0, scorer.schema)
    file = tmp_path / "scores.parquet"
    trajmeter.score([_attempt("one")], metrics=[AnswerMetric(), "turns"]).write(file)
    assert parquet.read_schema(file).equals(scorer.schema)


def _results(*, requires: tuple[str, ...]) -> Any:
    @trajmeter.metric(requires=requires)
    def seen(_: Task | None, trajectory: Trajectory) -> int:
        """How many results of tools the metric was given."""
        calls = [*(trajectory.calls or ()), *(trajectory.tool_calls or ())]
        return sum(call.result is not None for call in calls)

    return seen


@pytest.mark.parametrize(("requires", "seen"), [((), 0), (("ToolCall.result",), 3)])
def test_results_reach_the_metrics_that_require_them(
    requires: tuple[str, ...], seen: int, tmp_path: Path
) -> None:
    metric = _results(requires=requires)
    call = ToolCall(name="read", arguments={"path": "a"}, result=["x"])
    in_turns = _attempt("one", turns=(Turn(tool_calls=(call,), program="p"), Turn()))
    apart = _attempt("two", tool_calls=(call,))
    batch = trajectory_batch([in_turns, _attempt("one"), apart])
    rows = _rows(score_batches([batch.slice(0, 1), batch.slice(1)], metrics=[metric, "turns"]))
    assert sum(row["seen.value"] for row in rows) == seen
    assert rows[0]["turns.run.turn_count"] == 2
    scorer = BatchScorer([metric, "tools"])
    path = tmp_path / "runs.jsonl"
    path.write_text("".join(f"{each.model_dump_json()}\n" for each in (in_turns, apart)))
    read = _rows(scorer.score(TrajectoryBatches(path, columns=scorer.columns)))
    assert sum(row["seen.value"] for row in read) == seen
    names = {"turns", "turns.tool_calls.arguments", "turns.tool_calls.result"}
    assert names & BatchScorer([metric]).columns == (
        {"turns"} if requires else {"turns.tool_calls.arguments"}
    )


def test_invalid_results_cost_nothing_where_no_metric_reads_them() -> None:
    turns = [{"tool_calls": [{"name": "f", "result": "{"}]}]
    batch = pa.RecordBatch.from_pylist([{"task_id": "one", "turns": turns}])
    assert len(_rows(score_batches([batch], metrics=["turns"]))) == 1
    with pytest.raises(ReadError, match="invalid JSON"):
        _rows(score_batches([batch], metrics=[_results(requires=("ToolCall.result",))]))


def test_options_are_checked_before_the_first_batch() -> None:
    with pytest.raises(UnknownNameError, match="unknown metric 'turn'"):
        score_batches([], metrics=["turn"])
    with pytest.raises(UnknownNameError, match="unknown profile"):
        score_batches([], metrics=["turns"], profiles=["ptc"])


def test_what_is_not_a_batch_is_named() -> None:
    table: Any = pa.table({"task_id": ["a"]})
    with pytest.raises(InputError, match="batch 0 is a ChunkedArray, expected a RecordBatch;"):
        list(score_batches(table.columns, metrics=["turns"]))


def _with_bad_rows() -> pa.RecordBatch:
    batch = trajectory_batch([_attempt("one"), _attempt("two"), _attempt("three")])
    ids = pa.array(["one", None, "three"])
    return batch.set_column(0, batch.schema.field(0), ids)


@pytest.mark.parametrize("metrics", [["turns"], [AnswerMetric()]], ids=["columns", "records"])
def test_a_row_that_is_not_a_trajectory_is_reported_and_others_scored(
    metrics: list[Any],
) -> None:
    problems: list[RowProblem] = []
    good = trajectory_batch([_attempt("zero")])
    batches = [good, _with_bad_rows()]
    rows = _rows(score_batches(batches, metrics=metrics, on_problem=problems.append))
    assert [row["task_id"] for row in rows] == ["zero", "one", "three"]
    assert [(problem.batch, problem.row) for problem in problems] == [(1, 1)]
    assert str(problems[0]).startswith("batch 1, row 1: task_id: required, but missing from {")
    with pytest.raises(ReadError, match="batch 1, row 1: task_id"):
        list(score_batches(batches, metrics=metrics))


def test_a_value_that_no_cast_fits_costs_its_row_alone() -> None:
    turns = [[{"number": 1.0}], [{"number": 3.5}], None, [{"number": 2.0}, {"number": 2.5}], []]
    batch = pa.record_batch({"task_id": ["a", "b", None, "d", "e"], "turns": turns})
    problems: list[RowProblem] = []
    good = trajectory_batch([_attempt("zero")])
    scored = score_batches([good, batch], metrics=["turns"], on_problem=problems.append)
    assert [row["task_id"] for row in _rows(scored)] == ["zero", "a", "e"]
    assert [(problem.batch, problem.row) for problem in problems] == [(1, 1), (1, 2), (1, 3)]
    assert str(problems[0]).startswith(
        "batch 1, row 1: column turns.number is double, expected int64: Float value 3.5"
    )
    assert problems[1].message.startswith("task_id: ")
    with pytest.raises(ReadError, match=r"batch 0, row 1: column turns\.number is double"):
        list(score_batches([batch], metrics=["turns"]))


def test_memory_that_is_not_text_costs_its_row_alone() -> None:
    offsets = pa.py_buffer(np.arange(4, dtype=np.int32).tobytes())
    texts = pa.StringArray.from_buffers(3, offsets, pa.py_buffer(b"a\xffc"))
    problems: list[RowProblem] = []
    batch = pa.record_batch([texts], ["task_id"])
    rows = _rows(score_batches([batch], metrics=["turns"], on_problem=problems.append))
    assert [row["task_id"] for row in rows] == ["a", "c"]
    assert [problem.row for problem in problems] == [1]
    assert "UTF8" in problems[0].message


def test_a_metric_that_raises_loses_its_rows_alone() -> None:
    attempts = [_attempt("one"), _attempt("one", "boom")]
    rows = _rows(score_batches([trajectory_batch(attempts)], tasks=TASKS, metrics=[AnswerMetric()]))
    assert [row["answer.parts.words.outcome"] for row in rows] == ["scored", "not_scored"]
    assert rows[0]["answer.error"] is None
    assert rows[1]["answer.error"].startswith("RuntimeError: it went off")


def test_a_figure_that_no_column_holds_loses_its_row_alone() -> None:
    class Huge(AnswerMetric):
        def score(self, task: Task | None, trajectory: Trajectory) -> Any:
            length = 2**70 if trajectory.final_output == "huge" else 1
            return super().score(task, trajectory).model_copy(update={"length": length})

    attempts = [_attempt("one", "huge"), _attempt("one")]
    rows = _rows(score_batches([trajectory_batch(attempts)], metrics=[Huge()]))
    assert [row["answer.length"] for row in rows] == [None, 1]
    assert rows[0]["answer.error"] == (
        "answer.length is 1180591620717411303424, expected an integer of 64 bits"
    )


class _ByBatch(AnswerMetric):
    """Gives what it was made with for every batch."""

    def __init__(self, scored: Any) -> None:
        self._scored = scored

    def score_batch(self, tasks: Any, rows: pa.RecordBatch) -> Any:
        if isinstance(self._scored, BaseException):
            raise self._scored
        return self._scored() if callable(self._scored) else self._scored


def _interrupted() -> Iterator[Any]:
    yield AnswerMetric().score(TASKS[0], _attempt("one"))
    raise RuntimeError("no")


FAULTS = {
    "raised": (RuntimeError("no"), "RuntimeError: no"),
    "left": (SystemExit(1), "SystemExit: 1"),
    "absent": ({}, "TypeError: column answer.length is None"),
    "short": ({"length": pa.array([1])}, r"TypeError: column answer.length is \(.*, 1\), expected"),
    "few": ([], "TypeError: gave 0 results for 2 rows"),
    "other": ([1, 2], "TypeError: gave a int, expected a AnswerResult"),
    "nothing": (None, "TypeError: 'NoneType' object is not iterable"),
    "halfway": (_interrupted, "RuntimeError: no"),
}


@pytest.mark.parametrize(("scored", "fault"), FAULTS.values(), ids=FAULTS)
def test_a_batch_form_that_fails_says_so_and_leaves_the_rows_to_records(
    scored: Any, fault: str
) -> None:
    batch = trajectory_batch([_attempt("one"), _attempt("one", "boom")])
    by_records = _rows(score_batches([batch], tasks=TASKS, metrics=[AnswerMetric()]))
    with pytest.warns(
        RuntimeWarning, match=f"^answer could not score a batch at once, .*: {fault}"
    ):
        by_batch = _rows(score_batches([batch], tasks=TASKS, metrics=[_ByBatch(scored)]))
    assert by_batch == by_records


def test_a_batch_form_that_fails_at_every_batch_says_so_once() -> None:
    scorer = BatchScorer([_ByBatch(RuntimeError("no")), "turns"], tasks=TASKS)
    batch = trajectory_batch([_attempt("one")])
    with pytest.warns(RuntimeWarning) as warnings:
        rows = [*_rows(scorer.score([batch, batch])), *_rows(scorer.score([batch]))]
    assert (len(rows), len(warnings)) == (3, 1)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ConfigurationError("no file")], ids=repr)
def test_an_interrupt_or_a_wrong_set_up_in_a_batch_form_ends_the_scoring(
    error: BaseException,
) -> None:
    batch = trajectory_batch([_attempt("one")])
    with pytest.raises(type(error)):
        _rows(score_batches([batch], tasks=TASKS, metrics=[_ByBatch(error)]))


def test_results_of_a_batch_form_are_those_of_the_table() -> None:
    batch = trajectory_batch([_attempt("one"), _attempt("two")])
    metric = AnswerMetric()
    other = [metric.score(TASKS[0], _attempt("one", text)) for text in ("a b", "a")]
    for scored in (other, iter(other)):
        rows = _rows(score_batches([batch], tasks=TASKS, metrics=[_ByBatch(scored)]))
        assert [row["answer.parts.words.coverage"] for row in rows] == [1.0, 1 / 2]


def test_context_that_no_integer_holds_loses_its_row_alone() -> None:
    everything = [View(path=f"{n}.py", extent=Extent.LINES, start=1, end=2**62) for n in range(3)]
    few = [View(path="0.py", extent=Extent.LINES, start=1, end=3)]
    attempts = [
        Trajectory(task_id="one", turns=tuple(Turn(views=(view,)) for view in views))
        for views in (everything, few)
    ]
    tasks = [Task(id="one", gold_ranges=(GoldRange(path="0.py", first_line=1, last_line=6),))]
    rows = _rows(score_batches([trajectory_batch(attempts)], tasks=tasks, metrics=["context"]))
    assert [row["context.final.line.coverage"] for row in rows] == [None, 3 / 6]
    assert "exceeds the largest 64-bit integer" in rows[0]["context.error"]


class _ByTrialAndBatch(SpeedupMetric):
    """Compares attempts, and notes the rows of each batch before it fails."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def score_batch(self, tasks: Any, rows: pa.RecordBatch) -> Any:
        assert len(tasks) == len(rows)
        self.seen.append(rows.column("task_id").to_pylist())
        raise RuntimeError("no")


def test_a_batch_form_gets_whole_trials_and_leaves_them_to_records_if_it_fails() -> None:
    batch = trajectory_batch([Trajectory(task_id=task, agent="a") for task in "xxyyyz"])
    batches = [batch.slice(0, 1), batch.slice(1, 3), batch.slice(4)]
    metric = _ByTrialAndBatch()
    with pytest.warns(RuntimeWarning, match="^speedup could not score a batch at once"):
        failed = list(score_batches(batches, metrics=[metric]))
    assert metric.seen == [["x", "x"], ["y", "y", "y", "z"]]
    expected = list(score_batches(batches, metrics=["speedup"]))
    assert _rows(iter(failed)) == _rows(iter(expected))
    assert [len(table) for table in failed] == [len(table) for table in expected]


def test_a_task_that_is_cut_between_two_calls_is_refused() -> None:
    def batch(*tasks: str) -> pa.RecordBatch:
        return trajectory_batch([Trajectory(task_id=task, final_output="x") for task in tasks])

    scorer = BatchScorer([RankMetric()], tasks=[Task(id="b", aliases=("b2",))])
    assert sum(map(len, scorer.score([batch("a", "a"), batch("a", "b")]))) == 4
    assert sum(map(len, scorer.score([batch("c")]))) == 1
    for again in ("a", "b2"):
        with pytest.raises(InputError, match="an earlier call scored rows of the task"):
            list(scorer.score([batch("d"), batch(again)]))
    plain = BatchScorer(["turns"])
    for _ in range(2):
        assert sum(map(len, plain.score([batch("a")]))) == 1
