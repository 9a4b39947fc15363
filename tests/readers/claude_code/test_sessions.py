"""Files with several sessions of Claude Code, or with one that goes on in another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.readers.claude_code.lines import SESSION, asked, line, said, used
from tests.readers.logs import read, read_one, turns_of, write_lines

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("is_hooked", [True, False])
def test_a_file_of_several_sessions(tmp_path: Path, *, is_hooked: bool) -> None:
    other = {"sessionId": "other"}
    hook = line("progress", 3, uuid="hook", **other)
    path = write_lines(
        tmp_path / "all.jsonl",
        asked(1, "Fix it."),
        said(2, "m1", "Fixed.", parentUuid="u", usage=used(5, 5)),
        {"type": "queue-operation", "operation": "enqueue", **other},
        hook,
        asked(4, "And that.", parentUuid="hook" if is_hooked else None, **other),
        said(5, "m2", "Done.", parentUuid="v", usage=used(6, 6), **other),
        {"type": "summary", "summary": "A fix", "sessionId": "third"},
    )
    attempts, problems = read(path)
    assert [(each.task_id, each.final_output) for each in attempts] == [
        (SESSION, "Fixed."),
        ("third", "Done."),
    ]
    assert [each.duration_seconds for each in attempts] == [1.0, 2.0]
    assert problems == []


@pytest.mark.parametrize("parent", ["u", "boundary", "absent"])
def test_a_session_that_goes_on_in_another_is_one(tmp_path: Path, parent: str) -> None:
    boundary = line("system", 3, uuid="boundary", subtype="compact_boundary", sessionId="next")
    path = write_lines(
        tmp_path / "s.jsonl",
        said(1, "m1", "Hi.", uuid="u"),
        boundary,
        asked(4, "Go on.", parentUuid=parent, sessionId="next"),
        said(5, "m2", "Done.", parentUuid="v", sessionId="next"),
    )
    attempt = read_one(path)
    assert (attempt.task_id, len(turns_of(attempt))) == ("next", 2)
