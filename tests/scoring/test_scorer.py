"""The scorer of a harness: its arguments, its summary, and figures by their names."""

from __future__ import annotations

import multiprocessing
import pickle
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest

import trajmeter
from trajmeter.errors import ConfigurationError, InputError, UnknownNameError
from trajmeter.metrics import RowLayout, create, score_trajectories
from trajmeter.records import (
    Cause,
    Extent,
    GoldRange,
    Measurement,
    Measurements,
    Outcome,
    Task,
    ToolCall,
    Trajectory,
    Turn,
    View,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trajmeter.metrics import Scored

TASK = Task(
    id="t",
    gold_ranges=(
        GoldRange(path="a.py", first_line=1, last_line=4),
        GoldRange(path="b.py", first_line=3, last_line=5),
    ),
    expected_tool_calls=(ToolCall(name="read", arguments={"path": "a"}), ToolCall(name="stop")),
)
FAMILIES = ["context", "tools", "turns", "rules"]
SCORER = trajmeter.Scorer(FAMILIES, tasks=[TASK])
SEEN = Trajectory(
    task_id="t",
    turns=(
        Turn(
            tool_calls=(ToolCall(name="read", arguments={"path": "b"}),),
            views=(View(path="a.py", extent=Extent.LINES, start=1, end=2),),
        ),
    ),
)


def test_a_scorer_and_a_session_are_shown_in_one_short_line() -> None:
    assert repr(SCORER) == "<Scorer: context, tools, turns, rules; 1 task>"
    with SCORER.session("t") as session:
        assert repr(session) == "<Session: t; 0 turns>"
        session.turn()
        assert repr(session) == "<Session: t; 1 turn>"


def test_the_short_names_of_figures() -> None:
    scored = SCORER.score(SEEN)
    for short, column in {
        "tools.f1": "tools.any_order_grades.f1",
        "context.line.coverage": "context.final.line.coverage",
        "context.auc_coverage": "context.trajectory.line.auc_coverage",
        "rules.latency": "rules.latency.score",
        "turns.turn_count": "turns.run.turn_count",
    }.items():
        assert SCORER.figure(short).name == column
        assert scored.figure(short).value == scored.row()[column]
    assert list(scored.figures("context.final.line.[c]*", "tools.exact")) == [
        "context.final.line.coverage",
        "tools.exact",
    ]


def test_a_figure_says_why_it_has_its_value() -> None:
    scored = SCORER.score(SEEN)
    tools = scored.figure("tools.f1")
    assert (tools.value, tools.outcome, tools.counts) == (0.0, Outcome.SCORED, True)
    assert tools.reason == (
        "arguments read['path']: expected 'a', got 'b'\nmissing stop: it was not called"
    )
    assert scored.figure("tools.exact").passed is False
    context = scored.figure("context.line.coverage")
    assert context.reason == "covers 2 of 7 gold lines; 1 gold file never viewed"
    rule = scored.figure("rules.latency")
    assert (rule.value, rule.outcome, rule.passed) == (10.0, Outcome.ABSTAINED, True)
    assert rule.reason == "the task has no time budget"
    assert not rule.counts


def test_at_most_ten_mismatches_are_reported() -> None:
    wanted = tuple(ToolCall(name=f"tool {number}") for number in range(12))
    score = SCORER.score(SEEN, task=Task(id="t", expected_tool_calls=wanted)).figure("tools.f1")
    *lines, rest = (score.reason or "").splitlines()
    assert (len(lines), rest) == (10, "and 3 more")  # 12 that are missing, and the one that is not


@pytest.mark.parametrize(
    ("trajectory", "name", "outcome", "cause", "reason"),
    [
        (
            Trajectory(task_id="other", turns=()),
            "context.line.f1",
            Outcome.NOT_SCORED,
            Cause.MISSING_GOLD,
            "The task is unknown, or has no gold context.",
        ),
        (
            Trajectory(task_id="t"),
            "turns.repeated_tool_calls",
            Outcome.NOT_SCORED,
            Cause.MISSING_TURNS,
            "Turns were counted, but not recorded.",
        ),
        (
            Trajectory(task_id="t", turns=()),
            "turns.repeated_tool_calls",
            Outcome.ABSTAINED,
            None,
            "There is nothing to score.",
        ),
    ],
)
def test_a_figure_without_a_value_says_why(
    trajectory: Trajectory, name: str, outcome: Outcome, cause: Cause | None, reason: str
) -> None:
    found = SCORER.score(trajectory).figure(name)
    assert (found.value, found.outcome, found.cause) == (None, outcome, cause)
    assert found.reason == reason


def test_what_a_metric_raised_is_its_figures_reason() -> None:
    @trajmeter.metric
    def broken(task: Task | None, trajectory: Trajectory) -> float:
        raise ValueError("no")

    found = trajmeter.Scorer([broken]).score(SEEN).figure("broken.value")
    assert (found.value, found.cause) == (None, Cause.METRIC_ERROR)
    assert "ValueError: no" in (found.reason or "")


@pytest.mark.parametrize("name", ["tools.f2", "tools.outcome", "nothing"])
def test_an_unknown_figure_is_reported_before_anything_is_scored(name: str) -> None:
    with pytest.raises(UnknownNameError, match="no figure"):
        SCORER.figure(name)


def test_a_pattern_is_not_one_figure() -> None:
    with pytest.raises(UnknownNameError, match="stands for"):
        SCORER.figure("tools.any_order_grades.*")


def test_an_attempt_scored_without_columns_has_no_figures() -> None:
    (scored,) = score_trajectories([SEEN], metrics=create(["turns"]))
    with pytest.raises(InputError, match="no columns"):
        scored.figure("turns.turn_count")
    assert scored.layout is None
    assert RowLayout(create(["turns"])).figure("turns.turn_count").of(scored).value == 1


def test_a_task_may_come_with_its_attempt() -> None:
    scored = trajmeter.Scorer(["tools"]).score(SEEN, task=TASK)
    assert scored == trajmeter.Scorer(["tools"], tasks=[TASK]).score(SEEN)


def test_its_summary_is_that_of_all_its_attempts() -> None:
    attempts = [SEEN, Trajectory(task_id="t"), Trajectory(task_id="lost")]
    scorer = trajmeter.Scorer(FAMILIES, tasks=[TASK])
    scorer.score(attempts[0])
    list(scorer.score_all(attempts[1:]))
    offline = trajmeter.score(attempts, tasks=[TASK], metrics=FAMILIES)
    assert scorer.summary() == offline.summary
    assert scorer.summary().missing_tasks is not None


def _took(seconds: float) -> Measurements:
    return Measurements(seconds={"b": Measurement(value=seconds)})


def test_metrics_that_compare_attempts_see_them_together() -> None:
    attempts = [
        Trajectory(task_id="t", agent="oracle", measurements=_took(1.0)),
        Trajectory(task_id="t", agent="mine", measurements=_took(2.0)),
    ]
    scorer = trajmeter.Scorer(["speedup"])
    offline = trajmeter.score(attempts, metrics=["speedup"])
    assert [*scorer.score_all(attempts)] == offline.results
    assert scorer.summary() == offline.summary


def test_attempts_that_are_compared_may_run_in_sessions_of_the_same_scorer() -> None:
    scorer = trajmeter.Scorer(["speedup"])

    def run() -> Iterator[Trajectory]:
        for agent in ("oracle", "mine"):
            with scorer.session("t", agent=agent) as session:
                session.finish()
            yield Trajectory(task_id="t", agent=agent, measurements=_took(1.0))

    assert len([*scorer.score_all(run())]) == 2
    assert scorer.summary().overall.attempts == 4


def _scored_elsewhere(scorer: trajmeter.Scorer) -> Scored:
    return scorer.score(SEEN)


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # as other threads run
def test_it_goes_to_other_processes_as_its_arguments(method: str) -> None:
    again = pickle.loads(pickle.dumps(SCORER))  # noqa: S301 - our own
    assert again.score(SEEN) == SCORER.score(SEEN)
    assert again.summary().overall.attempts == 1
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply(_scored_elsewhere, (SCORER,)) == SCORER.score(SEEN)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no forks")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # as other threads run
def test_a_forked_process_can_score_whatever_threads_were_doing() -> None:
    scorer = trajmeter.Scorer("turns")
    with scorer._lock:  # noqa: SLF001 - as a thread that counts an attempt holds it
        child = multiprocessing.get_context("fork").Process(target=scorer.score, args=(SEEN,))
        child.start()
    child.join(60)
    assert child.exitcode == 0
    assert scorer.summary().overall.attempts == 0


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no forks")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # as other threads run
def test_a_forked_process_can_score_while_a_thread_reads_snapshots() -> None:
    is_reading, may_go_on = Event(), Event()

    class Slow:
        def find(self, task: Task) -> None:
            del task
            is_reading.set()
            may_go_on.wait()

    scorer = trajmeter.Scorer("context", tasks=[TASK], snapshots=Slow())
    thread = Thread(target=scorer.score, args=(SEEN,))
    thread.start()
    is_reading.wait()

    def score() -> None:
        may_go_on.set()
        scorer.score(SEEN)

    child = multiprocessing.get_context("fork").Process(target=score)
    child.start()
    child.join(60)
    may_go_on.set()
    thread.join()
    assert child.exitcode == 0


def test_options_are_checked_when_it_is_made() -> None:
    with pytest.raises(UnknownNameError, match="contxt"):
        trajmeter.Scorer(["contxt"])
    with pytest.raises(ConfigurationError, match="two different tasks"):
        trajmeter.Scorer(["tools"], tasks=[TASK, Task(id="t")])
    wrong: list[object] = [3]
    with pytest.raises(InputError, match=r"tasks\[0\]"):
        trajmeter.Scorer(["tools"], tasks=wrong)  # type: ignore[arg-type]  # on purpose
    with pytest.raises(InputError, match="trajectory is None"):
        SCORER.score(None)  # type: ignore[arg-type]  # on purpose


WRONG: list[tuple[str, Callable[[], object]]] = [
    ("metrics is None, expected a list", lambda: trajmeter.Scorer(None)),  # type: ignore[arg-type]  # on purpose
    ("metrics is 3, expected a list", lambda: trajmeter.Scorer(3)),  # type: ignore[arg-type]  # on purpose
    ("profiles is None", lambda: trajmeter.Scorer("turns", profiles=None)),  # type: ignore[arg-type]  # on purpose
    ("judge is 3, expected a function", lambda: trajmeter.Scorer("rules", judge=3)),  # type: ignore[arg-type]  # on purpose
    (r"name is 3 \(int\), expected text", lambda: SCORER.figure(3)),  # type: ignore[arg-type]  # on purpose
    (r"name is \[\] \(list\), expected text", lambda: SCORER.figure([])),  # type: ignore[arg-type]  # on purpose
    ("name is None", lambda: SCORER.score(SEEN).figure(None)),  # type: ignore[arg-type]  # on purpose
    ("pattern is 3", lambda: SCORER.score(SEEN).figures("tools.f1", 3)),  # type: ignore[arg-type]  # on purpose
    ("trajectories is 3", lambda: [*SCORER.score_all(3)]),  # type: ignore[arg-type]  # on purpose
    ("trajectories is Trajectory", lambda: [*SCORER.score_all(SEEN)]),  # type: ignore[arg-type]  # on purpose
    ("views is 3 .*expected a ToolViews", lambda: SCORER.session("t", views=3)),  # type: ignore[arg-type]  # on purpose
]


@pytest.mark.parametrize(("message", "call"), WRONG, ids=[message for message, _ in WRONG])
def test_arguments_of_the_wrong_type_are_named(message: str, call: Callable[[], object]) -> None:
    with pytest.raises((InputError, ConfigurationError), match=message):
        call()
