"""Objects that threads share: scorers, sessions, trackers and sets of spans.

With the interpreter's lock, threads take turns as often as they can; without it they run at once.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

import trajmeter
from trajmeter.errors import SessionFinishedError
from trajmeter.records import Extent, GoldRange, Task, ToolCall, Trajectory, Turn, Usage, View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

THREADS, ROUNDS = 8, 40
LINES = 2_000
TASK = Task(
    id="t",
    gold_ranges=(GoldRange(path="a.py", first_line=1, last_line=LINES),),
    expected_tool_calls=(ToolCall(name="read", arguments={"path": "a.py"}),),
    max_turns=50,
)
FAMILIES = ["context", "turns", "tools", "rules"]

_T = TypeVar("_T")


@pytest.fixture(autouse=True)
def eager_switching() -> Iterator[None]:
    """Let threads take turns after every few instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(work: Callable[[int], _T]) -> list[_T]:
    """What each thread's work gives; all begin together, and an exception of any is raised."""
    barrier = Barrier(THREADS)

    def begin(number: int) -> _T:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as threads:
        return list(threads.map(begin, range(THREADS)))


def view(first: int, last: int) -> View:
    return View(path="a.py", extent=Extent.LINES, start=first, end=last)


def attempt(number: int) -> Trajectory:
    calls = (ToolCall(name="read", arguments={"path": "a.py" if number % 2 else "b.py"}),)
    turns = tuple(
        Turn(
            views=(view(1 + place, number + place + 1),), tool_calls=calls, success=bool(place % 3)
        )
        for place in range(number % 5)
    )
    return Trajectory(
        task_id="t" if number % 7 else "unknown",
        turns=turns,
        usage=Usage(input_tokens=number, output_tokens=1),
        final_output="done",
    )


def row(scored: Any) -> dict[str, Any]:
    return dict(scored.row())


def test_a_shared_scorer_scores_as_one_thread_does_and_counts_every_attempt() -> None:
    attempts = [attempt(number) for number in range(ROUNDS)]
    alone = trajmeter.Scorer(FAMILIES, tasks=[TASK])
    expected = [row(alone.score(each)) for each in attempts]
    scorer = trajmeter.Scorer(FAMILIES, tasks=[TASK])

    def work(number: int) -> list[dict[str, Any]]:
        order = [(place + number) % ROUNDS for place in range(ROUNDS)]
        rows = {}
        for place in order:
            rows[place] = row(scorer.score(attempts[place]))
            scorer.summary()
        return [rows[place] for place in range(ROUNDS)]

    assert all(rows == expected for rows in at_once(work))
    summary = scorer.summary().overall
    assert summary.attempts == THREADS * ROUNDS
    for name, figure in alone.summary().overall.figures.items():
        shared = summary.figures[name]
        assert shared.scored == THREADS * figure.scored
        if figure.macro is None:
            assert shared.macro is None
        else:
            assert shared.macro == pytest.approx(figure.macro, rel=1e-12)


def test_a_shared_session_loses_nothing_and_scores_what_it_recorded() -> None:
    scorer = trajmeter.Scorer(FAMILIES, tasks=[TASK])
    session = scorer.session("t")

    def work(number: int) -> None:
        turn = session.turn(agent=f"agent {number}")
        for step in range(ROUNDS):
            turn.view("a.py", 1 + step * THREADS + number, 1 + step * THREADS + number)
            with turn.tool_call("read", {"path": f"{number}-{step}"}) as call:
                call.result("lines")
            turn.usage(input_tokens=2, output_tokens=1)
            live = session.live
            assert 0 < live.calls <= THREADS * ROUNDS
            assert live.coverage.line is not None
            assert session.result().figure("turns.turn_count").value is not None

    at_once(work)
    live = session.live
    assert (live.turns, live.calls, live.repeated_calls) == (THREADS, THREADS * ROUNDS, 0)
    assert live.coverage.line == THREADS * ROUNDS / LINES
    trajectory = session.trajectory
    assert {turn.agent for turn in trajectory.turns or ()} == {f"agent {n}" for n in range(THREADS)}
    assert [len(turn.tool_calls or ()) for turn in trajectory.turns or ()] == [ROUNDS] * THREADS
    scored = session.finish(output="done")
    assert row(scored) == row(scorer.score(session.trajectory))
    assert scored.figure("turns.tokens.input_tokens").value == 2 * THREADS * ROUNDS


