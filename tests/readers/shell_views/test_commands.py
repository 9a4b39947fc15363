"""What commands ask for: the views that count where no output is known."""

from __future__ import annotations

import pytest

from trajmeter.readers.shell_views import shell_views


def asked(command: str, folder: str | None = None) -> list[str]:
    """The views of a command: a path, ``path:first-last``, ``path:?``, and ``*`` after a search."""
    found = []
    for view in shell_views(command, folder=folder).views:
        extent = {
            "lines": f":{view.start}-{view.end}",
            "whole": "",
            "unknown": ":?",
        }[view.extent.value]
        found.append(f"{view.path}{extent}{'*' if view.searched else ''}")
    return found


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        # Whole files.
        ("cat src/a.py", ["src/a.py"]),
        ("cat -n src/a.py", ["src/a.py"]),
        ("cat a.py b.py", ["a.py", "b.py"]),
        ("nl -ba a.py", ["a.py"]),
        ("less +12 a.py", ["a.py"]),
        ("more a.py", ["a.py"]),
        ("bat --style=plain a.py", ["a.py"]),
        ("/bin/cat a.py", ["a.py"]),
        ("cat < a.py", ["a.py"]),
        ("cat -- -odd.py", ["-odd.py"]),
        ("cat README.md Makefile", ["README.md", "Makefile"]),
        # Lines by number.
        ("head -n 20 a.py", ["a.py:1-20"]),
        ("head -20 a.py", ["a.py:1-20"]),
        ("head -n20 a.py", ["a.py:1-20"]),
        ("head --lines=20 a.py", ["a.py:1-20"]),
        ("head --lines 20 a.py", ["a.py:1-20"]),
        ("head a.py", ["a.py:1-10"]),
        ("head -n 5 a.py b.py", ["a.py:1-5", "b.py:1-5"]),
        ("sed -n '10,20p' a.py", ["a.py:10-20"]),
        ("sed -n 10,20p a.py", ["a.py:10-20"]),
        ('sed -n "10,20p;" a.py', ["a.py:10-20"]),
        ("sed -n '10p' a.py", ["a.py:10-10"]),
        ("sed -n ' 1,5p ; 10 , 20 ! p ;  ' a.py", ["a.py:1-9", "a.py:?"]),
        ("sed -n ' 1,5p ; 10 , 20 p ;  ' a.py", ["a.py:1-5", "a.py:10-20"]),
        ("sed -n '10,+5p' a.py", ["a.py:10-15"]),
        ("sed -n '1,5p;10,20p' a.py", ["a.py:1-5", "a.py:10-20"]),
        ("sed -n -e '1,5p' -e '4,9p' a.py", ["a.py:1-9"]),
        ("sed -ne 1,5p a.py", ["a.py:1-5"]),
        ("sed '10,20!d' a.py", ["a.py:10-20"]),
        ("sed 5q a.py", ["a.py:1-5"]),
        ("sed -n '3,9p;5q' a.py", ["a.py:3-5"]),
        ("sed -n '10,20{=;p}' a.py", ["a.py:10-20"]),
        # A second address before the first ends the range at its first line.
        ("sed -n '20,10p' a.py", ["a.py:20-20"]),
        ("sed 's/a/b/g' a.py", ["a.py"]),
        ("awk 'NR>=10 && NR<=20' a.py", ["a.py:10-20"]),
        ("awk 'NR==10,NR==20 {print NR\": \"$0}' a.py", ["a.py:10-20"]),
        ("awk 'FNR>9&&FNR<21{print}' a.py", ["a.py:10-20"]),
        ("awk 'NR==3||NR==7' a.py", ["a.py:3-3", "a.py:7-7"]),
        ("awk 'NR>=10{print} NR>20{exit}' a.py", ["a.py:10-20"]),
        ("awk 'NR==20{exit} {print}' a.py", ["a.py:1-20"]),
        ("bat -r 5:9 a.py", ["a.py:5-9"]),
        ("git blame -L 5,9 src/a.py", ["src/a.py:5-9"]),
        ("git blame -L5,+3 a.py", ["a.py:5-7"]),
        # Lines whose numbers the command does not tell.
        ("tail -n 5 a.py", ["a.py:?"]),
        ("tail -n +30 a.py", ["a.py:?"]),
        ("sed -n '10,$p' a.py", ["a.py:?"]),
        ("sed -n '/def f/,/^$/p' a.py", ["a.py:?"]),
        ('sed -n "${from},${to}p" a.py', ["a.py:?"]),
        ("sed -f script.sed a.py", ["a.py:?"]),
        ("head -c 100 a.py", ["a.py:?"]),
        ("head -n -3 a.py", ["a.py:?"]),
        ("awk '/def/ {print $0}' a.py", ["a.py:?"]),
        ("grep -n foo a.py", ["a.py:?*"]),
        ("grep foo < a.py", ["a.py:?*"]),
        ("cat a.py | grep foo", ["a.py:?*"]),
        # Pipelines.
        ("cat a.py | head -20", ["a.py:1-20"]),
        ("cat a.py | head -20 | tail -n +5", ["a.py:5-20"]),
        ("cat -n a.py | sed -n '10,20p'", ["a.py:10-20"]),
        ("nl -ba a.py | sed -n '10,20p;30,40p'", ["a.py:10-20", "a.py:30-40"]),
        ("sed -n '10,20p' a.py | head -3", ["a.py:10-12"]),
        ("sed -n '1,5p;10,20p' a.py | sed -n '4,7p'", ["a.py:4-5", "a.py:10-11"]),
        ("sed -n '1,10p' a.py | sed -n '20,30p'", []),
        ("cat a.py | cut -c1-80 | less", ["a.py"]),
        ("cat a.py |& head -3", ["a.py:1-3"]),
        ("git show HEAD:src/a.py | sed -n 3,9p", ["src/a.py:3-9"]),
        ("git --no-pager show HEAD:src/a.py", ["src/a.py"]),
        # Another revision has other lines.
        ("git show v1.0:src/a.py | sed -n 3,9p", ["src/a.py:?"]),
        # Lists, groups and folders.
        ("cat a.py; cat b.py", ["a.py", "b.py"]),
        ("cat a.py && cat b.py &", ["a.py", "b.py"]),
        ("cat a.py &&\n  cat b.py", ["a.py", "b.py"]),
        ("cat a.py\ncat b.py", ["a.py", "b.py"]),
        ("cd src && cat a.py", ["src/a.py"]),
        ("cd /testbed/src && cat ../b.py", ["/testbed/b.py"]),
        ("cd src; cat a.py; cd ..; cat b.py", ["src/a.py", "b.py"]),
        ("(cd src; cat a.py); cat b.py", ["src/a.py", "b.py"]),
        ("{ cat a.py; }", ["a.py"]),
        ("if true; then cat a.py; fi", ["a.py"]),
        ("bash -lc 'cd src && sed -n 5,9p a.py'; cat b.py", ["src/a.py:5-9", "b.py"]),
        ("git -C src grep -n foo a.py", []),
        ("timeout -k 5 10 cat a.py", ["a.py"]),
        ("sudo -u me cat a.py", ["a.py"]),
        ("LANG=C env A=b cat a.py", ["a.py"]),
        ("true || cat a.py", []),
        ("false || cat a.py", ["a.py"]),
        ("false && cat a.py", []),
        ("exit; cat a.py", []),
        # Words.
        ('cat "src/my file.py"', ["src/my file.py"]),
        ("cat src/my\\ file.py", ["src/my file.py"]),
        ("cat ./src//a.py", ["src/a.py"]),
        ("cat 'a'\"b\".py # c.py", ["ab.py"]),
        ("cat \\\n a.py", ["a.py"]),
        ("cat a.py 2>/dev/null", ["a.py"]),
        ("cat 2>&1 a.py", ["a.py"]),
        # Nothing of a file is shown.
        ("cat a.py > b.py", []),
        ("cat a.py >> b.py", []),
        ("cat a.py | tee b.py > /dev/null", []),
        ("cat a.py &> b.txt", []),
        ("(cat a.py) > b.py", []),
        ("cat <<'EOF' > b.py\ncat a.py\nEOF", []),
        ("cat <<-EOF\n\tcat a.py\n\tEOF\ncat c.py", ["c.py"]),
        ("python3 - <<EOF\nopen('a.py')\nEOF", []),
        ("python3 -c 'print(open(\"a.py\").read())'", []),
        ("sed -i 's/a/b/' a.py", []),
        ("X=$(cat a.py)", []),
        ("cat $FILE", []),
        ("cat *.py", []),
        ("cat {a,b}.py", []),
        ("cat `ls`", []),
        ("cat <(ls)", []),
        ("cat a.py | wc -l", []),
        ("cat a.py | python3 x.py", []),
        ("wc -l a.py", []),
        ("ls src", []),
        ("grep -l foo a.py", []),
        ("grep -c foo a.py", []),
        ("grep -rn foo src", []),
        ("git diff --stat", []),
        ("git log -3", []),
        ("head -n 0 a.py", []),
        ("cat /tmp/patch.txt /dev/null", []),
        ("echo cat a.py", []),
        ("for f in a b; do cat $f; done", []),
        ("cat", []),
        ("cat -", []),
        ("", []),
    ],
)
def test_asked_for(command: str, expected: list[str]) -> None:
    assert asked(command) == expected


