"""Describes how the settings of two runs differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["differences"]


def differences(earlier: Mapping[str, Any], own: Mapping[str, Any]) -> Iterator[str]:
    """Describe how two runs differ, each difference in a few words."""
    if earlier.get("results") != own.get("results"):
        yield f"results: {_shown(earlier.get('results'))} → {_shown(own.get('results'))}"
        return
    for name in dict.fromkeys((*earlier, *own)):
        before, now = earlier.get(name), own.get(name)
        if before == now:
            continue
        if isinstance(before, dict) and isinstance(now, dict):
            yield from _changes(name, before, now)
        elif name == "commits":
            yield "commits: the repositories have different ones"
        elif name == "columns":
            if earlier.get("metrics") == own.get("metrics"):
                yield "columns: different figures, or a different order"
        elif name == "pieces":
            if earlier.get("inputs") == own.get("inputs"):
                yield "pieces: the inputs are named or ordered differently, or split differently"
        else:
            yield f"{name}: {_shown(before)} → {_shown(now)}"


def _changes(name: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    for key in dict.fromkeys((*before, *now)):
        if before.get(key) == now.get(key):
            continue
        if key not in before:
            yield f"{name}: {key} is new"
        elif key not in now:
            yield f"{name}: {key} was removed"
        elif isinstance(before[key], dict) and isinstance(now[key], dict):
            yield from _changes(_within(name, key), before[key], now[key])
        elif name in ("inputs", "tasks", "snapshots"):
            yield f"{name}: {key} has changed"
        else:
            yield f"{name}: {key} {_shown(before[key])} → {_shown(now[key])}"


def _within(name: str, key: str) -> str:
    """Name of a setting in messages; a metric's settings are prefixed with its name."""
    return key if name == "metrics" else f"{name}: {key}"


def _shown(value: object) -> str:
    return "none" if value is None else str(value)
