"""Sessions that are used in odd ways, by several threads, and in several processes."""

from __future__ import annotations

import multiprocessing
import pickle
import threading
from typing import TYPE_CHECKING, Any

import pytest

import trajmeter
from trajmeter.errors import InputError, SessionFinishedError
from trajmeter.readers.tool_views import tool_views
from trajmeter.records import GoldRange, Task, ToolCall

if TYPE_CHECKING:
    from trajmeter import Session

TASK = Task(
    id="t",
    gold_ranges=(
        GoldRange(path="a.py", first_line=1, last_line=4),
        GoldRange(path="b.py", first_line=3, last_line=5),
    ),
    expected_tool_calls=(ToolCall(name="read", arguments={"path": "a.py"}),),
)
SCORER = trajmeter.Scorer(["context", "tools", "turns", "rules"], tasks=[TASK])


def test_more_tokens_than_are_counted_are_refused() -> None:
    session = SCORER.session("t")
    session.usage(input_tokens=2**63 - 1, output_tokens=1)
    with pytest.raises(InputError, match="input_tokens of the turn add up to"):
        session.usage(input_tokens=1, output_tokens=1)
    (turn,) = session.trajectory.turns or ()
    assert turn.usage is not None
    assert (turn.usage.input_tokens, turn.usage.output_tokens) == (2**63 - 1, 1)
    assert session.live.output_tokens == 1


def test_live_figures_stay_as_they_were_in_the_end() -> None:
    session = SCORER.session("t")
    for _ in range(2):
        session.turn()
        session.view("a.py", 1, 2)
    session.finish()
    for each in (session, session, pickle.loads(pickle.dumps(session))):  # noqa: S301 - our own
        live = each.live
        assert (live.coverage.step, live.coverage.line, live.redundancy) == (2, 2 / 7, 0.5)


class Wordless(Exception):  # noqa: N818 - it is no error of ours
    def __str__(self) -> str:
        raise RuntimeError("there are no words")


def test_an_exception_without_words_goes_on() -> None:
    with pytest.raises(Wordless), SCORER.session("t") as session, session.tool_call("a"):
        raise Wordless
    (call,) = session.trajectory.calls or ()
    assert call.success is False
    assert session.trajectory.failure is not None
    assert session.trajectory.failure.reason == "Wordless"


@pytest.mark.parametrize("leaves", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_ends_a_program_leaves_the_block(leaves: type[BaseException]) -> None:
    with pytest.raises(leaves), SCORER.session("t") as session:
        raise leaves
    assert session.trajectory.failure is not None
    assert session.trajectory.failure.reason == leaves.__name__


def test_an_exception_after_the_end_is_that_exception() -> None:
    with pytest.raises(KeyError), SCORER.session("t") as session:  # noqa: PT012 - the block is the test
        session.finish()
        raise KeyError("late")
    with (
        pytest.raises(SessionFinishedError),
        SCORER.session("t") as session,
        session.tool_call("a"),
    ):
        session.finish()


def test_a_block_of_a_call_may_be_entered_again() -> None:
    session = SCORER.session("t")
    call = session.tool_call("a")
    for _ in range(2):
        with call:
            call.result("x")
    (recorded,) = session.trajectory.calls or ()
    assert (recorded.success, recorded.result) == (True, "x")


HUGE = "x" * 2_000_000
ODD_MESSAGES: list[Any] = [
    None,
    3,
    "text",
    {},
    {"role": 3, "content": 3, "tool_calls": 3},
    {"role": "assistant", "tool_calls": "text"},
    {
        "role": "assistant",
        "tool_calls": [None, 3, {}, {"function": None}, {"function": {"name": 3}}],
    },
    {"role": "tool", "tool_call_id": 3, "content": [{"type": "text"}]},
    {"role": "assistant", "content": "\ud800", "usage": {"prompt_tokens": "many"}},
    {"role": "assistant", "content": HUGE},
]


def test_odd_messages_are_reported_and_do_not_end_the_run() -> None:
    session = SCORER.session("t", views=tool_views())
    for message in ODD_MESSAGES:
        session.messages([message])
    assert session.live.turns == len(session.trajectory.turns or ())
    scored = session.finish()
    assert scored.trajectory == trajmeter.from_messages(ODD_MESSAGES, task_id="t")
    assert len(scored.trajectory.unusable) >= 4
    assert scored.trajectory.dropped_calls >= 4


def test_text_of_any_kind_and_size() -> None:
    session = SCORER.session("\ud800", agent="é", model="\x00")
    with session.tool_call("läs\ud800", {"path": "\udfff", "π": HUGE}) as call:
        call.result([HUGE, {"deep": [[[None]]]}])
    session.view("\ud800/ä.py", 1, 2**70)
    session.view("a.py", -(2**70), -1)
    scored = session.finish(output="\U0001f600", patch="\ud800")
    assert scored == SCORER.score(scored.trajectory)


def test_a_session_is_pickled_while_others_record() -> None:
    session = SCORER.session("t")

    def record() -> None:
        for line in range(300):
            session.turn()
            session.view("a.py", 1, 2)
            session.tool_call("read", {"line": line})

    threads = [threading.Thread(target=record) for _ in range(2)]
    for thread in threads:
        thread.start()
    copies = [pickle.loads(pickle.dumps(session)) for _ in range(5)]  # noqa: S301 - our own
    for thread in threads:
        thread.join()
    for copy in copies:
        live = copy.live
        assert (live.turns, live.views, live.calls) == (
            len(copy.trajectory.turns),
            sum(len(turn.views or ()) for turn in copy.trajectory.turns),
            len(copy.trajectory.calls or ()),
        )


def _went_on(session: Session) -> Any:
    call = {"id": "c1", "function": {"name": "read_file", "arguments": '{"path": "b.py"}'}}
    session.messages([{"role": "tool", "tool_call_id": "c0", "content": "x"}])
    session.messages([{"role": "assistant", "tool_calls": [call]}])
    return session.finish()


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # as other threads run
def test_a_session_goes_on_in_another_process(method: str) -> None:
    asked = '{"path": "a.py", "start_line": 1, "end_line": 1}'
    call = {"id": "c0", "function": {"name": "read_file", "arguments": asked}}
    session = SCORER.session("t", views=tool_views())
    session.messages([{"role": "assistant", "tool_calls": [call]}])
    session.view("b.py", 3, 4)
    with multiprocessing.get_context(method).Pool(1) as pool:
        there = pool.apply(_went_on, (session,))
    assert there == _went_on(session)
    assert SCORER.figure("context.line.intersection").of(there).value == 3  # a.py 1, b.py 3 to 4
