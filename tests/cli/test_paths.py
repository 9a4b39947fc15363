"""Remote places in options that only take paths of this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]

ROWS = "remote output is supported only for folders of rows"
OTHER = "is on another machine; name a path on this one"
GATE = ("--fail-over", "turns.run.turn_count=9", "--junit")


@pytest.mark.parametrize(
    ("command", "place", "message"),
    [
        (("report", "rows.jsonl", "-o"), "s3://b/x.html", ROWS),
        (("summarize", "rows.jsonl", "-o"), "s3://b/x.csv", ROWS),
        (("compare", "rows.jsonl", "-o"), "s3://b/x.md", ROWS),
        (("average", "rows.jsonl", "-o"), "s3://b/x.json", ROWS),
        (("view", "preds.jsonl", "--html"), "s3://b/x.html", ROWS),
        (("snapshot", ".", "-o"), "s3://b/x.jsonl", ROWS),
        (("score", "preds.jsonl", "-m", "turns", *GATE), "s3://b/x.xml", ROWS),
        (("score", "preds.jsonl", "--repos", ".", "--cache"), "s3://b/x", OTHER),
        (("score", "preds.jsonl", "--judge", "m", "--judge-record"), "s3://b/x.jsonl", OTHER),
        (("run", ".", "-o"), "s3://b/x", OTHER),
    ],
)
def test_a_remote_place_becomes_no_local_folder(
    run: Run, folder: Path, command: tuple[str, ...], place: str, message: str
) -> None:
    assert run("score", "preds.jsonl", "-m", "turns", "-o", "rows.jsonl")[0] == 0
    code, out, err = run(*command, place)
    assert (code, out) == (2, "")
    assert place in err
    assert message in err
    assert not (folder / "s3:").exists()
