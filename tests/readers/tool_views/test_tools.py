"""What calls of tools show, by their arguments and what they gave back."""

from __future__ import annotations

from typing import Any

import pytest

from trajmeter.readers.tool_views import TOOL_VIEWS, exit_code_of, tool_views
from trajmeter.records import Extent, ToolCall, View

CAT_N = "Here's the result of running `cat -n` on /repo/a.py:\n     7\tx\n     8\ty\n     9\tz\n"


def shown(name: str, arguments: Any, result: Any = None, **fields: Any) -> Any:
    """Path, extent and lines of each view, without what is ``None``."""
    call = ToolCall(name=name, arguments=arguments, result=result, **fields)
    known = TOOL_VIEWS.views_of(call)
    if known is None:
        return None
    return [
        (view.path, view.extent.value, *(n for n in (view.start, view.end) if n is not None))
        for view in known.views
    ]


@pytest.mark.parametrize("path", ["path", "file_path", "filename", "target_file"])
@pytest.mark.parametrize(
    "asked",
    [
        {"view_range": [7, 9]},
        {"start_line": 7, "end_line": 9},
        {"start_line": "7", "end_line": 9.0},
        {"offset": 7, "limit": 3},
        {"line_start": 7, "line_end": 9},
    ],
)
def test_a_range_that_is_asked_for(path: str, asked: dict[str, Any]) -> None:
    arguments = {path: "a.py", **asked}
    assert shown("read_file", arguments) == [("a.py", "lines", 7, 9)]
    assert shown("read_file", arguments, "x\ny\nz\n") == [("a.py", "lines", 7, 9)]
    assert shown("read_file", arguments, "x\ny") == [("a.py", "lines", 7, 8)]
    assert shown("view", arguments, CAT_N) == [("a.py", "lines", 7, 9)]


@pytest.mark.parametrize(
    ("arguments", "result", "views"),
    [
        ({}, None, [("a.py", "whole")]),
        ({}, "x\ny\n", [("a.py", "whole")]),
        ({}, "1\tx\n2\ty\n3\t", [("a.py", "lines", 1, 2)]),
        ({}, "     1→x\n     2→y", [("a.py", "lines", 1, 2)]),
        ({}, "1: x\n2: y\n3: z", [("a.py", "lines", 1, 3)]),
        ({"view_range": [7, -1]}, "7\tx\n8\ty\n9\t", [("a.py", "lines", 7, 8)]),
        ({"view_range": [7, 9]}, "7\tx\n8\ty\n9\t", [("a.py", "lines", 7, 9)]),
        ({"view_range": [7, 99]}, "7\tx\n8\ty\n9\t", [("a.py", "lines", 7, 8)]),
        ({"view_range": [7, -1]}, None, [("a.py", "lines", 7)]),
        ({"start_line": 7, "end_line": -1}, None, [("a.py", "lines", 7)]),
        ({"offset": 7}, None, [("a.py", "unknown")]),
        ({"view_range": [1, -1]}, None, [("a.py", "whole")]),
        ({"offset": 7}, "x\ny\n", [("a.py", "lines", 7, 8)]),
        ({"limit": 3}, "x\ny\nz\n", [("a.py", "lines", 1, 3)]),
        (
            {},
            "1\tx\n2\ty\n3\tz\n...\n90\ta\n91\tb\n92\tc",
            [
                ("a.py", "lines", 1, 3),
                ("a.py", "lines", 90, 92),
            ],
        ),
        ({"start_line": 5, "end_line": 6}, "4: x\n5: y\n6: z\n7: a", [("a.py", "lines", 4, 7)]),
        ({}, "8:30 and\n9:15 are times", [("a.py", "whole")]),
        ({}, "", []),
        ({}, "Error: ENOENT", []),
        ({}, "a.py does not exist", []),
        ({}, [{"type": "text", "text": "1\tx\n2\ty\n3\tz"}], [("a.py", "lines", 1, 3)]),
        ({}, [{"type": "image"}], [("a.py", "whole")]),
    ],
)
def test_a_result_is_evidence(arguments: Any, result: Any, views: list[Any]) -> None:
    assert shown("read_file", {"path": "a.py", **arguments}, result) == views