@pytest.mark.parametrize(
    ("command", "folder", "after"),
    [
        ("cd src", None, "src"),
        ("cd src", "/testbed", "/testbed/src"),
        ("cd ..", "/testbed/src", "/testbed"),
        ("cd /app && ls", "/testbed", "/app"),
        ("cd src && cd ..", None, None),
        ("(cd src)", "/testbed", "/testbed"),
        ("cd src | cat", "/testbed", "/testbed"),
        ('cd "$HERE"', "/testbed", None),
        ("pushd src", None, "src"),
        ("pushd src && popd", "/testbed", "/testbed"),
        ("pushd src; pushd ../lib; popd", "/testbed", "/testbed/src"),
        ("pushd src; pushd", "/testbed", "/testbed"),
        ("pushd src; pushd; popd", "/testbed", "/testbed/src"),
        ("pushd src; cd lib; popd", "/testbed", "/testbed"),
        ("pushd src; (popd); popd", "/testbed", "/testbed"),
        ("(pushd src); popd", "/testbed", "/testbed"),
        ("popd", "/testbed", "/testbed"),
        ("cat a.py", "/testbed", "/testbed"),
    ],
)
def test_folder_afterwards(command: str, folder: str | None, after: str | None) -> None:
    assert shell_views(command, folder=folder).folder == after


def test_folder_before() -> None:
    assert asked("cat a.py /x/b.py ../c.py", folder="/testbed/src") == [
        "/testbed/src/a.py",
        "/x/b.py",
        "/testbed/c.py",
    ]
