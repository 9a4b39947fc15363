"""Values of options that no command can use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]

SCORE = ("score", "preds.jsonl", "-m", "turns")


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (("score", "", "-m", "turns"), "'LOGS'"),
        (("score", "preds.jsonl", "", "-m", "turns"), "'LOGS'"),
        ((*SCORE, "--tasks", ""), "'--tasks' / '-t'"),
        ((*SCORE, "--tasks="), "'--tasks' / '-t'"),
        ((*SCORE, "--output", ""), "'--output' / '-o'"),
        ((*SCORE, "--repos", ""), "'--repos'"),
        ((*SCORE, "--judge", ""), "'--judge'"),
        (("view", ""), "'FILE'"),
        (("convert", "preds.jsonl", "-o", ""), "'--output' / '-o'"),
        (("run", ""), "'SCENARIO'"),
        (("metrics", "show", ""), "'NAME'"),
    ],
)
def test_empty_text_is_no_value(
    run: Run, folder: Path, command: tuple[str, ...], name: str
) -> None:
    before = {*folder.iterdir()}
    code, out, err = run(*command)
    assert (code, out) == (2, "")
    assert f"Error: Invalid value for {name}: the value is empty\n" in err
    assert {*folder.iterdir()} == before


@pytest.mark.parametrize("command", [SCORE, ("convert", "preds.jsonl", "-o", "out.jsonl")])
@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--threads", "1025", "threads is 1,025, expected 1 to 1,024"),
        ("--threads", "9" * 25, "expected 1 to 1,024"),
        ("--threads", "9" * 5_000, "expected a number of at most 4,300 digits"),
        ("--batch-size", "2147483648", "expected at most 2147483647"),
        ("--batch-size", "9" * 25, "expected at most 2147483647"),
        ("--max-line", "9" * 25, "expected a number of bytes"),
        ("--max-line", "9" * 5_000, "expected a number of bytes"),
        ("--max-line", "9" * 12 + "GiB", "expected a number of bytes"),
        ("--max-line", "_", "expected a number of bytes"),
    ],
)
def test_numbers_that_are_too_large_are_refused(
    run: Run, folder: Path, command: tuple[str, ...], option: str, value: str, message: str
) -> None:
    code, out, err = run(*command, option, value)
    assert (code, out) == (2, "")
    assert message in err
    assert not (folder / "out.jsonl").exists()
