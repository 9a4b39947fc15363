"""A trajectory as lines of a terminal."""

from __future__ import annotations

import pytest

from tests.reports.trajectory.attempts import ATTEMPT, TASK, beside
from trajmeter.errors import ConfigurationError
from trajmeter.records import Extent, Failure, ToolCall, Trajectory, Turn, View
from trajmeter.reports.trajectory import Search, Surroundings, sections, terminal_lines

EXPECTED = """\
t
agent crab · model m-1 · attempt 2 · log.jsonl:3 · 3 turns · 2 calls · 1,100 tokens in · 90 out · \
$0.7500 · 2.5 credits · 60.00 s · did not pass
  failed: max_turns_exceeded
  read part of the solution (future)
    git log --all
  task
    Mend it.
  gold (initial): src/a.py:2-3
    2  two
    3  three

Turn 1 of 3
1,000 tokens in (200 cached) · 20 out (5 reasoning) · $0.2500 · 3.00 s · 1,020 tokens so far · \
$0.2500 so far · gold seen: 100% of files, 100% of lines
  Let me look.
  Now.
  bash(command="cat src/a.py")
  result: ok, 1.50 s
    one
    two
  open()
  result: not recorded
  view /testbed/src/a.py:2
    2  two
  view src/a.py:3-9
    3  three
    4  four

Turn 7 (2 of 3)
gold seen: 100% of files, 100% of lines
  agent helper
  program
    make
  edit(text="{x93}…)
    text: {x200}
  result: failed, not recorded
  error
    No file
  look({{"a": 1}})
  result
    seen
    (image)
    3
  quiet()
  result: empty
  view b.txt (whole file)
    1  �\\r
    2  end
  view b.txt, bytes 3-6
    end
  view c.txt (whole file) (not in the repository)
  view src/a.py, f, g
  error: timeout
    Stopped
    after 30 s
  read part of the solution (gold_patch)
    cat fix.patch

Turn 3 of 3
80 tokens · $0.5000 · at least 1,100 tokens so far · at least $0.7500 so far
  late()
  result: not recorded
  failed

Calls that belong to no turn
  lost()
  result: not recorded

End
  final view src/a.py (lines not recorded)
  final output
    Done.
  final patch
    --- a
    +++ b
  sources
    doc-1
    doc-2
  verdict polite
    pass: It is.
  usage.total_tokens could not be used: expected a number
"""


def plain(trajectory: Trajectory, around: Surroundings | None = None, *, full: bool = False) -> str:
    found = sections(trajectory, around or Surroundings())
    lines = terminal_lines(found, styled=False, full=full)
    return "".join(f"{line}\n" for line in lines)


def test_everything_that_was_recorded() -> None:
    assert plain(ATTEMPT, beside()) == EXPECTED.format(x93="x" * 94, x200="x" * 200)


def test_without_task_and_repository() -> None:
    text = plain(ATTEMPT)
    assert "gold (" not in text
    assert "gold seen" not in text
    assert "  view /testbed/src/a.py:2\n  view src/a.py:3-9\n\n" in text
    assert "not in the repository" not in text


def test_what_was_not_recorded_is_not_made_up() -> None:
    assert plain(Trajectory(task_id="t")) == "t\n"
    assert plain(Trajectory(task_id="t", turns=())) == "t\n0 turns · 0 calls\n"
    assert plain(Trajectory(task_id="t", turn_count=4, transcript="a\nb", final_patch="")) == (
        "t\n4 turns\n  transcript\n    a\n    b\n\nEnd\n  final patch: empty\n"
    )
    assert plain(Trajectory(task_id="t"), Surroundings(task=TASK)) == (
        "t\n  task\n    Mend it.\n  gold (initial): src/a.py:2-3\n"
    )


def test_what_stands_in_a_call_is_not_said_twice() -> None:
    calls = tuple(
        ToolCall(name="bash", arguments={"command": each}, result="", error="broken")
        for each in ("ls", "pwd")
    )
    for program in ("ls", "ls\npwd"):
        turn = Turn(program=program, tool_calls=calls, error=Failure(reason="x", message="broken"))
        text = plain(Trajectory(task_id="t", turns=(turn,)))
        assert "program" not in text
        assert text.count("broken") == 2
        assert text.endswith("  error: x\n")
    assert "  program\n    ls\n    id\n" in plain(
        Trajectory(task_id="t", turns=(Turn(program="ls\nid", tool_calls=calls),))
    )


def test_an_error_that_is_the_result_is_shown_once() -> None:
    call = ToolCall(name="glob", success=False, result="no such tool", error="no such tool")
    text = plain(Trajectory(task_id="t", turns=(Turn(tool_calls=(call,)),)))
    assert text.count("no such tool") == 1


def result(count: int) -> Trajectory:
    text = "\n".join(f"line {number}" for number in range(1, count + 1))
    call = ToolCall(name="cat", result=text)
    return Trajectory(task_id="t", turns=(Turn(tool_calls=(call,)),))


