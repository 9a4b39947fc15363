"""Sessions: what is recorded while an attempt runs, and that its score is the offline one."""

from __future__ import annotations

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import trajmeter
from trajmeter.errors import InputError, SessionFinishedError
from trajmeter.readers.tool_views import tool_views
from trajmeter.records import Extent, Failure, GoldRange, Task, ToolCall, View

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajmeter import Session
    from trajmeter.records import Trajectory
    from trajmeter.scoring.sessions.session import OpenTurn

TASK = Task(
    id="t",
    gold_ranges=(
        GoldRange(path="a.py", first_line=1, last_line=4),
        GoldRange(path="b.py", first_line=3, last_line=5),
    ),
    gold_patch="",
    expected_tool_calls=(ToolCall(name="read", arguments={"path": "a.py"}),),
    max_turns=6,
)
FAMILIES = ["context", "tools", "turns", "rules"]
SCORER = trajmeter.Scorer(FAMILIES, tasks=[TASK])


def test_what_is_known_while_an_attempt_runs() -> None:
    session = SCORER.session("t", agent="mine", model="m")
    before = session.live
    assert (before.turns, before.coverage.line) == (0, None)
    session.turn(text="Let me look.")
    session.view("a.py", 1, 2)
    assert session.live.coverage.line == 2 / 7
    assert session.live.redundancy is None  # no turn has ended
    session.turn()
    session.view("a.py", 2, 4)
    session.turn()
    first = session.tool_call("bash", {"command": "ls"})
    second = session.tool_call("bash", {"command": "ls"})
    second.failed("no such tool")
    session.usage(input_tokens=900, output_tokens=80)
    session.usage(input_tokens=100, cost_usd=0.5)
    live = session.live
    assert (first.repeats, second.repeats) == (0, 1)
    assert (live.turns, live.turns_left, live.views) == (3, 3, 2)
    assert (live.calls, live.failed_calls, live.repeated_calls) == (2, 1, 1)
    assert live.redundancy == 1 / 5  # line 2 again, of 2 + 3 lines
    assert (live.input_tokens, live.output_tokens, live.cost_usd) == (1000, 80, 0.5)
    scored = session.finish(output="done")
    assert scored.figure("context.line.coverage").value == 4 / 7
    assert scored.row()["turns.repeated_calls"] == live.repeated_calls
    assert scored.row()["turns.tokens.input_tokens"] is None  # of one turn of three


def test_what_a_call_gave_back() -> None:
    session = SCORER.session("t")
    with session.tool_call("bash", {"command": "ls"}) as call:
        call.result("a.py")
    with pytest.raises(ValueError, match="no"), session.tool_call("bash", {"command": "x"}):
        raise ValueError("no")
    session.tool_call("read", {"path": "a"}, id="c1", result=["x", {"type": "image"}])
    done, raised, given_back = session.trajectory.turns[0].tool_calls  # type: ignore[index]  # there are turns
    assert (done.success, done.result) == (True, "a.py")
    assert done.duration_seconds is not None
    assert (raised.success, raised.error) == (False, "ValueError: no")
    assert (given_back.id, given_back.success) == ("c1", None)
    assert given_back.result == ["x", {"type": "image"}]


def test_arguments_are_kept_as_they_were() -> None:
    session = SCORER.session("t")
    arguments: dict[str, Any] = {"paths": ["a"]}
    session.tool_call("read", arguments)
    arguments["paths"].append("b")
    assert session.trajectory.calls == (ToolCall(name="read", arguments={"paths": ["a"]}),)


def test_live_figures_follow_whatever_was_recorded_since_they_were_asked_for() -> None:
    session = SCORER.session("t")
    first = session.turn()
    session.view("a.py", 1, 1)
    session.turn()
    assert [session.live.coverage.line, session.live.coverage.line] == [1 / 7, 1 / 7]
    first.view("a.py", 2, 2)  # in a turn that has ended
    assert session.live.coverage.line == 2 / 7
    session.view("a.py", 3, 3)
    assert (session.live.coverage.step, session.live.coverage.line) == (2, 3 / 7)


