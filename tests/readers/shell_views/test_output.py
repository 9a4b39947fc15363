"""What the output tells of the lines that were shown."""

from __future__ import annotations

import pytest

from trajmeter.readers.shell_views import shell_views


def text(count: int) -> str:
    return "".join(f"x{number}\n" for number in range(count))


def shown(
    command: str,
    output: str,
    exit_code: int | None = None,
    hidden: tuple[int, int] | None = None,
) -> list[str]:
    found = []
    for view in shell_views(command, output, exit_code=exit_code, hidden=hidden).views:
        extent = {
            "lines": f":{view.start}-{view.end}",
            "whole": "",
            "unknown": ":?",
        }[view.extent.value]
        found.append(f"{view.path}{extent}{'*' if view.searched else ''}")
    return found


DIFF = """\
diff --git a/src/a.py b/src/a.py
--- a/src/a.py
+++ b/src/a.py
@@ -1,3 +1,4 @@ def f():
 a
+b
+++ not a file
-c
 d
@@ -20 +21,2 @@
 e
+f
diff --git a/gone.py b/gone.py
--- a/gone.py
+++ /dev/null
@@ -1,2 +0,0 @@
-a
-b
"""


@pytest.mark.parametrize(
    ("command", "output", "expected"),
    [
        # One command: its lines are counted.
        ("cat a.py", text(6), ["a.py:1-6"]),
        ("cat a.py", "no newline at the end", ["a.py:1-1"]),
        ("cat a.py", "\n\n", ["a.py:1-2"]),
        # Numbers of lines that were numbered or found before are not those of the file.
        ("nl -ba a.py | tail -n +3 | cat -n", "1\t3\tx\n2\t4\ty\n", ["a.py:3-4"]),
        ("cat -n a.py | grep x | cat -n", "1\t7\tx\n", ["a.py:?*"]),
        ("grep -rn x src | cat -n", "1\tsrc/a.py:7:x\n", []),
        # A range of awk that would end before it begins goes on to the end.
        ("awk 'NR==3,NR==2' a.py", text(2), ["a.py:3-4"]),
        # pushd and popd print the folders, unless that goes elsewhere.
        ("pushd s; cat a.py; popd; cat b.py", "/r/s /r\nx\n/r\ny\n", ["s/a.py", "b.py"]),
        ("pushd s; sed -n 1,2p a.py; popd", "/r/s /r\nx\ny\n/r\n", ["s/a.py:1-2"]),
        ("pushd s >/dev/null; cat a.py; popd >/dev/null", "x\ny\n", ["s/a.py:1-2"]),
        ("cat a.py", "", ["a.py"]),
        ("head -n 50 a.py", text(10), ["a.py:1-10"]),
        ("head -n 5 a.py", text(5), ["a.py:1-5"]),
        ("sed -n '1,400p' a.py", text(22), ["a.py:1-22"]),
        ("sed -n '400,500p' a.py", "", []),
        ("tail -n +30 a.py", text(2), ["a.py:30-31"]),
        ("sed -n '10,$p' a.py", text(4), ["a.py:10-13"]),
        ("head -n -3 a.py", text(7), ["a.py:1-7"]),
        ("sed -n '1,5p;10,20p' a.py", text(7), ["a.py:1-5", "a.py:10-11"]),
        ("tail -n 6 a.py", text(6), ["a.py:?"]),
        ("cat a.py | head -20 | tail -n +5", text(16), ["a.py:5-20"]),
        ("cd src && cat a.py", text(2), ["src/a.py:1-2"]),
        # Lines that are printed twice cannot be counted.
        ("sed -n '1,5p;3,9p' a.py", text(12), ["a.py:1-9"]),
        # Numbers in the output.
        ("cat -n a.py", "     1\ta\n     2\tb\n", ["a.py:1-2"]),
        ("nl -ba a.py | sed -n '8,20p'", "     8\ta\n     9\t\n", ["a.py:8-9"]),
        ("cat -n a.py | tail -n 2", "    30\ta\n    31\tb\n", ["a.py:30-31"]),
        ("cat -n a.py | grep foo", "     3\tfoo\n     9\tfoo\n", ["a.py:3-3*", "a.py:9-9*"]),
        ("awk 'NR>=3{print NR\": \"$0}' a.py", "3: a\n4: b\n", ["a.py:3-4"]),
        ("awk '/f/{print NR\": \"$0}' a.py", "3: f\n7: f\n", ["a.py:3-3", "a.py:7-7"]),
        # nl without -ba does not number empty lines; sed counts them all.
        ("nl a.py | sed -n '3,4p'", "       \n     3\tb\n", ["a.py:3-4"]),
        # The numbers are those of the filter's input, not of the file.
        ("sed -n '10,12p' a.py | cat -n", "     1\ta\n     2\tb\n", ["a.py:10-11"]),
        # Searches.
        ("grep -n f a.py", "3:f\n4:f\n", ["a.py:3-3*", "a.py:4-4*"]),
        ("grep -n f a.py", "", []),
        ("grep f a.py", "f\n", ["a.py:?*"]),
        ("cat a.py | grep -n f", "3:f\n", ["a.py:3-3*"]),
        ("grep -n -A1 f a.py", "3:f\n4-g\n--\n9:f\n10-h\n", ["a.py:3-4*", "a.py:9-10*"]),
        ("grep -n f a.py b.py", "a.py:3:f\nb.py:1:x:2:f\n", ["a.py:3-3*", "b.py:1-1*"]),
        ("grep f a.py b.py", "b.py:f\n", ["b.py:?*"]),
        ("grep -rn f . | head -2", "./a.py:3:f\n./s/b.py:4:f\n", ["a.py:3-3*", "s/b.py:4-4*"]),
        ("cd src && grep -rn f", "a.py:3:f\n", ["src/a.py:3-3*"]),
        ("git grep -n f", "src/a.py:3:f\n", ["src/a.py:3-3*"]),
        ("rg -n -C1 f", "a.py-2-e\na.py:3:f\na.py-4-g\n--\n", ["a.py:2-4*"]),
        ("rg -n f", "a.py\n3:f\n\nb.py\n4:f\n", ["a.py:3-3*", "b.py:4-4*"]),
        ("rg -n f src/a.py", "3:f\n", ["src/a.py:3-3*"]),
        ("find . -name '*.py' | xargs grep -n f", "./a.py:3:f\n", ["a.py:3-3*"]),
        ("find . -exec grep -Hn f {} +", "./a.py:3:f\n", ["a.py:3-3*"]),
        ("grep -rn f . | wc -l", "12\n", []),
        # Diffs: lines as they are after it.
        ("git diff", DIFF, ["src/a.py:1-4", "src/a.py:21-22"]),
        ("git diff HEAD -- src", DIFF, ["src/a.py:1-4", "src/a.py:21-22"]),
        ("git show abc123", DIFF, ["src/a.py:?"]),
        ("git log -p -1", DIFF, ["src/a.py:?"]),
        # Several files.
        (
            "head -n 2 a.py b.py",
            "==> a.py <==\n1\n2\n\n==> b.py <==\n1\n",
            ["a.py:1-2", "b.py:1-1"],
        ),
        ("cat a.py b.py", text(9), ["a.py", "b.py"]),
        ("cat *.py", text(9), []),
        ("tail -n +2 *.py", "==> a.py <==\nx\n", []),
    ],
)
def test_one_command(command: str, output: str, expected: list[str]) -> None:
    assert shown(command, output) == expected