def test_long_results_are_folded() -> None:
    assert "more" not in plain(result(16))
    folded = plain(result(100))
    assert "    line 10\n    … 85 more lines …\n    line 96\n" in folded
    assert "line 50" not in folded
    assert "line 50\n" in plain(result(100), full=True)
    long_line = Trajectory(task_id="t", final_output="x" * 5_000)
    assert "x" * 2_000 + "… 3,000 more characters\n" in plain(long_line)
    assert "x" * 5_000 in plain(long_line, full=True)


def test_a_search_shows_what_is_near() -> None:
    attempt = Trajectory(task_id="t", turns=(*(result(100).turns or ()), Turn(text="Nothing")))
    search = Search("line 50|line 5$")
    found = search.sections(sections(attempt, Surroundings()))
    assert [*terminal_lines(found, search=search, styled=False)] == [
        "Turn 1 of 2",
        "  cat()",
        "  result",
        "    … 2 more lines …",
        *(f"    line {number}" for number in range(3, 8)),
        "    … 40 more lines …",
        *(f"    line {number}" for number in range(48, 53)),
        "    … 48 more lines …",
    ]


@pytest.mark.parametrize(
    ("pattern", "text", "parts"),
    [
        ("b+", "aBbc", [("a", False), ("Bb", True), ("c", False)]),
        ("B", "aBbc", [("a", False), ("B", True), ("bc", False)]),  # a capital: case matters
        ("x*", "ab", [("ab", False)]),  # matches of nothing mark nothing
    ],
)
def test_occurrences(pattern: str, text: str, parts: list[tuple[str, bool]]) -> None:
    assert [part for part in Search(pattern).parts(text) if part[0]] == parts


def test_a_search_looks_everywhere() -> None:
    def found(pattern: str) -> list[str]:
        return [each.title for each in Search(pattern).sections(sections(ATTEMPT, beside()))]

    assert found("helper") == ["Turn 7 (2 of 3)"]
    assert found("200 cached") == ["Turn 1 of 3"]
    assert found("no turn") == ["Calls that belong to no turn"]
    assert found("three") == ["t", "Turn 1 of 3"]  # in the repository's lines
    assert found("nowhere at all") == []


def test_a_pattern_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"'\(' is not a regular expression: missing \)"):
        Search("(")


def test_text_of_a_log_moves_no_cursor() -> None:
    hostile = "\x1b[2J\r\u202eevil\x07\ttab\nforged"
    attempt = Trajectory(
        task_id=hostile,
        agent=hostile,
        turns=(
            Turn(
                text=hostile,
                tool_calls=(ToolCall(name=hostile, arguments={hostile: hostile}, result=hostile),),
                views=(View(path=hostile),),
            ),
        ),
    )
    for styled in (False, True):
        search = Search("evil") if styled else None
        lines = [*terminal_lines(sections(attempt, Surroundings()), search=search, styled=styled)]
        text = "\n".join(lines)
        for code in ("1", "2", "7", "31", "32", "36", "0"):
            text = text.replace(f"\x1b[{code}m", "")
        assert all(character.isprintable() or character in "\n\t" for character in text)
        assert "evil" in text
        # What the agent said and what came back are lines of their own; nothing else may be.
        unstyled = [line.removeprefix("    \x1b[2m").removesuffix("\x1b[0m") for line in lines]
        assert [line.strip() for line in unstyled].count("forged") == 2


def test_styles_set_off_parts_and_matches() -> None:
    (title, facts, *_), search = terminal_lines(sections(ATTEMPT, beside()), styled=True), None
    assert title == "\x1b[1mt\x1b[0m"
    assert facts.startswith("\x1b[2magent crab")
    search = Search("crab")
    _, facts, *_ = terminal_lines(sections(ATTEMPT, beside()), search=search, styled=True)
    assert facts.startswith("\x1b[2magent \x1b[0m\x1b[7mcrab\x1b[0m\x1b[2m · model")


def test_lines_are_those_that_exist() -> None:
    def lines(*, start: int, end: int) -> list[str]:
        view = View(path="src/a.py", extent=Extent.LINES, start=start, end=end)
        attempt = Trajectory(task_id="t", turns=(Turn(views=(view,)),))
        found = terminal_lines(sections(attempt, beside()), styled=False)
        return [line.strip() for line in [*found][11:]]

    assert lines(start=3, end=4) == ["3  three", "4  four"]
    assert lines(start=4, end=99) == ["4  four"]  # no phantom line
    assert lines(start=0, end=1) == ["1  one"]
    assert lines(start=5, end=6) == []
    assert lines(start=3, end=2) == []
    assert lines(start=3, end=-1) == ["3  three", "4  four"]  # to the end
    assert lines(start=3, end=-2) == []
