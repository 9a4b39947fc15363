"""Views of commands that are run here: no line counts as seen that was not printed."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from trajmeter.readers.shell_views import shell_views
from trajmeter.records import Extent

if TYPE_CHECKING:
    from pathlib import Path

_LENGTHS = {"a.py": 30, "src/b.py": 12, "src/c.py": 5, "my dir/d.py": 8}
_NUMBERS = (1, 2, 3, 5, 8, 11, 12, 20, 30, 31)
pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or not all(map(shutil.which, ("bash", "awk", "sed", "nl"))),
    reason="needs a shell and its tools",
)


def number(chance: random.Random) -> int:
    return chance.choice(_NUMBERS)


def picks(chance: random.Random) -> str:
    """A script of sed for some lines."""
    first, last = number(chance), number(chance)
    return chance.choice(
        [
            *(f"{first},{last}p", f"{first}p", f"{first},$p", "$p", f"{first},+{last}p", "/def/p"),
            *(f"{first},{last}!p", f"{min(first, last)},{max(first, last)}p;{number(chance)}p"),
        ]
    )


def source(chance: random.Random) -> str:
    """A command that prints lines of a file."""
    first, last = number(chance), number(chance)
    file = chance.choice(["a.py", "src/b.py", "src/c.py", '"my dir/d.py"', "./a.py"])
    before = chance.choice(
        [
            *("cat", "cat -n", "nl -ba", "head", f"head -n {first}", f"head -{first}"),
            *(f"tail -n {first}", f"tail -n +{first}", f"sed -n '{picks(chance)}'", "grep -n def"),
            *(f"awk 'NR>={first} && NR<={last}'", f"awk 'NR=={first},NR=={last}'"),
            *(f"awk 'NR=={first}'", f"sed {first}d", f"sed {first}q", "grep -n -C 1 def"),
        ]
    )
    return chance.choice([f"{before} {file}"] * 20 + ["grep -rn def src", "cd src && cat c.py"])


def pipeline(chance: random.Random) -> str:
    stages = [source(chance)]
    while chance.random() < 0.5:
        count = number(chance)
        stages.append(
            chance.choice(
                [
                    *(f"head -n {count}", f"tail -n {count}", f"tail -n +{count}", "cat", "cat -n"),
                    *("nl -ba", "grep def", f"sed -n '{picks(chance)}'", f"awk 'NR<={count}'"),
                ]
            )
        )
    return " | ".join(stages)


def lines_of(path: str, extent: Extent, start: int | None, end: int | None) -> set[tuple[str, int]]:
    """The lines that a view says were seen."""
    if extent is Extent.UNKNOWN:
        return set()
    whole = extent is Extent.WHOLE
    first, last = (1, _LENGTHS[path]) if whole else (start or 0, end or 0)
    return {(path, line) for line in range(first, last + 1)}


@pytest.mark.parametrize("seed", range(5))
def test_only_printed_lines_were_seen(tmp_path: Path, seed: int) -> None:
    for path, length in _LENGTHS.items():
        file = tmp_path / path
        file.parent.mkdir(exist_ok=True)
        words = (
            f"{path}#{line} {'def' if line % 5 == 0 else 'x'}" for line in range(1, length + 1)
        )
        file.write_text("".join(f"{each}\n" for each in words))
    chance = random.Random(seed)  # noqa: S311 - no secret
    exact = 0
    for command in [pipeline(chance) for _ in range(50)]:
        ran = subprocess.run(
            ["bash", "-c", command],  # noqa: S607 - wherever it is
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        output = ran.stdout + ran.stderr
        printed = {(path, int(line)) for path, line in re.findall(r"([\w/ ]+\.py)#(\d+)", output)}
        printed = {(path.strip(), line) for path, line in printed}
        found = shell_views(command, output, exit_code=ran.returncode)
        seen: set[tuple[str, int]] = set()
        for view in found.views:
            seen |= lines_of(view.path.removeprefix("./"), view.extent, view.start, view.end)
        assert seen <= printed, command
        exact += seen == printed
    assert exact >= 38, exact
