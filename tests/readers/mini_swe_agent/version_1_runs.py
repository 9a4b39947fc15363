"""Messages of version 1 runs, and the views of their trajectories."""

from __future__ import annotations

from typing import Any

from trajmeter.records import Extent, Source, Trajectory, View

__all__ = ["ASK", "SOURCE", "bash", "claim", "lines", "says", "seen", "steps", "user"]

SOURCE = Source(file="runs/acme__widget-12/acme__widget-12.traj.json")
ASK = {"role": "system", "content": "Say <EXPLORE_CONTEXT> before you look.", "timestamp": 0.0}


def says(text: str, *, at: float = 0.0, **extra: object) -> dict[str, Any]:
    return {"role": "assistant", "content": text, "timestamp": at, "extra": extra}


def user(text: str, *, at: float = 0.0) -> dict[str, Any]:
    return {"role": "user", "content": text, "timestamp": at}


def bash(command: str) -> str:
    return f"THOUGHT: look\n\n```bash\n{command}\n```"


def claim(*pairs: tuple[str, str], tag: str = "explore_context") -> str:
    inside = "\n".join(f"File: {path}\nLines: {lines}" for path, lines in pairs)
    return f"<{tag}>\n{inside}\n</{tag}>"


def lines(path: str, *ranges: tuple[int, int]) -> tuple[View, ...]:
    return tuple(View(path=path, extent=Extent.LINES, start=a, end=b) for a, b in ranges)


def seen(path: str, *ranges: tuple[int, int]) -> tuple[View, ...]:
    return (View(path=path), *lines(path, *ranges))


def steps(trajectory: Trajectory) -> list[tuple[View, ...]]:
    return [turn.views for turn in trajectory.turns or () if turn.views is not None]
