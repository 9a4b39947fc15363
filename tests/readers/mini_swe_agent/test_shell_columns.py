"""What shell commands of logs showed, found in Rust, beside what the shell views find."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.readers.both_ways import as_batches, as_records

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("rust")

COLUMNS = ("turns.views", "final_views", "leaks")

WORDS = r"""cat sed -n '10,20p' 3,9p '1!G;h;$!d' a.py src/b.py ./a.py /repo/a.py -e 2p;3q head -5
tail -n5 -n 3 +2 -c nl -ba awk 'NR>=3&&NR<=9' 'NR==2,NR==4{print$0}' {print} NR==1||NR==5
'NR==4,NR==2' grep -rn
-A2 --include=*.py rg -l x . src git show HEAD:a.py HEAD~1:a.py diff log -p blame -L 2,3 --all fetch
-C /repo origin/main @{u} echo --- hello printf 'hi\n' cd .. pushd popd /repo - | && || ; & ( ) { }
> < 2>&1 2>/dev/null <<EOF EOF ' " ` $( ) $x ${x} * ? [ ] # \ = X=1 sudo timeout 5 bash -c
'cat a.py' xargs find -exec bat -r 2:4 --line-range=3: less wc -l true false exit sort tac cut -c1-9
test -f /fix.patch /tmp/x /solution/a curl https://github.com/a/b é 999999999999999999999"""
PIECES = st.sampled_from([*WORDS.split(), " ", "\n", "\t", "\\\n", "\nEOF\n", "\u00b2", "\x1f"])
COMMANDS = st.one_of(
    st.lists(PIECES, max_size=12).map(" ".join),
    st.lists(PIECES, max_size=12).map("".join),
    st.text(max_size=20),
)
READING = st.sampled_from(
    """cat a.py|sed -n '2,4p' a.py|nl -ba a.py src/b.py|head -n 2 a.py src/b.py|grep -n x a.py
grep -rn x src|rg -n -C1 x|rg x a.py|git diff|git show HEAD:a.py|git log -p|awk 'NR<3' a.py|echo ---
tail -n +3 a.py|bat -n a.py|git blame -L 2,5 a.py|grep x a.py|less -N a.py|cat -n a.py|sed 5q a.py
cat /tmp/a.py|git -C lib grep -n x|find . -exec grep -n x {} +|cat a.py b.py|head -3 a.py
echo a.py:|printf 'one\\ntwo\\n'|false|cat no.py|cd src|pushd src|popd|git log --all|cat /fix.patch
sed -n '1,3p;9,12p' a.py|awk 'NR==2{exit}1' a.py|sed '3,5d' a.py|tac a.py|wc -l a.py""".replace(
        "\n", "|"
    ).split("|")
)
FILTERS = st.sampled_from(
    """head -2|tail -2|sed -n 2,3p|grep x|grep -n x|nl -ba|cat -n|cat|sort|cut -c1-80|tr a b
awk 'NR>1'|wc -l|head -n -1|tail -n +2|sed 's/a/b/'|less|rg -n x|xargs cat|tee b""".replace(
        "\n", "|"
    ).split("|")
)
PIPELINES = st.tuples(READING, st.lists(FILTERS, max_size=2)).map(
    lambda p: " | ".join([p[0], *p[1]])
)
LISTS = st.lists(
    st.tuples(PIPELINES, st.sampled_from([" && ", "; ", " || ", "\n", " & ", " 2>&1; ", " > b; "])),
    min_size=1,
    max_size=5,
).map(lambda parts: "".join(map("".join, parts)).rstrip(" &|;\n"))
GROUPS = LISTS | LISTS.map("({})".format) | LISTS.map('bash -lc "{}"'.format)

LINES = st.sampled_from(
    """1	x|     2	import os|3:y|4-z|5→x|  6|a.py:3:z|a.py-4-z|src/b.py:1:x|src/b.py|--|---
==> a.py <==|==> src/b.py <==|diff --git a/a.py b/a.py|--- a/a.py|+++ b/a.py|+++ "b/a.py"
@@ -1 +1,2 @@|@@ -1,2 +3 @@ def|@@ -0,0 +1,9 @@|+x|-x| x||a.py:|one|two|hello|x|y
cat: no.py: No such file or directory|cat: a.py: Is a directory|bash: x: command not found
bash: line 1: cd: src: No such file or directory|sed: can't read a.py: No such file or directory
é: not found|catÉ: a.py: not found|<response clipped>|<elided_chars>|... 12 lines truncated ...
[... omitted 5 of 9 lines ...]|… +3 lines truncated|... [7 characters truncated|fatal: bad
\u0663:x|12\r|1|2|10:x|007:x|1234567890123456789:x|a.py:1234567890123456789:x|a:b:3:x|:3:x""".replace(
        "\n", "|"
    ).split("|")
) | st.text(max_size=6)
OUTPUTS = st.tuples(st.lists(LINES, max_size=12), st.sampled_from(["", "\n", "\n\n"])).map(
    lambda parts: "\n".join(parts[0]) + parts[1]
)
CODES = st.sampled_from([0, 0, 0, 1, 2, 141, -1])


