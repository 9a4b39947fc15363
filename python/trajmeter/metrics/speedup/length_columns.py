"""Columns of the length of trajectories for the rows of a batch, and of its source."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from trajmeter.arrays import Array, flags, present
from trajmeter.arrays.text import repeated_text, texts_where
from trajmeter.metrics.speedup.check_columns import Fields, integers
from trajmeter.metrics.speedup.counts import Counts

if TYPE_CHECKING:
    from trajmeter.kernels import BoolArray

__all__ = ["length_columns", "merged_length_columns"]


def length_columns(log: Fields, events: dict[int, dict[str, int]]) -> dict[str, Array]:
    """Lengths as recorded, or as the number of logged entries or of input events in a recording."""
    recorded, entries = Counts.of(log["trajectory_length"]), Counts.of(log["entries"])
    is_logged = entries.is_there & (entries.values != 0)
    values = np.where(recorded.is_there, recorded.values, np.where(is_logged, entries.values, 0))
    is_there = recorded.is_there | is_logged
    is_cast = np.zeros(len(values), np.bool_)
    for row, counts in events.items():
        if not is_there[row]:
            is_cast[row] = True
            values[row] = counts.get("i", 0)
    counted = is_there | is_cast
    for row in np.flatnonzero(is_cast).tolist():
        counted[row] = "i" in events[row]
    return _lengths(Counts(values, counted), recorded.is_there, is_logged, is_cast)


def merged_length_columns(log: Fields, events: dict[int, dict[str, int]]) -> dict[str, Array]:
    """As :func:`length_columns`, for trials scored by the merge of their files."""
    recorded, entries = Counts.of(log["trajectory_length"]), Counts.of(log["entries"])
    is_logged = entries.is_there & (entries.values != 0)
    is_cast = np.zeros(len(is_logged), np.bool_)
    is_cast[[*events]] = True
    stated_utf8 = log["recording_is_utf8"]
    is_utf8 = flags(stated_utf8) | ~present(stated_utf8)
    typed = np.where(is_cast & is_utf8, integers(log["events_after_first_line"]), 0)
    values = np.where(is_logged, entries.values, typed)
    values = np.where(recorded.is_there, recorded.values, values)
    counts = Counts(values, np.ones(len(values), np.bool_))
    return _lengths(counts, recorded.is_there, is_logged, is_cast)


def _lengths(
    counts: Counts, is_recorded: BoolArray, is_logged: BoolArray, is_cast: BoolArray
) -> dict[str, Array]:
    source: Array = repeated_text("none", len(is_cast))
    for is_one, text in ((is_cast, "cast"), (is_logged, "json"), (is_recorded, "recorded")):
        source = texts_where(is_one, text, source)
    return {"trajectory_length": counts.column(), "trajectory_length_source": source}
