"""fc-eval's merge of the measurements of a trial's agents, and its lookup of an agent in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.records.measurements import is_same_agent, split_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from trajmeter.records import Measurements

__all__ = ["deep_merge", "merge_measurements", "resolve"]

_MERGED = ("ratios", "ratios_by_agent", "advantages_by_agent")


def merge_measurements(recorded: Iterable[Measurements | None]) -> dict[str, Any]:
    """Merge what the agents of a trial recorded, in their order.

    An agent that recorded nothing discards what the agents before it recorded: its null replaces
    their objects. So does a field that is null; an absent field changes nothing.

    Returns:
        Those of the fields ``ratios``, ``ratios_by_agent`` and ``advantages_by_agent`` that
        remain; each may be ``None``.
    """
    merged: dict[str, Any] | None = None
    for measurements in recorded:
        if measurements is None:
            merged = None
            continue
        fields = {
            name: value
            for name in _MERGED
            if (value := getattr(measurements, name)) is not None or name in measurements.discards
        }
        merged = fields if merged is None else deep_merge(merged, fields)
    return merged or {}


def deep_merge(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> dict[str, Any]:
    """Merge one JSON object into another.

    Objects merge; any other value of the later object replaces that of the earlier, null included.
    A merged object loses its key ``error``, even if that is the name of a benchmark, unless it is
    the only key.
    """
    merged = dict(earlier)
    for key, value in later.items():
        before = merged.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            merged[key] = deep_merge(before, value)
        else:
            merged[key] = value
    if len(merged) > 1:
        merged.pop("error", None)
    return merged


def resolve(key: str, keys: Iterable[str]) -> str:
    """Find the key under which fc-eval looks up an agent.

    This is the key itself; else one that differs in the spelling of the model; else *the first of
    the same agent with any model*, which is how one model gets the numbers of another; else the key
    itself, which then finds nothing.
    """
    known = list(keys)
    if key in known:
        return key
    siblings = [other for other in known if split_key(other)[0] == split_key(key)[0]]
    same = [other for other in siblings if is_same_agent(key, other)]
    return next(iter(same or siblings), key)
