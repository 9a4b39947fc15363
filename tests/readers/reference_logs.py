"""Comparison of trajectories with the facts known about logs of real programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from trajmeter.records import ToolCall, Trajectory, Turn

__all__ = ["expected_runs", "lines_of", "unlike_calls", "unlike_tokens", "unlike_views"]

_TOKENS = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cached": "cached_input_tokens",
    "reasoning": "reasoning_tokens",
}


def expected_runs(folder: Path) -> list[dict[str, Any]]:
    text = (folder / "expected.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def lines_of(turn: Turn, *, searched: bool) -> list[tuple[str, int | None, int | None]]:
    """Return the lines that a turn shows, as read or as found by a search."""
    return [
        (view.path, view.start, view.end)
        for view in turn.views or ()
        if view.searched is searched and view.extent == "lines"
    ]


def unlike_views(
    read: Trajectory, expected: dict[str, Any], *, root: str = "", unknown: Callable[[str], bool]
) -> Iterator[str]:
    """Turns whose views differ from the expected ones.

    Args:
        read: The trajectory.
        expected: What is known of the run.
        root: Folder of the repository, with a slash behind it.
        unknown: Whether the lines that a command shows cannot be known by its output.
    """
    for number, (turn, known) in enumerate(
        zip(read.turns or (), expected["turns"], strict=True), start=1
    ):
        views = [
            (view["path"], view["start"], view["end"])
            for view in known["views"]
            if not unknown(str((known["calls"][view["call"]]["arguments"] or {}).get("command")))
        ]
        hits = [(hit["path"], hit["line"], hit["line"]) for hit in known.get("search_hits", ())]
        for what, wanted, searched in (("views", views, False), ("hits", hits, True)):
            found = [
                (path.removeprefix(root), *span)
                for path, *span in lines_of(turn, searched=searched)
            ]
            if found != wanted:
                yield f"turn {number}: {what} {found}, expected {wanted}"


def unlike_tokens(turn: Turn, expected: dict[str, int]) -> Iterator[str]:
    for key, field in _TOKENS.items():
        found = getattr(turn.usage, field) if turn.usage is not None else None
        # A program that reports no kind of tokens used none of it.
        if (found or 0) != expected[key]:
            yield f"{field} {found}, expected {expected[key]}"


def unlike_calls(calls: tuple[ToolCall, ...], expected: list[dict[str, Any]]) -> Iterator[str]:
    if len(calls) != len(expected):
        yield f"{len(calls)} calls, expected {len(expected)}"
        return
    for call, known in zip(calls, expected, strict=True):
        if call.name != known["name"]:
            yield f"name {call.name}, expected {known['name']}"
        if known["arguments"] is not None and call.arguments != known["arguments"]:
            yield f"arguments {call.arguments}, expected {known['arguments']}"
        if "id" in known and call.id != known["id"]:
            yield f"id {call.id}, expected {known['id']}"
        if known["success"] is not None and call.success is not known["success"]:
            yield f"success of {call.arguments} {call.success}, expected {known['success']}"
        ends = known.get("error_ends")
        if ends is not None and not (call.error or "").rstrip().endswith(ends.rstrip()):
            yield f"error {call.error!r} does not end with {ends!r}"