def test_calls_show_files_where_their_tools_are_known() -> None:
    session = SCORER.session("t", views=tool_views())
    session.tool_call("read_file", {"path": "a.py", "start_line": 1, "end_line": 2}, result="1\n2")
    shown = session.tool_call("read_file", {"path": "b.py"}, result="x")
    shown.failed("it was refused after all")
    with pytest.raises(OSError, match="gone"), session.tool_call("read_file", {"path": "c.py"}):
        raise OSError("gone")
    (turn,) = session.trajectory.turns or ()
    assert turn.views == (View(path="a.py", extent=Extent.LINES, start=1, end=2),)
    assert session.live.views == 1
    scored = session.finish()
    assert scored == SCORER.score(session.trajectory)
    assert scored.figure("context.line.intersection").value == 2


def test_a_run_whose_reading_tools_showed_nothing_has_steps() -> None:
    session = SCORER.session("t", views=tool_views())
    session.turn()
    session.tool_call("read_file", {"path": "a.py"}, result="", success=False)
    session.turn()
    scored = session.finish()
    assert [turn.views for turn in scored.trajectory.turns or ()] == [(), None]
    assert scored == SCORER.score(scored.trajectory)


def test_views_by_their_arguments() -> None:
    session = SCORER.session("t")
    session.view("a.py")
    session.view("a.py", 3)
    session.view("a.py", last=9)
    session.view("a.py", symbols=(name for name in ["f"]))  # type: ignore[arg-type]  # lists are asked for
    (turn,) = session.trajectory.turns or ()
    assert turn.views == (
        View(path="a.py", extent=Extent.WHOLE),
        View(path="a.py", extent=Extent.LINES, start=3),
        View(path="a.py", extent=Extent.LINES, start=1, end=9),
        View(path="a.py", symbols=("f",)),
    )


WRONG: list[tuple[str, Callable[[Session], object]]] = [
    ("path is 3", lambda session: session.view(3)),  # type: ignore[arg-type]  # on purpose
    ("first is '1'", lambda session: session.view("a", "1")),  # type: ignore[arg-type]  # on purpose
    ("last is 1.5", lambda session: session.view("a", 1, 1.5)),  # type: ignore[arg-type]  # on purpose
    ("symbols is 'f'", lambda session: session.view("a", symbols="f")),
    ("symbols is 3", lambda session: session.view("a", symbols=3)),  # type: ignore[arg-type]  # on purpose
    ("a symbol is 3", lambda session: session.view("a", symbols=[3])),  # type: ignore[list-item]  # on purpose
    ("name is None", lambda session: session.tool_call(None)),  # type: ignore[arg-type]  # on purpose
    ("result: .*valid JSON", lambda session: session.tool_call("a", result={1, 2})),  # type: ignore[arg-type]  # on purpose
    ("input_tokens is True", lambda session: session.usage(input_tokens=True)),
    ("input_tokens is 9223372036854775808", lambda session: session.usage(input_tokens=2**63)),
    ("name is ''", lambda session: session.tool_call("")),
    ("arguments", lambda session: session.tool_call("a", {"x": object()})),
    ("success is 1", lambda session: session.tool_call("a", success=1)),  # type: ignore[arg-type]  # on purpose
    ("input_tokens is 1.5", lambda session: session.usage(input_tokens=1.5)),  # type: ignore[arg-type]  # on purpose
    ("cost_usd is 'x'", lambda session: session.usage(cost_usd="x")),  # type: ignore[arg-type]  # on purpose
    ("cost_usd is nan", lambda session: session.usage(cost_usd=float("nan"))),
    ("agent is 3", lambda session: session.turn(agent=3)),  # type: ignore[arg-type]  # on purpose
    ("failure is 3", lambda session: session.finish(failure=3)),  # type: ignore[arg-type]  # on purpose
    ("patch is 3", lambda session: session.finish(patch=3)),  # type: ignore[arg-type]  # on purpose
]


@pytest.mark.parametrize(("message", "record"), WRONG, ids=[message for message, _ in WRONG])
def test_wrong_arguments_are_refused_and_leave_no_trace(
    message: str, record: Callable[[Session], object]
) -> None:
    session = SCORER.session("t")
    with pytest.raises(InputError, match=message):
        record(session)
    assert session.trajectory.turns == ()
    session.finish()


