"""Columns of cost, tokens and length for the rows of a batch.

:mod:`trajmeter.metrics.speedup.costs` defines them, and :mod:`trajmeter.metrics.speedup.merged`
does for trials scored by the merge of their files.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trajmeter import json_input
from trajmeter.arrays import Array, filled, flags, nulls
from trajmeter.errors import ExtraMissingError
from trajmeter.metrics.speedup.check_columns import Fields, fields_of, integers
from trajmeter.metrics.speedup.costs import priced_tokens, refused_cost, refused_count
from trajmeter.metrics.speedup.merged import booked_costs
from trajmeter.metrics.usage_columns import costs_of_rows, of_turns_alone, tokens_of_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.kernels import BoolArray, Float64Array, Int64Array
    from trajmeter.metrics.speedup.costs import Cost
    from trajmeter.metrics.speedup.profile import SpeedupProfile

__all__ = ["Warnings", "spending_columns", "texts_where"]

_NOUNS = {"input_tokens": "prompt", "output_tokens": "completion"}
_MAPPING = {"events_by_code": pa.int64(), "costs_by_agent_model": pa.float64()}


@dataclass(slots=True)
class Warnings:
    """Collects warnings about rows."""

    of_row: dict[int, list[str]] = field(default_factory=dict)
    """Warnings by row, in order; rows without warnings are absent."""

    def add(self, is_doubtful: BoolArray, text: str) -> None:
        """Add a warning to rows."""
        for row in np.flatnonzero(is_doubtful).tolist():
            self.append(row, text)

    def append(self, row: int, text: str) -> None:
        """Add a warning to a row."""
        self.of_row.setdefault(row, []).append(text)

    def column(self, rows: int) -> Array:
        """Return the column of warnings."""
        lengths = np.zeros(rows + 1, np.int32)
        for row, own in self.of_row.items():
            lengths[row + 1] = len(own)
        texts = chain.from_iterable(own for _, own in sorted(self.of_row.items()))
        values = pa.array(list(texts), pa.string())
        borders: Any = pa.array(np.cumsum(lengths), pa.int32())
        lists: Array = pa.ListArray.from_arrays(borders, values)
        return lists


@dataclass(frozen=True, slots=True)
class _Counts:
    """Counts that may be missing in some rows."""

    values: Int64Array
    is_there: BoolArray

    @classmethod
    def of(cls, column: Array) -> _Counts:
        return cls(integers(column), flags(column.is_valid()))

    def where(self, is_kept: BoolArray) -> _Counts:
        return _Counts(self.values, self.is_there & is_kept)

    def column(self) -> Array:
        array: Array = pa.array(self.values, mask=~self.is_there)
        return array


def spending_columns(
    rows: pa.RecordBatch,
    keys: Sequence[str],
    key: Int64Array,
    warnings: Warnings,
    profile: SpeedupProfile,
) -> dict[str, Array]:
    """Compute the columns of tokens, cost and length.

    Args:
        rows: The rows.
        keys: Distinct ``agent:model`` keys.
        key: Index of each row's key.
        warnings: Collects the warnings.
        profile: Decides whether any recorded cost counts, and whether missing values count as 0.
    """
    log, usage = fields_of(rows.column("run_log")), fields_of(rows.column("usage"))
    events = _events(log["events"])
    if profile.scores_merged_tables:
        columns = _merged(log, usage, events, [keys[each] for each in key.tolist()])
    else:
        columns, doubts = _own(rows, log, usage, warnings, profile)
        columns |= _length(log, events)
        cost = columns["task_cost_usd"]
        ends = np.concatenate(([0], np.cumsum(flags(cost.is_valid()))))
        names = pa.array(keys, pa.string()).take(key[flags(cost.is_valid())])
        columns["costs_by_agent_model"] = _mapping(ends, names, cost.drop_null())
        for stated in (log, usage):
            _warn_of_counts(stated, warnings)
        for row, doubt in doubts.items():
            warnings.append(row, doubt)
    columns["events_by_code"] = _dictionaries(events, len(rows), "events_by_code")
    _add_problems(log["problems"], warnings)
    return columns


def texts_where(is_chosen: BoolArray, text: str, instead: Array) -> Array:
    """Replace the text of the chosen rows; the others keep that of ``instead``."""
    column: Array = pc.if_else(pa.array(is_chosen), pa.scalar(text, pa.string()), instead)
    return column


def _used(stated: Sequence[Fields], is_kept: BoolArray) -> tuple[_Counts, _Counts]:
    """Prompt and completion tokens from the first source that has any."""
    prompt = completion = np.zeros(len(is_kept), np.int64)
    is_found = np.zeros(len(is_kept), np.bool_)
    for fields, keeps in zip(stated, (is_kept, np.ones_like(is_kept)), strict=True):
        own = [_Counts.of(fields[name]) for name in _NOUNS]
        first, second = (each.where((each.values >= 0) & keeps) for each in own)
        is_new = ~is_found & (first.is_there | second.is_there)
        prompt = np.where(is_new & first.is_there, first.values, prompt)
        completion = np.where(is_new & second.is_there, second.values, completion)
        is_found |= is_new
    return _Counts(prompt, is_found), _Counts(completion, is_found)


def _own(
    rows: pa.RecordBatch,
    log: Fields,
    usage: Fields,
    warnings: Warnings,
    profile: SpeedupProfile,
) -> tuple[dict[str, Array], dict[int, str]]:
    """Columns of costs and tokens, and warnings about tokens of turns by row."""
    prompt, completion, source, doubts = _tokens(rows, log, usage)
    cost = np.zeros(len(rows))
    is_known = np.zeros(len(rows), np.bool_)
    for stated in (log["task_cost_usd"], log["total_cost_usd"], usage["cost_usd"]):
        values, is_there = filled(stated, 0.0), flags(stated.is_valid())
        is_credible = (np.isfinite(values) & (values >= 0)) | profile.any_cost_counts
        is_new = is_there & ~is_known
        cost = np.where(is_new & is_credible, values, cost)
        for row in np.flatnonzero(is_new & ~is_credible).tolist():
            warnings.append(row, refused_cost(float(values[row])))
        is_known |= is_new & is_credible
    cost_source = texts_where(is_known, "recorded", pa.array(["none"] * len(rows), pa.string()))
    places = _with_turns(rows, ~is_known)
    if len(places):
        added = costs_of_rows(of_turns_alone(rows.take(places)))
        for row, doubt in _present(places, added.reason):
            warnings.append(row, doubt)
        is_added = np.zeros(len(rows), np.bool_)
        is_added[places] = flags(added.value.is_valid())
        cost[places] = filled(added.value, 0.0)
        cost_source = texts_where(is_added, "turns", cost_source)
        is_known |= is_added
    columns = {
        "task_cost_usd": pa.array(cost, mask=~is_known),
        "cost_source": cost_source,
        "priced": nulls(len(rows), pa.bool_()),
        "price_table": nulls(len(rows), pa.string()),
        "input_tokens": prompt.column(),
        "output_tokens": completion.column(),
        "tokens_source": source,
    }
    places = np.flatnonzero(prompt.is_there & ~is_known)
    return columns | _priced(rows, log, prompt, completion, places, columns, warnings), doubts


def _tokens(
    rows: pa.RecordBatch, log: Fields, usage: Fields
) -> tuple[_Counts, _Counts, Array, dict[int, str]]:
    """Tokens recorded for the run or summed over its turns, their source, and warnings by row."""
    prompt, completion = _used((log, usage), np.ones(len(rows), np.bool_))
    source = texts_where(prompt.is_there, "run", nulls(len(rows), pa.string()))
    places = _with_turns(rows, ~prompt.is_there)
    if not len(places):
        return prompt, completion, source, {}
    added = tokens_of_rows(of_turns_alone(rows.take(places)))
    is_added = np.zeros(len(rows), np.bool_)
    is_added[places] = np.logical_and(*[flags(each.is_valid()) for each in added.counts[:2]])
    parts = []
    for own, counts in zip((prompt, completion), added.counts, strict=False):
        values = own.values.copy()
        values[places] = integers(counts)
        parts.append(_Counts(values, own.is_there | is_added))
    source = texts_where(is_added, "turns", source)
    return parts[0], parts[1], source, dict(_present(places, added.reason))


def _with_turns(rows: pa.RecordBatch, is_asked: BoolArray) -> Int64Array:
    """Indices of the given rows that have turns."""
    counts = filled(pc.list_value_length(rows.column("turns")), 0)
    return np.flatnonzero(is_asked & (counts > 0))


def _present(places: Int64Array, texts: Array) -> Iterator[tuple[int, str]]:
    """Yield the texts that are not null, each with its row."""
    for row, text in zip(places.tolist(), texts.to_pylist(), strict=True):
        if text is not None:
            yield row, text


def _priced(
    rows: pa.RecordBatch,
    log: Fields,
    prompt: _Counts,
    completion: _Counts,
    places: Int64Array,
    columns: dict[str, Array],
    warnings: Warnings,
) -> dict[str, Array]:
    """Fill in costs computed from tokens for the given rows."""
    if not len(places):
        return {}
    asked = zip(
        log["model_name"].take(places).to_pylist(),
        rows.column("model").take(places).to_pylist(),
        log["started_at"].take(places).to_pylist(),
        zip(prompt.values[places].tolist(), completion.values[places].tolist(), strict=True),
        strict=True,
    )
    known: dict[Any, Cost] = {}
    found: list[Cost] = []
    for row, question in zip(places.tolist(), asked, strict=True):
        try:
            if question not in known:
                known[question] = priced_tokens(*question)
            found.append(known[question])
        except ExtraMissingError as error:
            warnings.append(row, f"its cost is unknown: {error}")
            found.append({})
    is_asked = np.zeros(len(rows), np.bool_)
    is_asked[places] = True
    changed = {}
    for name in ("task_cost_usd", "cost_source", "priced", "price_table"):
        column = columns[name]
        default = "none" if name == "cost_source" else None
        values = pa.array([each.get(name, default) for each in found], column.type)
        changed[name] = pc.replace_with_mask(column, pa.array(is_asked), values)
    return changed


def _warn_of_counts(stated: Fields, warnings: Warnings) -> None:
    counts = {noun: _Counts.of(stated[name]) for name, noun in _NOUNS.items()}
    is_wrong = [count.is_there & (count.values < 0) for count in counts.values()]
    for row in np.flatnonzero(is_wrong[0] | is_wrong[1]).tolist():
        for noun, count in counts.items():
            if count.is_there[row] and count.values[row] < 0:
                warnings.append(row, refused_count(noun, int(count.values[row])))


def _add_problems(problems: Array, warnings: Warnings) -> None:
    count = filled(pc.list_value_length(problems), 0)
    places = np.flatnonzero(count)
    found: list[Any] = problems.take(places).to_pylist()
    for row, own in zip(places.tolist(), found, strict=True):
        for text in own:
            warnings.append(row, text)


def _events(column: Array) -> dict[int, dict[str, int]]:
    """Events by row, for rows with a recording."""
    places = np.flatnonzero(flags(column.is_valid()))
    found: list[Any] = column.take(places).to_pylist()
    return {row: dict(own) for row, own in zip(places.tolist(), found, strict=True)}


def _length(log: Fields, events: dict[int, dict[str, int]]) -> dict[str, Array]:
    recorded, entries = _Counts.of(log["trajectory_length"]), _Counts.of(log["entries"])
    is_logged = entries.is_there & (entries.values != 0)
    values = np.where(recorded.is_there, recorded.values, np.where(is_logged, entries.values, 0))
    is_there = recorded.is_there | is_logged
    is_cast = np.zeros(len(values), np.bool_)
    for row, own in events.items():
        if not is_there[row]:
            is_cast[row] = True
            values[row] = own.get("i", 0)
    counted = is_there | is_cast
    for row in np.flatnonzero(is_cast).tolist():
        counted[row] = "i" in events[row]
    return _lengths(_Counts(values, counted), recorded.is_there, is_logged, is_cast)


def _lengths(
    counts: _Counts, is_recorded: BoolArray, is_logged: BoolArray, is_cast: BoolArray
) -> dict[str, Array]:
    source: Array = pa.array(["none"] * len(is_cast), pa.string())
    for is_one, text in ((is_cast, "cast"), (is_logged, "json"), (is_recorded, "recorded")):
        source = texts_where(is_one, text, source)
    return {"trajectory_length": counts.column(), "trajectory_length_source": source}


def _merged(
    log: Fields, usage: Fields, events: dict[int, dict[str, int]], keys: list[str]
) -> dict[str, Array]:
    rows = len(keys)
    is_broken = flags(log["tokens_before_bad_entry"].fill_null(fill_value=False))
    prompt, completion = _used((log, usage), ~is_broken)
    cost = pc.coalesce(log["task_cost_usd"], log["total_cost_usd"], usage["cost_usd"])
    is_recorded = flags(cost.is_valid())
    return {
        "task_cost_usd": cost.fill_null(0.0),
        "cost_source": texts_where(is_recorded, "recorded", pa.array(["none"] * rows)),
        "priced": nulls(rows, pa.bool_()),
        "price_table": nulls(rows, pa.string()),
        "input_tokens": pa.array(prompt.values),
        "output_tokens": pa.array(completion.values),
        "tokens_source": nulls(rows, pa.string()),
        "costs_by_agent_model": _booked(log, keys),
        **_merged_length(log, events),
    }


def _merged_length(log: Fields, events: dict[int, dict[str, int]]) -> dict[str, Array]:
    recorded, entries = _Counts.of(log["trajectory_length"]), _Counts.of(log["entries"])
    is_logged = entries.is_there & (entries.values != 0)
    is_cast = np.zeros(len(is_logged), np.bool_)
    is_cast[[*events]] = True
    is_utf8 = flags(log["recording_is_utf8"].fill_null(fill_value=True))
    typed = np.where(is_cast & is_utf8, integers(log["events_after_first_line"]), 0)
    values = np.where(is_logged, entries.values, typed)
    values = np.where(recorded.is_there, recorded.values, values)
    counts = _Counts(values, np.ones(len(values), np.bool_))
    return _lengths(counts, recorded.is_there, is_logged, is_cast)


def _booked(log: Fields, keys: list[str]) -> Array:
    """Costs by ``agent:model``: as booked, otherwise the trial's cost under the row's own key."""
    total: Float64Array = filled(log["total_cost_usd"], 0.0)
    booked = log["costs_by_agent_model"]
    places = np.flatnonzero(flags(booked.is_valid()))
    texts: list[Any] = booked.take(places).to_pylist()
    found = {
        row: booked_costs(_object(text)) for row, text in zip(places.tolist(), texts, strict=True)
    }
    costs = {
        row: found[row] if row in found else booked_costs({key: cost})
        for row, (key, cost) in enumerate(zip(keys, total.tolist(), strict=True))
    }
    return _dictionaries(costs, len(keys), "costs_by_agent_model")


def _object(text: str) -> dict[str, object]:
    value: Any = json_input.parse(text.encode())
    return dict(value)


def _dictionaries(values: dict[int, dict[str, Any]], rows: int, name: str) -> Array:
    """Build a column of mappings; rows without values get an empty one."""
    lengths = np.zeros(rows + 1, np.int64)
    lengths[[row + 1 for row in values]] = [len(own) for own in values.values()]
    pairs = [pair for _, own in sorted(values.items()) for pair in own.items()]
    keys = pa.array([key for key, _ in pairs], pa.string())
    return _mapping(
        np.cumsum(lengths), keys, pa.array([value for _, value in pairs], _MAPPING[name])
    )


def _mapping(offsets: Int64Array, keys: Array, values: Array) -> Array:
    borders: Any = pa.array(offsets, pa.int32())
    column: Array = pa.MapArray.from_arrays(borders, keys, values)
    return column
