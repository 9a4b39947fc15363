"""Turns of replies that were put together from the lines of a log."""

from __future__ import annotations

from trajmeter.readers._logs.replies import Call, Reply, in_order_of_time, leaks_of, turns_of
from trajmeter.readers._logs.shown import Viewer
from trajmeter.records import Failure


def looked(command: str, text: str | None, **fields: object) -> Call:
    call = Call("shell")
    call.command = command
    Viewer().look(call, text, **fields)  # type: ignore[arg-type] # of each kind
    return call


def test_a_reply_fails_with_its_first_failed_call() -> None:
    calls = [Call("a"), Call("b"), Call("c")]
    calls[0].success = True
    calls[1].fail(None, exit_code=3)
    calls[2].fail("No.")
    (turn,) = turns_of([Reply(calls=calls)])
    assert turn.error == Failure(reason="exit_code", message="exit code 3")
    (turn,) = turns_of([Reply(calls=calls[:1])])
    assert (turn.success, turn.error) == (True, None)
    (turn,) = turns_of([Reply(calls=[calls[0], Call("d")])])
    assert turn.success is None


def test_an_error_of_the_reply_goes_before_those_of_its_calls() -> None:
    call = Call("a")
    call.fail("No.")
    error = Failure(reason="parse_error")
    (turn,) = turns_of([Reply(calls=[call], error=error)])
    assert turn.error == error


def test_a_clock_set_back_gives_no_duration() -> None:
    forth, back = Reply(asked=1.0), Reply(asked=3.0)
    forth.end(2.5)
    back.end(2.5)
    assert [turn.duration_seconds for turn in turns_of([forth, back])] == [1.5, None]


def test_a_run_that_looked_and_saw_nothing_has_empty_views() -> None:
    nothing = looked("cat a.py", "cat: a.py: No such file or directory\n", exit_code=1)
    blind = [Reply(calls=[nothing]), Reply(calls=[Call("think")]), Reply()]
    assert [turn.views for turn in turns_of(blind)] == [(), None, None]
    seeing = [*blind, Reply(calls=[looked("cat b.py", "x\n")])]
    assert [bool(turn.views) for turn in turns_of(seeing)] == [False, False, False, True]
    assert turns_of(seeing)[0].views is None


def test_a_text_that_was_trimmed_may_lack_blank_lines_at_its_ends() -> None:
    def lines(text: str, *, is_trimmed: bool) -> list[tuple[int | None, int | None]]:
        call = looked("sed -n '10,24p' a.py", text, is_trimmed=is_trimmed)
        return [(view.start, view.end) for view in call.views]

    thirteen = "x\n" * 13
    assert lines(thirteen, is_trimmed=False) == [(10, 22)]
    assert lines(thirteen, is_trimmed=True) == [(10, 24)]
    assert lines("x\n" * 3, is_trimmed=True) == [(10, 12)]  # the file ended


def test_paths_are_those_below_the_root() -> None:
    call = Call("shell")
    call.command = "cat /repo/src/a.py /opt/b.py c.py"
    Viewer("/repo").look(call, "x\ny\nz\n")
    assert [view.path for view in call.views] == ["src/a.py", "/opt/b.py", "c.py"]


def test_a_folder_is_kept_where_the_shell_keeps_it() -> None:
    viewer = Viewer()
    first, second = Call("shell"), Call("shell")
    first.command, second.command = "cd src", "cat a.py"
    viewer.look(first, "", is_kept=True)
    viewer.look(second, "x\n", is_kept=True)
    assert [view.path for view in second.views] == ["src/a.py"]


def test_leaks_are_those_of_the_turn() -> None:
    leak = looked("git log --all -p", "commit 1\n")
    found = leaks_of([Reply(), Reply(calls=[leak])])
    assert [each.turn for each in found] == [2] * len(leak.leaks)
    assert found


def test_replies_are_put_in_order_only_if_all_have_a_time() -> None:
    late, early, timeless = Reply(texts=["late"]), Reply(texts=["early"]), Reply()
    late.end(2.0)
    early.end(1.0)
    assert in_order_of_time([late, early]) == [early, late]
    assert in_order_of_time([late, early, timeless]) == [late, early, timeless]