def test_a_session_ends_once() -> None:
    session = SCORER.session("t")
    turn, call = session.turn(), session.tool_call("a")
    scored = session.finish()
    assert session.result() is scored
    for record in (
        session.finish,
        lambda: session.view("a.py"),
        lambda: turn.usage(input_tokens=1),
        lambda: call.result("late"),
        lambda: session.messages([]),
        session.turn,
    ):
        with pytest.raises(SessionFinishedError, match="already finished"):
            record()


def test_an_exception_that_leaves_the_block_is_the_failure_and_goes_on() -> None:
    scorer = trajmeter.Scorer(["turns"])
    with pytest.raises(KeyError), scorer.session("t") as session:  # noqa: PT012 - the block is the test
        session.turn()
        raise KeyError("x")
    assert session.trajectory.failure == Failure(reason="KeyError", message="KeyError: 'x'")
    with scorer.session("t"):
        pass
    assert scorer.summary().overall.attempts == 2


def test_a_metric_may_look_at_the_session_that_ends() -> None:
    @trajmeter.metric
    def cost(task: Task | None, trajectory: Trajectory) -> float:
        del task, trajectory
        return session.live.cost_usd or 0.0

    session = trajmeter.Scorer([cost]).session("t")
    session.usage(cost_usd=0.5)
    ended = threading.Thread(target=session.finish, daemon=True)
    ended.start()
    ended.join(30)
    assert not ended.is_alive()
    assert session.result().row()["cost.value"] == 0.5


def test_a_result_asked_for_while_the_session_is_scored_is_the_same() -> None:
    begun, is_asked = threading.Event(), threading.Event()
    calls: list[str] = []

    @trajmeter.metric
    def slow(task: Task | None, trajectory: Trajectory) -> float:
        del task
        calls.append(trajectory.task_id)
        begun.set()
        assert is_asked.wait(30)
        return 1.0

    session = trajmeter.Scorer([slow]).session("t")
    with ThreadPoolExecutor(2) as pool:
        ended = pool.submit(session.finish)
        assert begun.wait(30)
        asked = pool.submit(session.result)
        is_asked.set()
        assert asked.result(30) is ended.result(30) is session.result()
    assert calls == ["t"]


def test_a_copy_made_while_the_session_is_scored_waits_for_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session, copies = SCORER.session("t"), []
    count = trajmeter.Scorer.count

    def copied(*given: Any) -> Any:
        copies.append(pickle.dumps(session))
        return count(*given)

    monkeypatch.setattr(trajmeter.Scorer, "count", copied)
    scored = session.finish()
    (copy,) = copies
    assert pickle.loads(copy).result().row() == scored.row()  # noqa: S301 - as written


def test_a_metric_that_asks_for_the_result_it_is_part_of_is_an_error() -> None:
    @trajmeter.metric
    def vain(task: Task | None, trajectory: Trajectory) -> float:
        del task, trajectory
        return float(session.result().row()["vain.value"])

    session = trajmeter.Scorer([vain]).session("t")
    figure = session.finish().figure("vain.value")
    assert figure.cause == "metric_error"
    assert "asked for the result of the session that it scores" in str(figure.reason)


def test_a_result_after_scoring_was_interrupted_is_scored_then() -> None:
    @trajmeter.metric
    def interrupted(task: Task | None, trajectory: Trajectory) -> float:
        del task, trajectory
        if stops.pop():
            raise KeyboardInterrupt
        return 1.0

    stops = [False, True]
    session = trajmeter.Scorer([interrupted]).session("t")
    with pytest.raises(KeyboardInterrupt):
        session.finish()
    assert session.result().row()["interrupted.value"] == 1.0


def test_openais_shell_fails_by_its_exit_code() -> None:
    commands = ["sed -n '1,2p' a.py", "cat c.py"]
    printed = [
        {"stdout": "x\ny\n", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}},
        {"stdout": "", "stderr": "cat: c.py: No", "outcome": {"type": "exit", "exit_code": 1}},
    ]
    messages: list[dict[str, Any]] = [
        {"type": "shell_call", "call_id": "c1", "action": {"commands": commands}},
        {"type": "shell_call_output", "call_id": "c1", "output": printed},
    ]
    session = SCORER.session("t", views=tool_views())
    session.messages(messages)
    assert (session.live.failed_calls, session.live.views) == (1, 1)
    assert session.trajectory.turns == trajmeter.from_messages(messages, task_id="t").turns


