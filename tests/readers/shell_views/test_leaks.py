"""Commands that read the solution."""

from __future__ import annotations

import pytest

from trajmeter.readers.shell_views import shell_views


@pytest.mark.parametrize(
    ("command", "kinds"),
    [
        ("cat /home/fix.patch", ["gold_patch"]),
        ("head -50 /home/test.patch", ["test_patch"]),
        ("cd /home && cat fix.patch test.patch", ["gold_patch", "test_patch"]),
        ("git apply /home/fix.patch", ["gold_patch"]),
        ("patch -p1 < /home/fix.patch", ["gold_patch"]),
        ("cat /solution/solve.sh", ["gold_patch"]),
        ("git log --all --oneline | head", ["future"]),
        ("git --no-pager log --oneline origin/main", ["future"]),
        ("git show origin/main:src/a.py", ["future"]),
        ("git diff HEAD..upstream/main", ["future"]),
        ("git show FETCH_HEAD", ["future"]),
        ("git show HEAD@{1}", ["future"]),
        ("git reflog", ["future"]),
        ("git fetch origin", ["future"]),
        ("git pull", ["future"]),
        ("git cherry-pick origin/fix", ["future"]),
        ("curl -sL https://github.com/o/r/pull/12.diff", ["future"]),
        ("bash -c 'git fetch'", ["future"]),
        # Not leaks.
        ("ls /home/fix.patch", []),
        ("git log --oneline -5", []),
        ("git show HEAD~2", []),
        ("git show 1a2b3c4", []),
        ("git diff", []),
        ("git diff > fix.patch; cat fix.patch", []),
        ("cat tests/test.patch", []),
        ("cat /testbed/fix.patch", []),
        ("git branch -a", []),
        ("curl http://localhost:8000/", []),
        ("echo git fetch", []),
        ("grep -rn 'git fetch' .", []),
    ],
)
def test_leaks(command: str, kinds: list[str]) -> None:
    assert [leak.kind for leak in shell_views(command).leaks] == kinds


def test_commands_that_failed_or_printed_nothing_are_not_leaks() -> None:
    for command, output, code in [
        ("cat /home/fix.patch", "cat: /home/fix.patch: No such file or directory\n", 1),
        ("git fetch", "fatal: unable to access 'https://x/': Could not resolve host: x\n", 128),
        ("git log --all --grep=fix", "", 0),
        ("git show origin/main", "fatal: ambiguous argument 'origin/main'\n", 128),
    ]:
        assert shell_views(command, output, exit_code=code).leaks == ()


def test_evidence() -> None:
    (leak,) = shell_views("cd src && git log --all | head -3; ls", "x\n").leaks
    assert leak.evidence == "git log --all | head -3"
