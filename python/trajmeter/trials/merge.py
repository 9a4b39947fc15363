"""fc-eval's merge of what the agents of a trial have recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from trajmeter.records import Measurements

__all__ = ["deep_merge", "merge_measurements"]

_MERGED = ("ratios", "ratios_by_agent", "advantages_by_agent")


def merge_measurements(recorded: Iterable[Measurements | None]) -> dict[str, Any]:
    """Lay what the agents of a trial recorded over one another, in their order.

    An agent that recorded nothing wipes out what the agents before it recorded: its null replaces
    their objects. So does a field that is null; one that is absent leaves the others alone.

    Returns:
        The fields ``ratios``, ``ratios_by_agent`` and ``advantages_by_agent`` as far as they are
        left; each may be ``None``.
    """
    merged: dict[str, Any] | None = None
    for measurements in recorded:
        if measurements is None:
            merged = None
            continue
        own = {
            name: getattr(measurements, name)
            for name in _MERGED
            if name in measurements.model_fields_set
        }
        merged = own if merged is None else deep_merge(merged, own)
    return merged or {}


def deep_merge(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> dict[str, Any]:
    """Lay one JSON object over another.

    Objects merge; every other value of the later one replaces that of the earlier, null too. From
    an object that was made of two, a key ``error`` is dropped, be it a benchmark of that name.
    """
    merged = dict(earlier)
    for key, value in later.items():
        before = merged.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            merged[key] = deep_merge(before, value)
        else:
            merged[key] = value
    merged.pop("error", None)
    return merged
