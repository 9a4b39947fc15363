"""No text raises, and long ones take no longer than they should."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.readers.shell_views import shell_views
from trajmeter.records import Extent

WORDS = r"""cat sed -n '10,20p' a.py src/b.py | || && ; ( ) << EOF ' ` $( ${ $' > 2>&1 < head grep
rg git show HEAD:x diff awk NR>3 tail +4 cd .. # bash -c xargs { } * if then 1,3p; /x/,$p echo é
999999999999999999999999999999"""
PIECES = st.sampled_from([*WORDS.split(), '"', " ", "\n", "\\", "\0", "\nEOF\n"])
COMMANDS = st.lists(PIECES, max_size=30).map(" ".join) | st.lists(PIECES).map("".join) | st.text()
OUTPUTS = st.lists(
    st.sampled_from(["1\tx", "3:y", "a.py:3:z", "a.py-4-z", "--", "==> a.py <==", "@@ -1 +1,9 @@"])
    | st.sampled_from(
        ["+++ b/a.py", "cat: a.py: No such file or directory", "", "<response clipped>"]
    )
    | st.text(max_size=10)
).map("\n".join)


@given(
    COMMANDS, st.none() | OUTPUTS, st.none() | st.integers(-2, 255), st.none() | st.text(max_size=8)
)
def test_any_text(
    command: str, output: str | None, exit_code: int | None, folder: str | None
) -> None:
    found = shell_views(command, output, exit_code=exit_code, folder=folder)
    for view in found.views:
        if view.extent is Extent.LINES:
            assert view.start is not None
            assert view.end is not None
            assert view.start <= view.end


@given(st.integers(1, 300), st.integers(0, 300), st.integers(0, 400))
def test_views_never_exceed_the_requested_and_printed_lines(
    first: int, more: int, lines: int
) -> None:
    last = first + more
    found = shell_views(f"sed -n '{first},{last}p' a.py", "x\n" * lines).views
    size = sum((view.end or 0) - (view.start or 0) + 1 for view in found)
    assert size == min(more + 1, lines)


SIZE = 250_000


@pytest.mark.parametrize(
    "command",
    [
        "(" * SIZE,
        "$(" * (SIZE // 2),
        "`" * SIZE,
        "'" * SIZE,
        '"' * SIZE,
        "\\" * SIZE,
        "${" * (SIZE // 2),
        "cat a;" * (SIZE // 10),
        "cat <<E\n" * (SIZE // 8),
        "a|" * (SIZE // 2),
        "{" * SIZE,
        "<" * SIZE,
        "cat " + "a" * SIZE,
        "sed -n '" + "1,2p;" * (SIZE // 5) + "' a.py",
        "sed -n '" + "s/a/" * (SIZE // 4) + "' a.py",
        "sed -n '" + " " * SIZE + "x' a.py",
        "awk '" + "NR>1&&" * (SIZE // 6) + "' a.py",
        "awk '" + "{" * SIZE + "' a.py",
        "sudo " * (SIZE // 5) + "cat a",
        "cd a; " * (SIZE // 10),
        "cat <<'E'\n" + "x\n" * (SIZE // 2) + "E\n",
        "git show " + "a..b/" * (SIZE // 5),
        "bash -c 'bash -c \"" * (SIZE // 18),
    ],
    ids=lambda command: command[:12].strip(),
)
def test_long_commands(command: str) -> None:
    shell_views(command, "x\n" * 100)  # a quadratic algorithm takes longer than a test may


@pytest.mark.parametrize(
    "line", ["x", "cat: " + "a" * 50, "a-1-", "a.py-1-x", "   1", "+++ b/", "==> a <==", "a:1:"]
)
@pytest.mark.parametrize(
    "command", ["cat a.py; cat b.py", "grep -rn x .", "git diff", "tail -n 3 a b"]
)
def test_long_outputs(command: str, line: str) -> None:
    shell_views(command, f"{line}\n" * 100_000, exit_code=0)  # likewise
