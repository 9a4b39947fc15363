"""Files scored in columns give what their records give: rows, results, summary and problems."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import trajmeter
from tests.metrics.fakes import AnswerMetric, RankMetric
from tests.scoring.strategies import any_trajectories
from trajmeter.metrics import Result, describe, metric, registry
from trajmeter.metrics.turns.result import TurnsResult
from trajmeter.readers import read_tasks, read_trajectories
from trajmeter.records import (
    Cause,
    Extent,
    GoldRange,
    Outcome,
    ReadProblem,
    Task,
    Trajectory,
    Turn,
    View,
)
from trajmeter.scoring.batches import BatchScorer
from trajmeter.scoring.rows import Rows
from trajmeter.scoring.trials import arrange
from trajmeter.snapshots import open_snapshots

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.scoring.files import Scores

FOLDER = Path(__file__).parents[2] / "examples"
FAMILIES = tuple(registry.BUILT_IN)
PROFILES = tuple(profile for name in FAMILIES for profile in describe(name).profiles)


@metric
def words(task: Task | None, trajectory: Trajectory) -> int | None:
    """A metric of a user's, which sees records."""
    if trajectory.final_output == "boom":
        raise ValueError("it went off")
    output = trajectory.final_output
    return None if output is None else len(output.split()) + len(trajectory.extra)


def _both(
    paths: Path | Sequence[Path],
    *,
    metrics: Sequence[Any] = (*FAMILIES, words),
    profiles: Sequence[str] = (),
    **references: Any,
) -> tuple[Scores, Scores, list[ReadProblem], list[ReadProblem]]:
    """Scores of the records of files, those of the files, and the problems of both."""
    of_records: list[ReadProblem] = []
    of_files: list[ReadProblem] = []
    options = {"metrics": metrics, "profiles": profiles, **references}
    attempts = [*read_trajectories(paths, profiles=profiles, on_problem=of_records.append)]
    by_record = trajmeter.score(attempts, **options)
    by_column = trajmeter.score(paths, on_problem=of_files.append, **options)
    return by_record, by_column, of_records, of_files


def _assert_equal(paths: Path | Sequence[Path], **options: Any) -> Scores:
    by_record, by_column, of_records, of_files = _both(paths, **options)
    assert of_files == of_records
    # As text, in which the order of keys counts, as it does in a file.
    assert [*map(repr, by_column.rows)] == [*map(repr, by_record.rows)]
    assert by_column.summary == by_record.summary
    assert len(by_column) == len(by_record)
    assert [each.trajectory for each in by_column.results] == [
        each.trajectory for each in by_record.results
    ]
    assert [each.results for each in by_column.results] == [
        each.results for each in by_record.results
    ]
    return by_column


EXAMPLES: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "context": (
        ("context/predictions.jsonl",),
        {"tasks": "context/gold.jsonl", "snapshots": "context/snapshots.jsonl"},
    ),
    "runs": (("runs/runs.jsonl",), {"tasks": "runs/tasks.jsonl"}),
    "rules": (("rules/results.json",), {"tasks": "rules/cases.json"}),
    "speedup": (("speedup/june",), {}),
    "all": (
        ("speedup/june", "runs/runs.jsonl", "rules/results.json"),
        {"tasks": "runs/tasks.jsonl"},
    ),
}


