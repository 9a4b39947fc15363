"""Codex rollouts: session files, JSON lines of ``timestamp``, ``type`` and ``payload``.

The first versions wrote items without the wrapper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.replies import TOKENS, TURNS, usage_fields
from trajmeter.readers._logs.sessions import events, evidence_at_start, stem_of
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.codex.session import Session
from trajmeter.records import Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from trajmeter.records import ReadProblem

__all__ = ["ROLLOUTS"]

_WRAPPED = ("response_item", "event_msg", "turn_context", "compacted", "session_meta")


def _recognises(_: Path, head: bytes) -> Evidence | None:
    return evidence_at_start(head, _evidence)


def _evidence(first: Mapping[str, Any]) -> Evidence | None:
    if first.get("type") in _WRAPPED and "timestamp" in first:
        return Evidence.CERTAIN if isinstance(first.get("payload"), (dict, type(None))) else None
    is_bare = first.keys() >= {"timestamp", "id", "instructions"} and "type" not in first
    return Evidence.LIKELY if is_bare else None


def _read(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """Read the session of a file, or several; nothing if none of its lines can be read."""
    session = Session()
    for event in events(path, report):
        if session.is_followed_by(event.value):
            yield session.trajectory(Source(file=str(path)), stem_of(path))
            session = Session()
        session.add(event)
    if session.clock.lines:
        yield session.trajectory(Source(file=str(path)), stem_of(path))


ROLLOUTS = FileFormat(
    name="codex-rollouts",
    description="rollouts of Codex",
    makes=Trajectory,
    carries=(
        "agent",
        "model",
        *TURNS,
        *usage_fields(
            "turns.usage",
            "usage",
            names=(*TOKENS, "total_tokens"),
        ),
        "turns.duration_seconds",
        "final_output",
        "duration_seconds",
        "failure",
        "dropped_calls",
        "unusable",
        "metadata",
    ),
    origin="Codex 0.163.0 (and earlier layouts)",
    ignores_others=True,
    recognises=_recognises,
    records=_read,
)
