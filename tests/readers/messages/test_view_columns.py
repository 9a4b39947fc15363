"""What calls of tools show of files, found in Rust, beside what the tool views find."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.readers.messages.any_messages import READERS, SHELLS
from tests.readers.messages.test_columns import call, same
from trajmeter import from_messages

pytestmark = pytest.mark.usefixtures("rust")

COLUMNS = ("turns.views", "leaks")

NUMBERS = st.sampled_from(
    [
        1,
        0,
        3,
        -1,
        -2,
        7.0,
        2.5,
        "4",
        " -1 ",
        "5x",
        "\u0663",
        "",
        True,
        None,
        [1],
        2**53,
        -0.0,
    ]
)
PATHS = st.sampled_from(
    ["a.py", "/repo/\u00e9.py", "", ["a.py", "b.py", 3], "/home/fix.patch", "/oracle/b.py", None, 3]
)
RANGES = st.lists(NUMBERS, max_size=3) | NUMBERS
COMMANDS = st.sampled_from(
    [
        "view",
        "create",
        "cat a.py",
        "sed -n '2,4p' a.py; head -3 b.py",
        "cd src && grep -n x a.py",
        "cat /fix.patch",
        "git log -p",
        ["bash", "-lc", "cat a.py"],
        ["cat", "it's.py"],
        "",
        None,
        3,
        "cat \u00b2",
    ]
)
ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "path": PATHS,
        "file": PATHS,
        "paths": PATHS,
        "start_line": NUMBERS,
        "offset": NUMBERS,
        "end_line": NUMBERS,
        "limit": NUMBERS,
        "view_range": RANGES,
        "line_range": RANGES,
        "command": COMMANDS,
        "cmd": COMMANDS,
        "workdir": st.sampled_from(["/repo", "src", "", None, 3]),
    },
)
READING = st.fixed_dictionaries(
    {"path": st.just("a.py")},
    optional={"start_line": NUMBERS, "limit": NUMBERS, "end_line": NUMBERS},
)
LINES = st.sampled_from(
    """1	x|     2	import os|3	|4→z|  5│ x|  6|x|7: |8:y|9|10:x|10-x|a.py:3:x|a.py-4-z
src/b.py:5|a b:6:x| c:7:x|:8:x|x||[File: a.py (30 lines total)]|[File: b (1) (3 lines total)]
(2 more lines above)|[File: a.py (x lines total)]|ERROR: gone|error|errors|[error] x|<tool-error>
<é>error|Traceback (most|a.py: No such file|permission denied|é|\u0663:x|1234567890:x|[exit code 1]
exit status: 0|x = 1|The command exited with exit code 2.|     \u00e9 exit code 1|007:x
tracebac\u212a (""".replace("\n", "|").split("|")
)
TEXTS = st.builds(
    lambda lines, end: "\n".join(lines) + end,
    st.lists(LINES, max_size=8),
    st.sampled_from(["", "\n", "\n\n", "\r\n"]),
)
CONSECUTIVE = st.builds(
    lambda first, count, mark, end: (
        "".join(
            f"{n:6}{mark}{'' if n + 1 == first + count else 'x'}\n"
            for n in range(first, first + count)
        )
        + end
    ),
    st.integers(0, 9),
    st.integers(1, 5),
    st.sampled_from(["\t", "→", "│", "│ ", "|", ": ", ":"]),
    st.sampled_from(["", "x", "20:y"]),
)
RESULTS = st.one_of(
    CONSECUTIVE,
    TEXTS,
    TEXTS,
    st.lists(TEXTS.map(lambda text: {"type": "text", "text": text}), max_size=2),
    st.lists(TEXTS | st.none() | st.just({"type": "image"}), max_size=2),
    st.none(),
    st.just({"a": 1}),
)
TOOLS = st.sampled_from(
    [*READERS, *READERS, "functions.view", "Read", "mcp__fs__open", "f", *SHELLS[:2]]
)


@given(
    st.lists(st.tuples(TOOLS, READING | ARGUMENTS, RESULTS, st.booleans()), min_size=1, max_size=4)
)
def test_tools_show_the_same(done: list[tuple[str, Any, Any, bool]]) -> None:
    messages: list[dict[str, Any]] = []
    for number, (name, arguments, result, is_answered) in enumerate(done):
        text = json.dumps(call(name, arguments, result)).replace('"c"', f'"c{number}"')
        messages += json.loads(text)[: 3 if is_answered else 2]
    line = json.dumps({"task_id": "t", "messages": messages}).encode()
    same(line, COLUMNS)
    same(line, None)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        ({"path": "a.py"}, "1\tx\n2\ty\n"),
        ({"path": "a.py", "start_line": 2, "limit": 9}, "x\ny\n"),
        ({"path": "a.py", "view_range": [3, -1], "command": "view"}, "     3\tx\n     4\t"),
        ({"path": "a.py"}, "a.py: no such file"),
        ({"path": "a.py"}, "[File: /a.py (9 lines total)]\n3:x\n4:y"),
        ({"paths": ["a.py", "b.py"]}, "x"),
        ({"pattern": "x"}, "a.py:3:x\nb.py:4:x"),
        ({"path": "/home/test.patch"}, "1\tx\n2\ty\n\n7\tx\n8\ty\n9\tz\n"),
        ({"pattern": "x"}, "/solution/b.py:4:x\n/solution/b.py:5:x"),
    ],
)
def test_calls_that_are_certain(name: str, arguments: Any, result: str) -> None:
    line = json.dumps({"task_id": "t", "messages": call(name, arguments, result)})
    assert same(line.encode(), COLUMNS) == 0


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("view", {"path": "a.py"}, "\u0663:x"),
        ("view", {"path": "a.py", "start_line": "\u0663"}, "x"),
        ("view", {"path": "a.py", "limit": 2**60}, "x"),
        ("view", {"path": "a.py"}, "<\u00e9>"),
        ("bash", {"command": "cat a.py", "cwd": ""}, "x"),
        ("bash", {"command": "cat a\u00b2.py"}, "x"),
    ],
)
def test_a_call_that_is_not_certain_is_read_as_a_record(
    name: str, arguments: Any, result: str
) -> None:
    line = json.dumps({"task_id": "t", "messages": call(name, arguments, result)})
    assert same(line.encode(), COLUMNS) == 1


@pytest.mark.parametrize("name", ["view", "bash"])
def test_what_a_call_without_arguments_and_result_showed_is_unknown(name: str) -> None:
    messages: list[dict[str, Any]] = call(name, {})[:2]
    del messages[1]["tool_calls"][0]["function"]["arguments"]
    line = json.dumps({"task_id": "t", "messages": messages})
    assert same(line.encode(), COLUMNS) == 0
    attempt = from_messages(messages, task_id="t")
    assert [turn.views for turn in attempt.turns or ()] == [None]
    assert attempt.leaks is None