@pytest.mark.parametrize("profiles", [(), PROFILES], ids=["default", "profiles"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example(name: str, profiles: Sequence[str]) -> None:
    files, options = EXAMPLES[name]
    references = {key: FOLDER / value for key, value in options.items()}
    scores = _assert_equal([FOLDER / file for file in files], profiles=profiles, **references)
    assert len(scores)


@pytest.mark.parametrize("profiles", [(), PROFILES], ids=["default", "profiles"])
def test_published_predictions_and_runs(reference_data: Path, profiles: Sequence[str]) -> None:
    folder = reference_data / "contextbench"
    logs = (reference_data / "minisweagent").glob("*.traj.json")
    files = [*sorted(folder.glob("preds-*.jsonl")), *sorted(logs)]
    scores = _assert_equal(
        files,
        profiles=profiles,
        tasks=[*read_tasks(folder / "gold.jsonl")],
        snapshots=open_snapshots(folder / "snapshots.jsonl"),
    )
    assert len(scores) > 50


_BROKEN = st.sampled_from(
    [
        "{",
        "[]",
        '"text"',
        "null",
        "",
        '{"task_id": 3}',
        '{"task_id": "a", "turns": 1}',
        '{"task_id": "a", "usage": {"input_tokens": 1e400}}',
        '{"task_id": "a", "task_id": "b"}',
        '{"task_id": "\\ud800"}',
        '{"instance_id": "a", "model_patch": "not a diff"}',
        '{"task_id": "b", "final_output": "boom"}',
    ]
)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
)
@given(
    attempts=st.lists(any_trajectories, max_size=6),
    broken=st.lists(st.tuples(st.integers(0, 6), _BROKEN), max_size=3),
    profiles=st.sampled_from([(), PROFILES]),
)
def test_lines_of_any_kind(
    attempts: list[Trajectory],
    broken: list[tuple[int, str]],
    profiles: Sequence[str],
    tmp_path: Path,
) -> None:
    lines = [attempt.model_dump_json(exclude_none=True) for attempt in attempts]
    for place, line in broken:
        lines.insert(place, line)
    file = tmp_path / "runs.jsonl"
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    _assert_equal(file, profiles=profiles, tasks=[Task(id="a"), Task(id="b", expected_answer="x")])


def test_what_a_metric_raises_is_the_same_text_whatever_it_holds(tmp_path: Path) -> None:
    @metric
    def failing(task: Task | None, trajectory: Trajectory) -> int:
        raise ValueError("half \ud800 of it")

    scores = _assert_equal(_write(tmp_path / "runs.jsonl", "a"), metrics=[failing])
    assert "half \\ud800 of it" in str(scores.rows[0]["failing.error"])
    assert "half \\ud800 of it" in scores.summary.errors[0].message


@pytest.mark.filterwarnings("error")
def test_an_attempt_with_huge_sizes_costs_the_others_of_its_batch_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def attempt(*sizes: int) -> Trajectory:
        views = [View(path="a.py", extent=Extent.LINES, start=1, end=size) for size in sizes]
        return Trajectory(task_id="a", turns=tuple(Turn(views=(view,)) for view in views))

    attempts = [attempt(3), attempt(2, 5)] * 50
    attempts[70] = attempt(2**62, 2**62)
    file = tmp_path / "runs.jsonl"
    file.write_text("".join(each.model_dump_json() + "\n" for each in attempts))
    by_record: list[int] = []
    records = Rows.records

    def noted(rows: Rows) -> Iterator[Trajectory]:
        by_record.append(len(rows))
        return records(rows)

    monkeypatch.setattr(Rows, "records", noted)
    gold = GoldRange(path="a.py", first_line=1, last_line=5)
    options: dict[str, Any] = {"tasks": [Task(id="a", gold_ranges=(gold,))], "metrics": ["context"]}
    scores = _assert_equal(file, **options)
    errors = [row["context.error"] for row in scores.rows]
    assert [at for at, error in enumerate(errors) if error] == [70]
    assert "exceeds the largest 64-bit integer" in str(errors[70])
    assert by_record == [13, 100]  # half of half of half of the rows; all for the typed results


def _write(path: Path, ids: str) -> Path:
    records = (Trajectory(task_id=name, final_output=name * at) for at, name in enumerate(ids))
    path.write_text("".join(record.model_dump_json() + "\n" for record in records))
    return path


def test_attempts_that_are_compared_keep_their_order(tmp_path: Path) -> None:
    file = _write(tmp_path / "runs.jsonl", "abacabba")
    scores = _assert_equal(file, metrics=[RankMetric(), AnswerMetric(), "speedup", "turns"])
    assert [row["task_id"] for row in scores.rows] == [*"abacabba"]


@given(ids=st.text("abcd", max_size=40), size=st.integers(1, 7), piece=st.integers(1, 9))
def test_rows_come_back_to_their_places(ids: str, size: int, piece: int) -> None:
    import pyarrow as pa

    from trajmeter.schemas import trajectory_batch
    from trajmeter.scoring import trials

    whole = trajectory_batch(
        Trajectory(task_id=name, attempt=str(at)) for at, name in enumerate(ids)
    )
    cut = [Rows(0, whole.slice(start, size)) for start in range(0, len(ids), size)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trials, "_PIECE", piece)
        arranged = arrange(iter(cut), str)
        batches = [rows.batch for rows in arranged.rows]
        together = [name for batch in batches for name in batch.column("task_id").to_pylist()]
        firsts = [*dict.fromkeys(ids)]
        assert together == sorted(ids, key=firsts.index)
        restored = arranged.restored(batches)
    assert pa.Table.from_batches(restored, whole.schema).equals(pa.Table.from_batches([whole]))


def test_a_metric_without_a_batch_form_reads_every_column_and_others_their_own() -> None:
    assert "final_output" in BatchScorer([words]).columns
    assert "task_id" in BatchScorer(["turns"]).columns


def test_results_are_made_when_they_are_asked_for(tmp_path: Path) -> None:
    file = _write(tmp_path / "runs.jsonl", "ab")
    scores = trajmeter.score(file, metrics=["turns", words])
    assert scores.results is scores.results
    assert [each["words.value"] for each in scores.rows] == [0, 1]
    assert json.loads(scores.results[1].trajectory.model_dump_json())["final_output"] == "b"


class Named(Result):
    label: str
    parts: tuple[str, ...] = ()


@dataclass(eq=True)
class Labelled:
    """A metric without a number, and equal to any other of its class."""

    name: str = field(compare=False)
    version: str = "1"
    requires: tuple[str, ...] = ()

    @property
    def parameters(self) -> dict[str, Any]:
        return {}

    @property
    def result_type(self) -> type[Named]:
        return Named

    def score(self, task: Task | None, trajectory: Trajectory) -> Named:
        del task, trajectory
        return Named(label=self.name)


def test_metrics_without_a_number_and_equal_ones(tmp_path: Path) -> None:
    file = _write(tmp_path / "runs.jsonl", "ab")
    scores = _assert_equal(file, metrics=[Labelled("one"), Labelled("two")])
    assert scores.rows[1]["two.label"] == "two"
    assert scores.summary.overall.figures == {}


def test_groups_that_were_not_asked_for_are_not_scored(tmp_path: Path) -> None:
    scores = trajmeter.score(_write(tmp_path / "runs.jsonl", "a"), metrics=["turns.tokens"])
    ((turns,),) = [each.results for each in scores.results]
    assert isinstance(turns, TurnsResult)
    assert (turns.outcome, turns.tokens.outcome) == (Outcome.NOT_SCORED, Outcome.NOT_SCORED)
    assert (turns.cause, turns.tokens.cause) == (None, Cause.MISSING_USAGE)
