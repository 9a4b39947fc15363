from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import pytest

import trajmeter
from tests.metrics.fakes import AnswerMetric, AnswerResult, RankMetric
from trajmeter.errors import ConfigurationError, ReadError, UnknownNameError
from trajmeter.metrics import Figure, Group, Result, create
from trajmeter.metrics.rules import RulesResult
from trajmeter.records import Assertion, ReadProblem, Task, Trajectory, Verdict
from trajmeter.schemas import trajectory_batch

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.scoring.scores import Scores

TASK = Task(id="one", expected_answer="a b")
ATTEMPTS = [Trajectory(task_id="one", final_output="a"), Trajectory(task_id="two")]


class _RatioResult(Group, Result):
    value: Annotated[float | None, Figure(numerator=("x",), denominator=("x",))] = None


def _write(path: Path, *records: Task | Trajectory, extra: str = "") -> Path:
    lines = [record.model_dump_json(exclude_none=True) + "\n" for record in records]
    path.write_text("".join(lines) + extra)
    return path


def test_records_in_typed_results_rows_and_summary_out() -> None:
    scores = trajmeter.score(ATTEMPTS, tasks=[TASK], metrics=[AnswerMetric(), RankMetric()])
    (first, rank), _ = (scored.results for scored in scores.results)
    assert isinstance(first, AnswerResult)
    assert first.parts.words.coverage == 1 / 2
    assert [row["answer.parts.words.coverage"] for row in scores.rows] == [1 / 2, None]
    assert scores.summary.overall.figures["answer.parts.words.coverage"].scored == 1
    assert rank == scores.results[1].results[1]


def test_scores_are_shown_in_one_short_line() -> None:
    scores = trajmeter.score(ATTEMPTS * 700, tasks=[TASK], metrics=[AnswerMetric(), "turns"])
    assert repr(scores) == "<Scores: 1,400 attempts; answer, turns>"
    scores = trajmeter.score(ATTEMPTS[:1], metrics=["turns"])
    assert repr(scores) == "<Scores: 1 attempt; turns>"


def test_a_notebook_shows_the_tables_of_the_summary() -> None:
    hostile = "<script>\u202e"
    attempts = [Trajectory(task_id="one", agent=agent, turn_count=3) for agent in (hostile, "b")]
    shown = trajmeter.score(attempts, metrics=["turns"])._repr_html_()
    assert "2 attempts · turns (version " in shown
    assert "<table><thead><tr><th" in shown
    assert "&lt;script&gt;\\u202e" in shown
    assert "<script>" not in shown


def test_files_and_records_give_the_same(tmp_path: Path) -> None:
    attempts = _write(tmp_path / "preds.jsonl", *ATTEMPTS)
    tasks = _write(tmp_path / "gold.jsonl", TASK)
    of_records = trajmeter.score(ATTEMPTS, tasks=[TASK], metrics=[AnswerMetric()])
    for given in (attempts, str(attempts), [attempts]):
        of_files = trajmeter.score(given, tasks=tasks, metrics=[AnswerMetric()])
        figures = of_files.summary.overall.figures
        assert figures == of_records.summary.overall.figures
    both = trajmeter.score([attempts, *ATTEMPTS], tasks=[tasks], metrics=[AnswerMetric()])
    assert len(both.results) == 4


def test_context_is_scored_by_default() -> None:
    rows = trajmeter.score(ATTEMPTS).rows
    assert "context.final.file.coverage" in rows[0]
    assert rows[0]["context.final.file.cause"] == "missing_gold"


@pytest.mark.parametrize("metric", ["rules", "tools", "answers"])
def test_an_attempt_whose_task_is_not_found_is_neither_scored_nor_passed(metric: str) -> None:
    scores = trajmeter.score([ATTEMPTS[1]], tasks=[TASK], metrics=[metric])
    (row,) = scores.rows
    causes = {name: value for name, value in row.items() if name.endswith(".cause")}
    assert set(causes.values()) - {"missing_transcript"} == {"missing_task"}
    assert [name for name, value in row.items() if name.endswith(".passed") and value] == []


def test_the_summary_counts_attempts_without_a_task_and_names_the_nearest() -> None:
    tasks = [Task(id="Django-101"), Task(id="flask-7")]
    attempts = [Trajectory(task_id=name) for name in ("django-101", "flask-7", "zzz", "django-101")]
    missing = trajmeter.score(attempts, tasks=tasks, metrics=["rules"]).summary.missing_tasks
    assert missing is not None
    assert missing.model_dump() == {
        "attempts": 3,
        "nearest": {"django-101": "Django-101", "zzz": None},
        "known": 2,
    }


def test_a_metric_that_needs_no_task_misses_none() -> None:
    assert trajmeter.score(ATTEMPTS, metrics=["turns"]).summary.missing_tasks is None


def test_a_profile_goes_to_its_metric() -> None:
    (row, _) = trajmeter.score(ATTEMPTS, metrics=["turns"], profiles=["ptcrunner"]).rows
    assert json.loads(row["turns.parameters"])["profile"] == "ptcrunner"