@pytest.mark.parametrize(
    ("command", "output", "expected"),
    [
        ("cat a.py; echo ---; cat b.py", "x\ny\n---\nz\n", ["a.py:1-2", "b.py:1-1"]),
        (
            "echo '== a'; cat a.py; echo '== b'; cat b.py",
            "== a\nx\n== b\ny\n",
            ["a.py:1-1", "b.py:1-1"],
        ),
        # A line of the file equals the text: where one ends is not known.
        ("cat a.py; echo ---; cat b.py", "x\n---\n---\nz\n", ["a.py", "b.py"]),
        ("cat a.py && cat b.py", text(5), ["a.py", "b.py"]),
        ("wc -l a.py && cat a.py", "2 a.py\nx\ny\n", ["a.py:1-2"]),
        ("pwd; sed -n 5,9p a.py", "/x\n" + text(3), ["a.py:5-7"]),
        ("cat -n a.py; cat -n b.py", "  1\ta\n  2\tb\n  1\tc\n", ["a.py:1-2", "b.py:1-1"]),
        ("sed -n 1,2p a.py; sed -n 7,9p b.py", text(5), ["a.py:1-2", "b.py:7-9"]),
        # One of the files is shorter than was asked for, and nothing tells which.
        ("sed -n 1,2p a.py; sed -n 7,9p b.py", text(4), ["a.py:1-2", "b.py:7-9"]),
        ("cat a.py; pytest -q", text(9), ["a.py"]),
        ("cd src && export A=b && cat a.py", text(9), ["src/a.py:1-9"]),
        ("pytest -q; echo END; cat a.py", text(9) + "END\nx\n", ["a.py:1-1"]),
    ],
)
def test_several_commands(command: str, output: str, expected: list[str]) -> None:
    assert shown(command, output) == expected


MISSING = "cat: a.py: No such file or directory\n"


