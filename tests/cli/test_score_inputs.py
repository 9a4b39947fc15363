"""Inputs of ``trajmeter score``: given twice, matched by a pattern, or results of another run."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import pytest

from tests.cli.outputs import json_lines

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run: TypeAlias = Callable[..., tuple[int, str, str]]

LENGTH = "metrics.py@length"


def test_a_file_given_twice_is_read_once(run: Run, folder: Path) -> None:
    again = folder / "preds.jsonl"
    code, out, err = run("score", "preds.jsonl", str(again), "-m", LENGTH, "-f", "jsonl")
    assert (code, len(json_lines(out))) == (0, 2)
    assert err == f"trajmeter: {again}: listed twice; read once\n"


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        (["preds.jsonl", "*reds.jsonl"], "*reds.jsonl: listed twice"),
        (["*.jsonl", "preds.jsonl"], "preds.jsonl: listed twice"),
        (["p*.jsonl", "[a-p]*.json?"], "1 of the files of [a-p]*.json?: listed twice"),
    ],
)
@pytest.mark.parametrize("output", ["rows.csv", "rows"])
def test_a_file_that_a_pattern_names_too_is_read_once(
    paths: list[str], message: str, output: str, run: Run, folder: Path
) -> None:
    (folder / "gold.jsonl").rename(folder / "gold")
    if "[" in paths[1]:
        (folder / "more.jsonl").write_text('{"task_id": "two", "final_output": "abcde"}\n')
    code, _, err = run("score", *paths, "-t", "gold", "-m", LENGTH, "-o", output)
    count = 3 if "[" in paths[1] else 2
    assert (code, f"wrote {count} rows" in err) == (0, True)
    assert f"trajmeter: {message}; read once\n" in err


@pytest.mark.parametrize("through_link", [False, True])
@pytest.mark.parametrize("name", ["preds.jsonl", "gold.jsonl", "snapshots.jsonl"])
def test_results_never_take_the_place_of_an_input(
    run: Run, folder: Path, name: str, through_link: bool
) -> None:
    (folder / "snapshots.jsonl").write_text('{"commit": "c", "files": {}}\n')
    before = (folder / name).read_bytes()
    output = name
    if through_link:
        output = "out.jsonl"
        (folder / output).symlink_to(folder / name)
    inputs = ("preds.jsonl", "-t", "gold.jsonl", "-s", "snapshots.jsonl")
    code, out, err = run("score", *inputs, "-m", LENGTH, "-o", output)
    assert (code, out) == (2, "")
    assert err == (f"trajmeter: error: {output} is an input; write the results to another file\n")
    assert (folder / name).read_bytes() == before


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_results_as_input_are_reported_once_with_what_reads_them(
    run: Run, folder: Path, suffix: str
) -> None:
    results = f"scores.{suffix}"
    assert run("score", "preds.jsonl", "-m", LENGTH, "-o", results)[0] == 0
    for words in (("-m", "turns"), ("-m", "turns", "-o", "again/")):
        code, _, err = run("score", results, *words)
        assert code == 4
        (message,) = [line for line in err.splitlines() if line.startswith("unreadable")]
        assert message == (
            f"unreadable: {results}: none of its first 2 records can be used: expected a "
            "trajectory, got a row of results; 'trajmeter summarize' reads those"
        )
    (folder / "runs").mkdir()
    for name in (results, "preds.jsonl"):
        (folder / name).rename(folder / "runs" / name)
    code, out, err = run("score", "runs", "-m", "turns")
    assert (code, out.splitlines()[0]) == (0, "2 attempts · turns (version 1)")
    assert f"no format recognises it: runs/{results}" in err
