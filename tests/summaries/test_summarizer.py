from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import trajmeter
from tests.metrics.fakes import COVERAGE, AnswerAggregator, AnswerMetric, RankMetric
from trajmeter.errors import ConfigurationError
from trajmeter.metrics import Figure, Group, Result, RowLayout, score_trajectories
from trajmeter.metrics.rules import RulesMetric
from trajmeter.metrics.speedup import SpeedupMetric
from trajmeter.metrics.turns import TurnsMetric
from trajmeter.records import Cause, Outcome, Source, Task, Trajectory
from trajmeter.reports.scores import score_report, to_markdown
from trajmeter.summaries.summarizer import Summarizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pydantic import JsonValue

    from trajmeter.metrics import AnyMetric
    from trajmeter.summaries.summary import FigureSummary, Summary

TASKS = (
    Task(id="one", expected_answer="a b"),
    Task(id="two", expected_answer="c"),
    Task(id="none", expected_answer=""),
)


class RatioResult(Group, Result):
    coverage: Annotated[float | None, COVERAGE] = None
    hits: int | None = None
    wanted: int | None = None
    passed: bool | None = None
    words: tuple[str, ...] = ()


class Replay:
    """Gives the results it was made with, one after the other."""

    name = "ratio"
    version = "1"
    requires = ()
    parameters: Mapping[str, JsonValue] = {"profile": "plain"}
    result_type = RatioResult

    def __init__(self, results: Iterable[RatioResult]) -> None:
        self._results = iter(results)

    def score(self, task: Task | None, trajectory: Trajectory) -> RatioResult:
        return next(self._results)


def _summarize(
    metrics: Sequence[AnyMetric], attempts: Iterable[Trajectory], tasks: Iterable[Task] = ()
) -> Summary:
    layout = RowLayout(metrics)
    summarizer = Summarizer(layout)
    for scored in score_trajectories(attempts, metrics=metrics, tasks=tasks):
        summarizer.add(scored, layout.values(scored))
    return summarizer.summary()


def _replay(results: Sequence[RatioResult]) -> Summary:
    return _summarize([Replay(results)], [Trajectory(task_id="t")] * len(results))


def test_macro_counts_attempts_alike_and_micro_weighs_them_by_their_counts() -> None:
    summary = _replay(
        [
            RatioResult(coverage=1 / 2, hits=1, wanted=2, passed=True),
            RatioResult(coverage=3 / 4, hits=6, wanted=8, passed=False),
        ]
    )
    coverage = summary.overall.figures["ratio.coverage"]
    assert coverage.macro == (1 / 2 + 3 / 4) / 2
    assert coverage.micro == (1 + 6) / (2 + 8)
    assert (coverage.scored, coverage.total) == (2, 2)
    assert coverage.higher_is_better is True
    passed = summary.overall.figures["ratio.passed"]
    assert (passed.macro, passed.micro, passed.sum) == (0.5, None, 1)
    assert summary.overall.figures["ratio.hits"].sum == 7
    assert list(summary.overall.figures) == [
        "ratio.coverage",
        "ratio.hits",
        "ratio.wanted",
        "ratio.passed",
    ]


def test_what_is_not_in_the_mean_is_counted_by_what_became_of_it() -> None:
    missing = RatioResult(outcome=Outcome.NOT_SCORED, cause=Cause.MISSING_GOLD)
    refused = RatioResult(outcome=Outcome.ASSIGNED, cause=Cause.NOT_A_DIFF, coverage=0.0)
    summary = _replay(
        [
            RatioResult(coverage=1.0, hits=3, wanted=3),
            RatioResult(),  # scored, but without this figure
            RatioResult(outcome=Outcome.ABSTAINED, hits=9, wanted=9),
            missing,
            missing,
            refused,
        ]
    )
    coverage = summary.overall.figures["ratio.coverage"]
    assert (coverage.scored, coverage.total, coverage.abstained) == (2, 6, 2)
    assert coverage.not_scored == {"missing_gold": 2}
    assert coverage.assigned == {"not_a_diff": 1}
    assert coverage.macro == (1.0 + 0.0) / 2
    assert coverage.micro == 3 / 3  # the abstained group's counts stay out
    hits = summary.overall.figures["ratio.hits"]
    assert (hits.scored, hits.abstained, hits.assigned) == (1, 3, {})


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_no_finite_number_never_enters_a_mean(value: float) -> None:
    summary = _replay([RatioResult(coverage=value), RatioResult(coverage=0.25)])
    coverage = summary.overall.figures["ratio.coverage"]
    assert coverage.macro == 0.25
    assert coverage.not_scored == {"non_finite": 1}
    assert (coverage.scored, coverage.total) == (1, 2)