def test_what_cannot_be_read_raises_or_is_reported(tmp_path: Path) -> None:
    preds = _write(tmp_path / "preds.jsonl", *ATTEMPTS, extra="{\n")
    with pytest.raises(ReadError, match=r"preds\.jsonl:3"):
        trajmeter.score(preds, metrics=[RankMetric()])
    problems: list[ReadProblem] = []
    scores = trajmeter.score(preds, metrics=[RankMetric()], on_problem=problems.append)
    assert [problem.line for problem in problems] == [3]
    assert len(scores.rows) == 2


def test_wrong_names_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'context'"):
        trajmeter.score([], metrics=["contexts"])
    with pytest.raises(ConfigurationError, match="is requested twice"):
        trajmeter.score([], metrics=[RankMetric(), RankMetric()])


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_rows_are_written(tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"scores.{suffix}"
    trajmeter.score(ATTEMPTS, tasks=[TASK], metrics=[AnswerMetric()]).write(target)
    assert target.stat().st_size > 0


RULED = Task(
    id="one",
    metadata={"expected_tools": ["open"]},
    assertions=(Assertion(name="kind", type="judged", check="Was it kind?"),),
)


def _figure_groups(row: dict[str, object]) -> set[str]:
    return {name.rpartition(".")[0] for name in row if name.endswith(".outcome")}


@pytest.mark.parametrize(
    ("metrics", "groups"),
    [
        (["tool_usage"], {"rules.tool_usage"}),
        (["rules.tool_usage", "latency"], {"rules.tool_usage", "rules.latency"}),
        (["turns.tokens", "tool_usage"], {"turns.tokens", "rules.tool_usage"}),
        (["context.trajectory.span"], {"context.trajectory.span"}),
        (
            ["context.final"],
            {f"context.final.{name}" for name in ("file", "symbol", "span", "line")},
        ),
    ],
)
def test_rules_and_groups_are_chosen_by_name_on_both_paths(
    metrics: list[str], groups: set[str]
) -> None:
    scores = trajmeter.score(ATTEMPTS, tasks=[RULED], metrics=metrics)
    assert [_figure_groups(row) for row in scores.rows] == [groups, groups]
    assert {name.rpartition(".")[0] for name in scores.summary.overall.figures} <= groups | {
        "context.trajectory"
    }
    whole = trajmeter.score(ATTEMPTS, tasks=[RULED], metrics=["rules", "turns", "context"]).rows
    expected = [{name: every[name] for name in scores.layout.names} for every in whole]
    assert scores.rows == expected
    (batch,) = trajmeter.score_batches([trajectory_batch(ATTEMPTS)], tasks=[RULED], metrics=metrics)
    assert batch.schema.names == list(scores.layout.names)
    scalars = [column.name for column in scores.layout.columns if column.shape.is_scalar]
    for name in scalars:
        assert batch[name].to_pylist() == [row[name] for row in scores.rows]


def test_rules_that_are_not_asked_for_are_not_applied() -> None:
    def judge(*_: object) -> list[Verdict]:
        raise AssertionError("the judge was asked")

    (metric,) = create(["tool_usage"], judge=judge)
    scores = trajmeter.score(ATTEMPTS[:1], tasks=[RULED], metrics=[metric])
    (result,) = scores.results[0].results
    assert isinstance(result, RulesResult)
    assert (result.llm_judge.cause, result.llm_judge.score) == (None, None)
    assert scores.summary.overall.aggregates["rules"].keys() == {"tool_usage"}
    assert scores.summary.metrics[0].headlines == {"tool_usage.mean": "tool_usage"}


def test_figures_of_a_run_that_belong_to_no_chosen_group_are_left_out() -> None:
    summary = trajmeter.score(ATTEMPTS, metrics=["turns.tokens"]).summary
    assert summary.overall.aggregates == {}
    assert "turns.tokens" in {name.rpartition(".")[0] for name in summary.overall.figures}


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        (["context.fnal"], "unknown group of context 'fnal'; did you mean 'final'"),
        (["tool_use"], "unknown metric 'tool_use'; did you mean 'tool_usage'"),
        (["rules", "tool_usage"], "metric 'rules.tool_usage' is requested twice"),
        (["tool_usage", "rules.tool_usage"], "metric 'rules.tool_usage' is requested twice"),
        (["latency", "rules"], "metric 'rules' is requested twice"),
    ],
)
def test_names_of_groups_are_checked(metrics: list[str], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        trajmeter.score([], metrics=metrics)


def test_one_attempt_after_another_is_scored_by_the_same_columns() -> None:
    def scored() -> Scores:
        return trajmeter.score([Trajectory(task_id="a")], metrics=["turns", "rules"])

    first, second = scored(), scored()
    assert first.layout.columns == second.layout.columns
    # They take milliseconds to derive, far more than one attempt takes.
    for one, other in zip(first.layout.families, second.layout.families, strict=True):
        assert one.groups is other.groups
    assert first.rows == second.rows
    assert first.summary == second.summary
    assert first.summary is first.summary


def test_what_cannot_be_summed_up_is_refused_before_the_summary_is_asked_for() -> None:
    metric: Any = AnswerMetric()
    metric.result_type = _RatioResult
    with pytest.raises(ConfigurationError, match=r"micro average of answer\.value needs answer\.x"):
        trajmeter.score([Trajectory(task_id="a")], metrics=[metric])