@pytest.mark.parametrize(
    ("command", "output", "exit_code", "expected"),
    [
        ("cat a.py", MISSING, 1, []),
        ("cat a.py", MISSING, None, []),
        ("cat a.py | head -3", MISSING, 0, []),
        ("cat a.py; cat b.py", MISSING + text(3), 0, ["b.py:1-3"]),
        ("cat a.py b.py", MISSING + text(3), 1, ["b.py:1-3"]),
        ("cat a.py && cat b.py", MISSING, 1, []),
        ("cat a.py || cat b.py", MISSING + text(3), 0, ["b.py:1-3"]),
        ("cat a.py || cat b.py", text(3), 0, ["a.py:1-3"]),
        ("cat a.py 2>/dev/null", "", 1, []),
        ("sed -n 1,3p src", "sed: couldn't edit src: not a regular file\n", 4, []),
        ("sed -n 1,3p a.py", "sed: can't read a.py: No such file or directory\n", 2, []),
        (
            "head -n 5 a.py",
            "head: cannot open 'a.py' for reading: No such file or directory\n",
            1,
            [],
        ),
        ("cat src", "cat: src: Is a directory\n", 1, []),
        ("cd no && cat a.py", "bash: line 1: cd: no: No such file or directory\n", 1, []),
        ("cd no; cat a.py", "sh: 1: cd: can't cd to no\n" + text(2), 0, ["a.py:1-2"]),
        ("grep -n f a.py", "", 1, []),
        (
            "grep -n f a.py b.py",
            "a.py:3:f\ngrep: b.py: No such file or directory\n",
            2,
            ["a.py:3-3*"],
        ),
        # What failed was the last of the chain, or the tests in the middle of it.
        ("cat a.py && pytest -q", text(3), 1, ["a.py"]),
        ("pytest -q && cat a.py", text(3), 1, []),
        ("test -f a.py && cat a.py", "", 1, []),
        ("cat a.py", "", -1, []),
        ("yes | cat a.py", text(3), 141, ["a.py:1-3"]),
        ("bat a.py", "bash: line 1: bat: command not found\n", 127, []),
    ],
)
def test_failures(command: str, output: str, exit_code: int | None, expected: list[str]) -> None:
    assert shown(command, output, exit_code) == expected


def test_exit_code_without_output() -> None:
    assert shell_views("cat a.py", exit_code=1).views == ()
    assert len(shell_views("cat a.py", exit_code=0).views) == 1


def test_hidden_characters() -> None:
    output = text(10)  # lines of three characters
    assert shown("cat a.py", output, hidden=(9, 21)) == ["a.py:1-3", "a.py:8-10"]
    assert shown("sed -n 5,14p a.py", output, hidden=(10, 20)) == ["a.py:5-7", "a.py:12-14"]
    numbered = "".join(f"{number:6}\tx\n" for number in range(1, 6))
    assert shown("cat -n a.py", numbered, hidden=(9, 17)) == ["a.py:1-1", "a.py:3-5"]


def test_output_without_its_empty_lines() -> None:
    def seen(command: str, count: int) -> list[tuple[int | None, int | None]]:
        views = shell_views(command, text(count).strip(), trimmed=True).views
        return [(view.start, view.end) for view in views]

    assert seen("sed -n '10,24p' a.py", 13) == [(10, 24)]  # the others are empty
    assert seen("sed -n '1,400p' a.py", 22) == [(1, 22)]  # the file has no more
    assert seen("cat a.py", 22) == [(1, 22)]


@pytest.mark.parametrize(
    "mark",
    [
        "<response clipped><NOTE>more</NOTE>",
        "[... Observation truncated due to length ...]",
        "[... omitted 12 of 300 lines ...]",
        "…1234 tokens truncated…",
    ],
)
def test_output_that_was_cut(mark: str) -> None:
    assert shown("cat a.py", f"{text(3)}{mark}\n{text(2)}") == ["a.py:1-3"]
    assert shown("cat -n a.py", f"  1\tx\n{mark}\n  9\ty\n") == ["a.py:1-1", "a.py:9-9"]
    assert shown("cat a.py; cat b.py", f"{text(3)}{mark}\n{text(2)}") == ["a.py", "b.py"]


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        ("/proc/repo", ["/proc/repo/a.py"]),
        ("/proc/repo/", ["/proc/repo/a.py"]),
        ("/proc", []),
        ("/repo", []),
        (None, []),
    ],
)
def test_files_of_a_repository_in_a_temporary_folder(root: str | None, expected: list[str]) -> None:
    command = "cat a.py; cat /proc/a.txt; cat /proc/repository/b.py"
    found = shell_views(command, None, folder="/proc/repo", root=root).views
    assert [view.path for view in found] == expected