def test_infinities_of_both_signs_cancel_nothing() -> None:
    summary = _replay([RatioResult(coverage=x) for x in (math.inf, -math.inf, 0.25)])
    coverage = summary.overall.figures["ratio.coverage"]
    assert (coverage.macro, coverage.not_scored) == (0.25, {"non_finite": 2})


@pytest.mark.parametrize("sizes", [(3, -3), (3, -7)])
def test_sizes_that_add_up_to_no_more_than_zero_have_no_micro_average(
    sizes: tuple[int, int],
) -> None:
    results = [RatioResult(coverage=1.0, hits=1, wanted=size, passed=True) for size in sizes]
    coverage = _replay(results).overall.figures["ratio.coverage"]
    assert (coverage.macro, coverage.micro) == (1.0, None)


def test_a_row_without_one_of_its_counts_stays_out_of_the_micro_average() -> None:
    summary = _replay(
        [
            RatioResult(coverage=0.5, hits=1, wanted=2),
            RatioResult(coverage=0.5, hits=None, wanted=1000),
        ]
    )
    coverage = summary.overall.figures["ratio.coverage"]
    assert (coverage.macro, coverage.micro) == (0.5, 1 / 2)


def test_no_attempts_give_no_means() -> None:
    coverage = _replay([]).overall.figures["ratio.coverage"]
    assert (coverage.macro, coverage.micro, coverage.sum) == (None, None, None)
    assert (coverage.scored, coverage.total) == (0, 0)


_FINITE = st.floats(-1e9, 1e9)
_RESULTS = st.builds(
    RatioResult,
    outcome=st.sampled_from(Outcome),
    cause=st.sampled_from([None, Cause.FAILED, Cause.MISSING_GOLD]),
    coverage=st.none() | _FINITE,
    hits=st.none() | st.integers(0, 10**18),
    wanted=st.none() | st.integers(0, 10**18),
)


@given(st.lists(_RESULTS, max_size=60), st.integers(1, 40))
def test_averages_are_those_of_the_definition(results: list[RatioResult], repeat: int) -> None:
    results *= repeat  # more than one batch of rows
    coverage = _replay(results).overall.figures["ratio.coverage"]
    usable = [r for r in results if r.outcome in (Outcome.SCORED, Outcome.ASSIGNED)]
    values = [r.coverage for r in usable if r.coverage is not None]
    counts = [(r.hits, r.wanted) for r in usable if r.hits is not None and r.wanted is not None]
    wanted = sum(wanted for _, wanted in counts)
    if values:
        assert coverage.macro == pytest.approx(math.fsum(values) / len(values), rel=1e-12)
    else:
        assert coverage.macro is None
    assert coverage.micro == (sum(hits for hits, _ in counts) / wanted if wanted else None)
    assert coverage.scored == len(values)
    assert coverage.scored + coverage.abstained + sum(coverage.not_scored.values()) == len(results)
    assert coverage.total == len(results)