def test_an_editor_shows_only_numbered_views() -> None:
    views = [("/repo/a.py", "lines", 7, 9)]
    for name in ("str_replace_editor", "text_editor", "str_replace_based_edit_tool"):
        asked = {"command": "view", "path": "/repo/a.py", "view_range": [7, 9]}
        assert shown(name, asked, CAT_N) == views
        assert shown(name, {**asked, "command": "create"}, CAT_N) == []
    listing = "Here're the files and directories up to 2 levels deep in /repo:\n/repo/a.py\n"
    assert shown("text_editor", {"command": "view", "path": "/repo"}, listing) == []


def test_a_failed_call_shows_nothing() -> None:
    assert shown("read_file", {"path": "a.py"}, "x", success=False) == []
    assert shown("bash", {"command": "cat a.py"}, "timed out", success=False) == []
    assert shown("grep", {"pattern": "x"}, "a.py:1:x", success=False) == []


def test_shell_output_is_seen_no_matter_what_follows() -> None:
    result = "x = 1\ncat: b.py: No such file or directory\n[exit code 1]"
    command = {"command": "cat a.py b.py"}
    assert shown("bash", command, result, success=False) == [("a.py", "lines", 1, 1)]


@pytest.mark.parametrize(
    "arguments",
    [
        {"command": "head -n 50 a.py"},
        {"cmd": "head -n 50 a.py"},
        {"command": ["bash", "-lc", "head -n 50 a.py"]},
        {"command": ["head", "-n", "50", "a.py"]},
        '{"command": "head -n 50 a.py"}',
    ],
)
def test_shells(arguments: Any) -> None:
    for name in ("bash", "execute_bash", "functions.shell", "mcp__box__terminal", "Bash"):
        assert shown(name, arguments, "x\ny\n[exit code 0]") == [("a.py", "lines", 1, 2)]


def test_a_shell_runs_where_its_arguments_say() -> None:
    arguments = {"command": "cat a.py", "workdir": "/repo/src"}
    assert shown("bash", arguments, "x\n") == [("/repo/src/a.py", "lines", 1, 1)]


def test_some_shells_keep_their_folder() -> None:
    views = tool_views(keeps_folder=["bash"])
    folder = None
    for name in ("bash", "shell"):
        moved = views.views_of(ToolCall(name=name, arguments={"command": "cd src"}, result=""))
        assert moved is not None
        folder = moved.folder
        assert folder == ("src" if name == "bash" else None)
    read = ToolCall(name="bash", arguments={"command": "cat a.py"}, result="x\n")
    seen = views.views_of(read, folder="src")
    assert seen is not None
    assert [view.path for view in seen.views] == ["src/a.py"]


def test_searches_show_single_lines() -> None:
    found = "a.py:3:x = 1\nb/c.py:14-    y\nBinary file d matches\n"
    assert shown("grep", {"pattern": "x"}, found) == [
        ("a.py", "lines", 3, 3),
        ("b/c.py", "lines", 14, 14),
    ]
    assert shown("search_file", {"term": "x", "file": "a.py"}, "3: x = 1\n9: x") == [
        ("a.py", "lines", 3, 3),
        ("a.py", "lines", 9, 9),
    ]
    call = ToolCall(name="rg", arguments={"pattern": "x"}, result="a.py:3:x")
    known = TOOL_VIEWS.views_of(call)
    assert known is not None
    assert known.views == (View(path="a.py", extent=Extent.LINES, start=3, end=3, searched=True),)