def test_a_session_that_several_threads_finish_is_scored_once() -> None:
    scorer = trajmeter.Scorer(["turns"], tasks=[TASK])
    session = scorer.session("t")
    session.turn()

    def work(_: int) -> bool:
        try:
            session.finish()
        except SessionFinishedError:
            return False
        return True

    assert sorted(at_once(work)) == [False] * (THREADS - 1) + [True]
    assert scorer.summary().overall.attempts == 1


def test_a_shared_tracker_takes_every_step_once() -> None:
    tracker = trajmeter.ContextTracker(trajmeter.prepare(TASK, None))

    def work(number: int) -> list[int]:
        steps = []
        for step in range(ROUNDS):
            line = 1 + step * THREADS + number
            steps.append(tracker.update([view(line, line), view(1, 1)]).step)
            assert tracker.coverage.line is not None
            assert tracker.redundancy is not None
            tracker.result()
        return steps

    seen = [step for steps in at_once(work) for step in steps]
    assert sorted(seen) == list(range(1, THREADS * ROUNDS + 1))
    assert tracker.coverage.line == THREADS * ROUNDS / LINES
    # What it kept of the steps is in the order in which they were counted.
    assert pickle.loads(pickle.dumps(tracker)).result() == tracker.result()  # noqa: S301 - ours


def test_trackers_of_one_prepared_task_do_not_disturb_each_other() -> None:
    prepared = trajmeter.prepare(TASK, None)

    def work(number: int) -> float | None:
        tracker = trajmeter.ContextTracker(prepared)
        for step in range(ROUNDS):
            tracker.view(view(1, 1 + step * (number + 1)))
            tracker.end_step()
        return tracker.coverage.line

    assert at_once(work) == [(1 + (ROUNDS - 1) * (n + 1)) / LINES for n in range(THREADS)]


def test_shared_sets_of_spans_give_each_thread_the_same() -> None:
    seen = trajmeter.SpanSet([(start, start + 7) for start in range(0, 5_000, 10)])
    gold = trajmeter.SpanSet([(start, start + 6) for start in range(0, 5_000, 9)])

    def figures() -> tuple[Any, ...]:
        return (
            (seen & gold).measure(),
            (seen | gold).measure(),
            (seen - gold).measure(),
            [*(seen & gold)],
            seen == gold,
            hash(seen),
        )

    expected = figures()
    assert all(
        result == expected
        for results in at_once(lambda _: [figures() for _ in range(ROUNDS)])
        for result in results
    )


FIRST_USE = """
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import trajmeter

sys.setswitchinterval(1e-6)
barrier = Barrier(8)


def work(number):
    barrier.wait()
    from trajmeter.records import Task, Trajectory

    scorer = trajmeter.Scorer(["turns", "rules"], tasks=[Task(id="t")])
    score = scorer.score(Trajectory(task_id="t", turns=[{"success": True}]))
    assert trajmeter.measure([(0, 4), (2, 6)]) == 6
    return score.figure("turns.turn_count").value


with ThreadPoolExecutor(8) as threads:
    print(set(threads.map(work, range(8))))
"""


@pytest.mark.parametrize("time", range(3))
def test_threads_may_be_the_first_to_use_the_package(time: int) -> None:
    del time  # an order that fails does not come up every time
    done = subprocess.run(
        [sys.executable, "-c", FIRST_USE], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.stdout, done.returncode) == ("{1.0}\n", 0), done.stderr