def test_threads_lose_nothing() -> None:
    session = SCORER.session("t")

    def record(turn: OpenTurn) -> None:
        for line in range(1, 301):
            turn.view("a.py", line, line)
            turn.tool_call("read", {"line": line})

    threads = [threading.Thread(target=record, args=(session.turn(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    live = session.live
    assert (live.views, live.calls, live.repeated_calls) == (1200, 1200, 900)
    assert session.finish() == SCORER.score(session.trajectory)


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("turn")),
        st.tuples(
            st.just("view"),
            st.integers(0, 5),
            st.sampled_from(["a.py", "b.py", "c.py"]),
            st.integers(-1, 6),
            st.integers(-1, 6),
        ),
        st.tuples(st.just("call"), st.integers(0, 5), st.sampled_from("xy"), st.booleans()),
        st.tuples(st.just("message"), st.sampled_from("xy"), st.booleans()),
        st.tuples(st.just("usage"), st.integers(0, 5), st.integers(0, 9)),
        st.tuples(st.just("live")),
        st.tuples(st.just("pickle")),
    ),
    max_size=25,
)


def _act(session: Session, actions: list[tuple[Any, ...]]) -> Session:
    turns: list[Any] = [session]
    for kind, *values in actions:
        at = turns[values[0] % len(turns)] if values and kind != "message" else session
        if kind == "turn":
            turns.append(session.turn())
        elif kind == "view":
            at.view(*values[1:])
        elif kind == "call":
            call = at.tool_call("read", {"path": values[1]})
            if values[2]:
                call.failed("no")
        elif kind == "message":
            path, fails = values
            called = {"id": "c", "function": {"name": "read", "arguments": {"path": path}}}
            session.messages([{"role": "assistant", "tool_calls": [called]}])
            status = "error" if fails else "success"
            result = {"role": "tool", "tool_call_id": "c", "content": "x", "status": status}
            session.messages([result])
        elif kind == "usage":
            at.usage(input_tokens=values[1], output_tokens=1)
        elif kind == "live":
            assert session.live.turns == len(session.trajectory.turns or ())
        else:
            assert pickle.loads(pickle.dumps(session)).live == session.live  # noqa: S301 - our own
    return session


@pytest.mark.parametrize("profiles", [(), ("contextbench",)])
@given(actions=ACTIONS)
def test_its_score_is_the_offline_one_whatever_the_interleaving(
    profiles: tuple[str, ...], actions: list[tuple[Any, ...]]
) -> None:
    scorer = trajmeter.Scorer(FAMILIES, tasks=[TASK], profiles=profiles)
    session = _act(scorer.session("t", agent="a"), actions)
    row, live = session.result().row(), session.live
    scored = session.finish(patch="", output="x")
    trajectory = type(session.trajectory).model_validate(session.trajectory.model_dump())
    offline = trajmeter.score([trajectory], tasks=[TASK], metrics=FAMILIES, profiles=profiles)
    assert offline.rows == [scored.row()]
    assert offline.results == [scored]
    if not profiles:
        assert scored.row()["context.final.line.coverage"] == row["context.final.line.coverage"]
        final = scored.row()["context.trajectory.line.coverage"]
        assert live.coverage.line == (final[-1] if final else None)
    assert scored.row()["turns.repeated_calls"] == live.repeated_calls
    calls = [call for turn in trajectory.turns or () for call in turn.tool_calls]
    failed = [call for call in calls if call.success is False]
    assert (live.calls, live.failed_calls) == (len(calls), len(failed))


@pytest.mark.parametrize("one", [{"role": "assistant", "content": "x"}, "x", None])
def test_one_message_is_not_a_list_of_messages(one: Any) -> None:
    session = trajmeter.Scorer("turns").session("t")
    with pytest.raises(InputError, match="expected a list of messages"):
        session.messages(one)
    with pytest.raises(InputError, match="expected a list of messages"):
        trajmeter.from_messages(one, task_id="t")
    assert session.live.turns == 0
