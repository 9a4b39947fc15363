"""The fields of a trajectory that a list of messages provides."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajmeter.readers.tool_views import TOOL_VIEWS

if TYPE_CHECKING:
    from collections.abc import Collection

    from trajmeter.readers.messages.turns import MessageTurns
    from trajmeter.readers.tool_views import ToolViews
    from trajmeter.records import Source

__all__ = ["CARRIED_BY_MESSAGES", "NAMES", "fields_of", "name_of", "views_for"]

CARRIED_BY_MESSAGES = (
    "model",
    "turns.agent",
    "turns.text",
    "turns.program",
    "turns.success",
    "turns.error",
    "turns.tool_calls.name",
    "turns.tool_calls.arguments",
    "turns.tool_calls.id",
    "turns.tool_calls.result",
    "turns.tool_calls.success",
    "turns.tool_calls.error",
    "turns.views",
    "turns.usage",
    "transcript",
    "final_output",
    "dropped_calls",
    "unusable",
    "leaks",
)
"""Fields that a list of messages can provide."""

NAMES = {
    "agent": ("agent", "agent_name"),
    "model": ("model", "model_name", "model_name_or_path"),
    "attempt": ("attempt", "trajectory_id", "run_id"),
}
"""Keys under which records name who made an attempt, and which one it is."""

_SUFFIXES = (".gz", ".zst", ".jsonl", ".json")


def fields_of(held: MessageTurns) -> dict[str, Any]:
    """The trajectory fields derived from a list of messages."""
    return {
        "model": held.model,
        "turns": held.turns,
        "final_output": held.final_output,
        "transcript": held.transcript,
        "dropped_calls": held.dropped_calls,
        "unusable": held.unusable,
        "leaks": held.leaks,
    }


def views_for(columns: Collection[str] | None) -> ToolViews | None:
    """A viewer of calls if these columns need it; all columns if ``None``."""
    if columns is None or any(
        name in ("turns", "leaks") or name.startswith(("turns.views", "leaks.")) for name in columns
    ):
        return TOOL_VIEWS
    return None


def name_of(source: Source) -> str:
    """File name without suffixes, for attempts that name no task."""
    name = Path(source.file).name
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix) or name
    return name