@given(st.lists(st.tuples(st.sampled_from(["x", "y", None]), _RESULTS), max_size=30))
def test_groups_add_up_to_the_whole(attempts: list[tuple[str | None, RatioResult]]) -> None:
    summary = _summarize(
        [Replay([result for _, result in attempts])],
        [Trajectory(task_id="t", agent=agent) for agent, _ in attempts],
    )
    assert len(summary.groups) == len({agent for agent, _ in attempts})

    def total(pick: str) -> int:
        return sum(getattr(group.figures["ratio.coverage"], pick) for group in summary.groups)

    whole: FigureSummary = summary.overall.figures["ratio.coverage"]
    assert (total("scored"), total("total")) == (whole.scored, whole.total)
    assert total("abstained") == whole.abstained
    assert summary.overall.attempts == sum(group.attempts for group in summary.groups)


def test_attempts_are_grouped_by_agent_and_model_or_else_by_file() -> None:
    def attempt(file: str, agent: str | None = None, model: str | None = None) -> Trajectory:
        return Trajectory(task_id="one", agent=agent, model=model, source=Source(file=file))

    summary = _summarize(
        [AnswerMetric()],
        [
            attempt("a.jsonl", "crab", "m1"),
            attempt("b.jsonl", "crab", "m1"),
            attempt("b.jsonl", "crab", "m2"),
            attempt("b.jsonl", model="m2"),
            attempt("b.jsonl"),
            attempt("b.jsonl"),
        ],
    )
    groups = [(g.agent, g.model, g.source, g.attempts) for g in summary.groups]
    assert groups == [
        ("crab", "m1", None, 2),
        ("crab", "m2", None, 1),
        (None, "m2", None, 1),
        (None, None, "b.jsonl", 2),
    ]
    assert summary.overall.attempts == 6


def test_errors_of_metrics_are_counted_by_message() -> None:
    attempts = [Trajectory(task_id="one", final_output="boom")] * 3
    summary = _summarize([RankMetric(), AnswerMetric()], attempts, TASKS)
    (error,) = summary.errors
    assert (error.metric, error.attempts) == ("answer", 3)
    assert error.message.startswith("RuntimeError: it went off")
    coverage = summary.overall.figures["answer.parts.words.coverage"]
    assert (coverage.not_scored, coverage.total) == ({"metric_error": 3}, 3)
    assert summary.overall.figures["rank.rank"].scored == 3


def test_a_family_adds_figures_of_the_run_for_each_agent() -> None:
    attempts = [
        Trajectory(task_id="one", agent="x", final_output="aaaa"),
        Trajectory(task_id="two", agent="x", final_output="aa"),
        Trajectory(task_id="two", agent="y", final_output="a"),
        Trajectory(task_id="two", agent="y", final_output="boom"),
    ]
    summary = _summarize([RankMetric(), AnswerMetric()], attempts, TASKS)
    means = [group.aggregates for group in summary.groups]
    x, y = (mean["answer"] for mean in means)
    assert x == {"longest": 4, "mean_length": {"value": (4 + 2) / 2, "scored": 2, "total": 2}}
    assert y == {"longest": 1, "mean_length": {"value": 1.0, "scored": 1, "total": 1}}
    assert summary.overall.aggregates["answer"]["longest"] == 4


_RUN_LEVEL: dict[str, tuple[Any, str]] = {
    "turns": (TurnsMetric, "budget_exhausted_rate"),
    "rules": (RulesMetric, "error_handling.mean"),
    "speedup": (SpeedupMetric, "mean_speedup"),
}