WINDOW = "[File: /repo/a.py (300 lines total)]\n(99 more lines above)\n100:x\n101:y\n(199 below)"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("open", {"path": "/repo/a.py", "line_number": 150}),
        ("open", {"path": "a.py"}),
        ("goto", {"line_number": 150}),
        ("scroll_down", {}),
        ("scroll_up", None),
    ],
)
def test_a_window_shows_the_lines_that_it_numbers(name: str, arguments: Any) -> None:
    assert shown(name, arguments, WINDOW) == [("/repo/a.py", "lines", 100, 101)]
    assert shown(name, arguments, f"Edited.\n{WINDOW}") == [("/repo/a.py", "lines", 100, 101)]
    assert not shown(name, arguments, WINDOW, success=False)


def test_without_a_window_open_reads_and_the_others_are_not_known_to() -> None:
    assert shown("open", {"path": "a.py"}, "x\ny") == [("a.py", "whole")]
    assert shown("open", {"path": "a.py"}) == [("a.py", "whole")]
    for name in ("goto", "scroll_down", "scroll_up"):
        assert shown(name, {"url": "a.org"}, "Welcome.") is None
        assert shown(name, {}) is None


def test_several_paths_are_whole_files() -> None:
    assert shown("read_files", {"paths": ["a.py", "b.py"]}, "x") == [
        ("a.py", "whole"),
        ("b.py", "whole"),
    ]


@pytest.mark.parametrize("name", ["write_file", "create", "search_web", "finish", ""])
def test_other_tools_are_not_known_to_read(name: str) -> None:
    assert shown(name, {"path": "a.py"}, "1\tx") is None


@pytest.mark.parametrize("arguments", [None, "{", [], 7, {}, {"path": 7}, {"command": 7}])
def test_arguments_that_say_nothing_show_nothing(arguments: Any) -> None:
    for name in ("read_file", "bash", "text_editor"):
        assert shown(name, arguments, "1\tx\n2\ty\n3\tz") == []


@pytest.mark.parametrize(
    ("name", "arguments", "program"),
    [
        ("bash", {"command": "ls"}, "ls"),
        ("python", {"code": "print(1)"}, "print(1)"),
        ("python_interpreter", "print(1)", "print(1)"),
        ("python", '{"code": "print(1)"}', "print(1)"),
        ("bash", {"path": "a"}, None),
        ("read_file", {"code": "x"}, None),
    ],
)
def test_programs(name: str, arguments: Any, program: str | None) -> None:
    assert TOOL_VIEWS.program_of(ToolCall(name=name, arguments=arguments)) == program


@pytest.mark.parametrize(
    ("result", "code"),
    [
        ("x\n[exit code 1]", 1),
        ("[exit code 0]\n", 0),
        ("x\nExit code: 2", 2),
        ("x\n(exited with code 3)", None),
        ("x\n[Command finished with exit code 4]", 4),
        ("x\nProcess completed with exit code 5.", 5),
        ("x\nexit status 6", 6),
        ("it is exit code 1", None),
        ("exit code 1\nx", None),
        ("", None),
    ],
)
def test_exit_codes(result: str, code: int | None) -> None:
    assert exit_code_of(result) == code


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/fix.patch", "gold_patch"),
        ("/tests.diff", "test_patch"),
        ("/oracle/a.py", "gold_patch"),
        ("/repo/fix.patch", None),
        ("src/solution/a.py", None),
    ],
)
def test_a_file_of_the_solution_is_a_leak_once(path: str, kind: str | None) -> None:
    result = "1\tx\n2\ty\n3\tz\n\n7\tx\n8\ty\n9\tz\n"
    for name in ("read_file", "grep"):
        hits = f"{path}:1:x\n{path}:9:x"
        arguments: Any = {"path": path, "pattern": "x"}
        call = ToolCall(name=name, arguments=arguments, result=hits if name == "grep" else result)
        known = TOOL_VIEWS.views_of(call)
        assert known is not None
        assert known.views
        assert [(leak.kind, leak.evidence) for leak in known.leaks] == (
            [(kind, path)] if kind else []
        )
