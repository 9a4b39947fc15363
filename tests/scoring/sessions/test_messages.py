"""Sessions that messages are given to as they arrive."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

import trajmeter
from tests.scoring.sessions.test_session import SCORER
from tests.steps import assert_linear
from trajmeter.readers.tool_views import tool_views

if TYPE_CHECKING:
    from trajmeter.records import Turn


def test_messages_as_they_come_are_the_attempt_of_the_whole_list() -> None:
    call = {"id": "c1", "function": {"name": "read_file", "arguments": '{"path": "a.py"}'}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "What is x?"},
        {"role": "assistant", "content": "I look.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "x = 1"},
        {"role": "assistant", "tool_calls": [{**call, "id": "c2"}, {"id": "c3"}]},
        {"role": "assistant", "content": "x is 1."},
        {"role": "tool", "tool_call_id": "c2", "content": "x = 1"},  # late
    ]
    session = SCORER.session("t", views=tool_views())
    for message in messages:
        session.messages([message])
    assert session.live.repeated_calls == 1
    scored = session.finish()
    assert scored.trajectory == trajmeter.from_messages(messages, task_id="t")
    assert scored == SCORER.score(scored.trajectory)


RESULTS = st.lists(
    st.tuples(
        st.sampled_from(["c1", "c2", "c3", None]),
        st.sampled_from(["", "x = 1", "x\n[exit code 1]", "1\tx\n2\ty\n3\tz"]),
        st.sampled_from(["success", "error", None]),
    ),
    max_size=6,
)


@given(given=RESULTS, sizes=st.lists(st.integers(1, 3)))
def test_a_later_result_of_a_call_replaces_the_first(
    given: list[tuple[str | None, str, str | None]], sizes: list[int]
) -> None:
    arguments = [("bash", {"command": "cat a.py"}), ("read_file", {"path": "b.py"})]
    calls = [
        {"id": f"c{number}", "function": name, "arguments": each}
        for number, (name, each) in enumerate([*arguments, ("bash", {"command": "ls"})], start=1)
    ]
    messages: list[dict[str, Any]] = [{"role": "assistant", "content": "", "tool_calls": calls}]
    for identity, text, status in given:
        result = {"role": "tool", "tool_call_id": identity, "content": text}
        messages.append(result if status is None else {**result, "status": status})
    session = SCORER.session("t", views=tool_views())
    rest = iter(messages)
    for size in [*sizes, len(messages)]:
        session.messages([*islice(rest, size)])
        failed = [call for turn in session.trajectory.turns or () for call in turn.tool_calls]
        assert session.live.failed_calls == sum(call.success is False for call in failed)
    scored = session.finish()
    if any(result for _, result, _ in given):
        whole = trajmeter.from_messages(messages, task_id="t")
        assert [_sorted(turn) for turn in scored.trajectory.turns or ()] == [
            _sorted(turn) for turn in whole.turns or ()
        ]
    assert scored == SCORER.score(scored.trajectory)


def _sorted(turn: Turn) -> Turn:
    """A turn whose views are not in the order of its results."""
    views = turn.views and tuple(sorted(turn.views, key=repr))
    return turn.model_copy(update={"views": views})


def test_calls_recorded_by_hand_in_a_turn_of_messages_count_once() -> None:
    session = SCORER.session("t", views=tool_views())
    session.messages([{"role": "assistant", "content": "I look."}])
    session.tool_call("bash", {"command": "cat a.py"}, result="x", success=False)
    session.tool_call("read_file", {"path": "a.py"}, result="x = 1")
    session.messages([{"role": "tool", "name": "read_file", "content": "not its result"}])
    live = session.live
    assert (live.calls, live.repeated_calls, live.failed_calls, live.views) == (2, 0, 1, 1)
    (turn,) = session.trajectory.turns or ()
    assert turn.program == "cat a.py"
    assert [call.result for call in turn.tool_calls] == ["x", "x = 1"]
    assert session.trajectory.dropped_calls == 1


def test_many_results_of_one_call_replace_each_other_in_linear_time() -> None:
    function = {"name": "bash", "arguments": "{}"}

    def replace(size: int) -> None:
        calls = [{"id": f"c{n}", "type": "function", "function": function} for n in range(size)]
        results = [{"role": "tool", "tool_call_id": call["id"], "content": "x"} for call in calls]
        session = SCORER.session("t")
        session.messages([{"role": "assistant", "tool_calls": calls}, *results])
        middle = results[size // 2]
        session.messages([{**middle, "content": f"{n}"} for n in range(size)])
        (turn,) = session.trajectory.turns or ()
        given = [call.result for call in turn.tool_calls]
        assert given.pop(size // 2) == f"{size - 1}"
        assert given == ["x"] * (size - 1)

    assert_linear(replace)