@pytest.mark.parametrize("family", sorted(_RUN_LEVEL))
def test_figures_of_the_run_count_attempts_whose_metric_raised(
    family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    metric, figure = _RUN_LEVEL[family]
    score = "score_trial" if family == "speedup" else "score"
    scored = getattr(metric, score)

    def raises_for_two(self: object, task: object, attempts: Any) -> Any:
        attempt = attempts[0] if family == "speedup" else attempts
        if attempt.task_id == "two":
            raise RuntimeError("it went off")
        return scored(self, task, attempts)

    monkeypatch.setattr(metric, score, raises_for_two)

    def total(attempts: list[Trajectory]) -> Any:
        found: Any = _summarize([metric()], attempts, TASKS).overall.aggregates[family]
        for name in figure.split("."):
            found = found[name]
        return found["total"]

    one, two = Trajectory(task_id="one"), Trajectory(task_id="two")
    assert [total([one]), total([two]), total([one, two]), total([two, two, one])] == [
        *(1, 1, 2),
        2 if family == "speedup" else 3,  # whose mean is over tasks
    ]


def test_no_figure_of_a_run_is_zero_where_every_attempt_raised() -> None:
    aggregator = TurnsMetric().aggregator()
    aggregator.add_error(None, Trajectory(task_id="one"))
    figures = aggregator.figures().model_dump()
    assert {mean["value"] for mean in figures.values()} == {None}


class _Failing(AnswerAggregator):
    """Raises at one of its methods."""

    def __init__(self, at: str) -> None:
        super().__init__()
        self._at = at

    def add(self, task: Task | None, trajectory: Trajectory, result: Result) -> None:
        if self._at == "add" and trajectory.agent == "y":
            raise SystemExit(3)
        super().add(task, trajectory, result)

    def figures(self) -> Any:
        if self._at == "figures":
            raise ZeroDivisionError("no attempts")
        return None if self._at == "nothing" else super().figures()


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ("making", "RuntimeError: cannot begin (test_summarizer.py:"),
        ("add", "SystemExit: 3 (test_summarizer.py:"),
        ("figures", "ZeroDivisionError: no attempts (test_summarizer.py:"),
        ("nothing", "gave a NoneType, expected a model"),
    ],
)
def test_a_family_whose_figures_of_the_run_fail_keeps_its_others(at: str, message: str) -> None:
    class Failing(AnswerMetric):
        def aggregator(self) -> AnswerAggregator:
            if at == "making":
                raise RuntimeError("cannot begin")
            return _Failing(at)

    attempts = [
        Trajectory(task_id="one", agent=agent, final_output="a") for agent in ("x", "y", "x")
    ]
    summary = _summarize([Failing()], attempts, TASKS)
    assert summary.overall.figures["answer.parts.words.coverage"].scored == 3
    assert [group.aggregates for group in (summary.overall, *summary.groups)] == [{}, {}, {}]
    (error,) = summary.errors
    assert error.message.startswith(f"no figures of the run: {message}")
    assert (error.metric, error.attempts) == ("answer", 3)
    assert message in to_markdown(score_report(summary)).replace("\\", "")


def test_an_interrupt_passes_through_the_figures_of_the_run() -> None:
    class Interrupted(AnswerMetric):
        def aggregator(self) -> AnswerAggregator:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _summarize([Interrupted()], [], TASKS)


def test_a_summary_tells_what_made_it() -> None:
    summary = _replay([])
    (metric,) = summary.metrics
    assert (metric.name, metric.version, metric.parameters) == ("ratio", "1", {"profile": "plain"})
    assert summary.backend in ("rust", "python")
    assert summary.trajmeter_version


def test_a_micro_average_of_an_unknown_count_is_refused() -> None:
    class Wrong(RatioResult):
        recall: Annotated[float | None, Figure(numerator=("hits",), denominator=("gold",))] = None

    class WrongMetric(Replay):
        result_type = Wrong

    with pytest.raises(ConfigurationError, match=r"ratio\.recall needs ratio\.gold, which"):
        Summarizer(RowLayout([WrongMetric([])]))


def test_a_figure_that_stands_has_the_outcome_of_its_group_only_where_it_is_missing() -> None:
    attempts = [
        Trajectory(task_id="counted", turn_count=2),
        Trajectory(task_id="passed", passed=True),
        Trajectory(task_id="bare"),
    ]
    scores = trajmeter.score(attempts, metrics="turns")
    passed = scores.summary.overall.figures["turns.run.passed"]
    assert (passed.scored, passed.abstained, passed.macro) == (1, 1, 1.0)
    assert passed.not_scored == {"missing_turns": 1}
    (group,) = trajmeter.summarize(scores.rows, figures="turns.run.passed", interval="none").groups
    (estimate,) = group.figures
    assert (estimate.n_scored, estimate.n_abstained) == (passed.scored, passed.abstained)
    assert estimate.not_scored == passed.not_scored
