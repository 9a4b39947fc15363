"""What shell commands show, by ContextBench's rules for mini-swe-agent."""

from __future__ import annotations

import pytest

from trajmeter.readers.mini_swe_agent.contextbench import shown


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat src/a.py", [("src/a.py", None)]),
        ("cat a.rs", [("a.rs", None)]),
        ("cat src/a.py src/b.py", [("src/a.py", None)]),
        ("cat src/a.py | head -20", [("src/a.py", None)]),
        ("cat src/a.py; ls", [("src/a.py", None)]),
        ("cd /testbed/src && cat a.py", [("a.py", None)]),
        ("cat a.c || cat b.h", [("a.c", None), ("b.h", None)]),
        ("head -n 20 src/a.py", [("src/a.py", (1, 20))]),
        ("sed -n '10,20p' src/a.py", [("src/a.py", (10, 20))]),
        ('sed -n "10,20p" src/a.py', [("src/a.py", (10, 20))]),
        ("sed -n 10,20p src/a.py b.py", [("src/a.py", (10, 20))]),
        ("sed -n '20,10p' a.py", [("a.py", (20, 10))]),
        ("sed -n '0,10p' a.py", [("a.py", (0, 10))]),
        ("nl -ba src/a.py | sed -n '10,20p'", [("src/a.py", (10, 20))]),
        ("nl -ba a.py | sed -n '1,5p;10,20p'", [("a.py", (1, 5))]),
        ("grep -n foo src/a.py", [("src/a.py", None)]),
        ("git grep -n foo src/a.py", [("src/a.py", None)]),
        ("grep -n foo a.py b.py", [("a.py", None)]),
        ("cd /testbed\ncat a.py", [("a.py", None)]),
        ("timeout 9 cat '/testbed/a.py' 2> x", [("a.py", None)]),
        ("ls | xargs cat a.py; cat a.py", [("a.py", None)]),
        ("if true; then head -n 9 a.go>x; fi", [("a.go", (1, 9))]),
        ("for n in 1 2; do sed -n 3,9p a.rs<x; done", [("a.rs", (3, 9))]),
        ("cat .py", [(".py", None)]),
        ("nl -ba -w 3 a.py | sed -n 3,9p", [("a.py", (3, 9))]),
        ("nl   'a.py' | sed -n 3,9p", [("a.py", (3, 9))]),
        ("grep x\na.py", [("a.py", None)]),
        ("grep x y\nz grep a b.py", [("b.py", None)]),
        ("grep  a.py", [("a.py", None)]),
        ("grep  a.py b.py", [("b.py", None)]),
        ('grep -n "a.py" src/b.py', [("a.py", None)]),  # the pattern, not the file
        ("grep -rn foo src --include=*.py", [("--include=*.py", None)]),
        ("grep foo src/a.py.bak", [("src/a.py", None)]),
    ],
)
def test_commands_that_show_files(
    command: str, expected: list[tuple[str, tuple[int, int] | None]]
) -> None:
    assert shown(command) == expected


@pytest.mark.parametrize(
    "command",
    [
        *("", "ls", "cat README.md", "cat a.cc", "cat A.PY", "cat", "cat > a.py"),
        *("cat -n src/a.py", "cat -n src/a.py | sed -n '10,20p'", 'cat "src/my file.py"'),
        *("cat a.c++", "cat a.py.bak | grep x b.py", "sed -n 3,9p a.md | cat b.rs", "xcat a.py"),
        *("nl  a.py | sed -n 3,9p", "nl -ba a.py | cat | sed -n 3,9p", "grep x y\nz a.py"),
        *(
            "grep a.py",
            "grep\na.py",
            "(cat src/a.py)",
            "X=$(cat src/a.py)",
            "find . -exec cat {} \\;",
        ),
        *("head a.py", "head -20 a.py", "head -n20 a.py", "tail -n 20 a.py"),
        *("sed -n '10p' a.py", "sed -n '10,$p' a.py", "sed -n '10,+5p' a.py"),
        *("sed -n '1,5p;10,20p' a.py", "sed -n -e '10,20p' a.py", "sed '10,20!d' a.py"),
        *("nl -ba a.py", "nl a.py | sed -n '10,20p'", "nl -ba a.py | head"),
        *("grep -rn foo src/", "egrep foo a.py", "rg foo a.py", "git show a.py"),
        # A word that occurs anywhere, even within another, hides the whole command.
        *("transform x && cat a.py", "echo --- && cat a.py", "cat a.py # COMPLETE_TASK"),
        *("mkdir x; cat a.py", "git add a.py; cat a.py", "sed -i 's/a/b/' a.py && cat a.py"),
    ],
)
def test_commands_that_show_nothing(command: str) -> None:
    assert shown(command) == []


def test_long_commands() -> None:
    # A quadratic algorithm takes longer than a test may.
    assert [view.path for view in shown("grep x\ny a.py\n" * 100_000)] == []