SHOWN = ["", "elided_chars>\n7", 'elided_chars": 2', "elided_chars\u00e93"]
IMAGES = st.sampled_from(["", "x_m_repo:pr-1", "_m_:", "a_m_b/c"])


@st.composite
def actions(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A command, and the message that says what became of it."""
    command = draw(GROUPS | COMMANDS)
    output = draw(OUTPUTS)
    shown = draw(
        st.sampled_from(["", "elided_chars>\n7", 'elided_chars": 2', "elided_chars\u00e93"])
    )
    extra = {"returncode": draw(CODES), "raw_output": draw(st.sampled_from([output, output, None]))}
    return command, {"role": "tool", "content": shown, "extra": extra}


def log(done: list[tuple[str, dict[str, Any]]], folder: str | None, image: str) -> bytes:
    messages: list[dict[str, Any]] = []
    for command, result in done:
        answer = {"role": "assistant", "extra": {"actions": [{"command": command}]}}
        messages += [answer, result]
    environment = {"cwd": folder, "image": image}
    return json.dumps(
        {
            "trajectory_format": "mini-swe-agent-1.1",
            "info": {"config": {"environment": environment}},
            "messages": messages,
        }
    ).encode()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs") / "run.traj.json"


FOLDERS = st.sampled_from([None, "", "/repo", "/repo/", "/home", "src", "~", "/"])


@given(st.lists(actions(), max_size=6), FOLDERS, IMAGES)
def test_commands_show_the_same(
    path: Path, done: list[tuple[str, dict[str, Any]]], folder: str | None, image: str
) -> None:
    path.write_bytes(log(done, folder, image))
    read, _ = as_batches(path, COLUMNS)
    assert read == as_records(path, COLUMNS)


@given(st.lists(st.tuples(GROUPS, OUTPUTS.filter(str.isascii)), max_size=4))
def test_most_commands_are_certain(path: Path, done: list[tuple[str, str]]) -> None:
    results = [
        (command, {"extra": {"returncode": 0, "raw_output": output}}) for command, output in done
    ]
    path.write_bytes(log(results, "/repo", ""))
    read, as_record = as_batches(path, COLUMNS)
    assert (len(read.rows), as_record) == (1, 0)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("cat a\u00b2.py", "x\n"),  # whether this is a digit, Python knows
        ("sed -n 's\u00e9a\u00e9b\u00e9' a.py", "x\n"),
        ("echo $\u00e9", "x\n"),
        ("bat -r 9:3 a.py", "x\n"),  # a range that ends before it begins
        ("grep -n x .", "\u0663:x\n"),
        ("cat a.py", "\u00e9.py: not found\n"),
        ("cat 'a\0b'", "x\n"),
    ],
)
def test_a_log_that_is_not_certain_is_read_as_a_record(
    path: Path, command: str, output: str
) -> None:
    result = {"extra": {"returncode": 0, "raw_output": output}}
    path.write_bytes(log([(command, result)], None, ""))
    read, as_record = as_batches(path, COLUMNS)
    assert read == as_records(path, COLUMNS)
    assert as_record == 1


SIZE = 1_000_000


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("(" * SIZE, "x\n"),
        ("cat a; " * (SIZE // 7), "cat: b: No such file or directory\n" * 2_000),
        ("grep " + "a " * (SIZE // 2), "x\n" * SIZE),
        ("head " + "a " * (SIZE // 2), "==> b <==\n" * (SIZE // 10)),
        ("pushd a; (popd); " * (SIZE // 17), "x\n"),
        ("echo a; " * (SIZE // 8), "x\n" * SIZE),
        ("sed -n '" + "1,2p;" * 199 + "' a" + (" | sed -n '" + "1p;3p;" * 99 + "'") * 99, "x\n"),
        ("awk '" + "||".join(["NR==2"] * (SIZE // 7)) + "' a.py", "x\n" * SIZE),
        ("git log " + "..origin/..@{}:" * (SIZE // 16), "x\n"),
        ("cat " + "../" * (SIZE // 3), "x\n"),
    ],
    ids=lambda text: text[:12].strip(),
)
def test_long_commands_and_outputs(path: Path, command: str, output: str) -> None:
    """Work is bounded; what would take more than linear time is left to the record reader."""
    from trajmeter.readers._columns.column_reader import column_reader

    path.write_bytes(log([(command, {"extra": {"returncode": 0, "raw_output": output}})], None, ""))
    reader = column_reader(frozenset(COLUMNS))
    assert reader is not None
    reader.read_logs([str(path)])  # a quadratic algorithm takes longer than a test may
