"""Columns of cost, tokens and length for the rows of a batch.

:mod:`trajmeter.metrics.speedup.costs` defines them, and :mod:`trajmeter.metrics.speedup.merged`
does for trials scored by the merge of their files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from trajmeter import json_input
from trajmeter.arrays import (
    Array,
    booleans,
    call_function,
    filled,
    flags,
    nulls,
    numbers,
    present,
    ragged,
    taken,
)
from trajmeter.arrays.nested import map_array
from trajmeter.arrays.text import repeated_text, text_array, texts_where
from trajmeter.errors import ExtraMissingError
from trajmeter.metrics.speedup.check_columns import Fields, fields_of, integers
from trajmeter.metrics.speedup.costs import priced_tokens, refused_cost, refused_count
from trajmeter.metrics.speedup.counts import Counts
from trajmeter.metrics.speedup.length_columns import length_columns, merged_length_columns
from trajmeter.metrics.speedup.merged import booked_costs
from trajmeter.metrics.speedup.row_warnings import Warnings, add_problems
from trajmeter.metrics.usage_columns import costs_of_rows, of_turns_alone, tokens_of_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.kernels import BoolArray, Float64Array, Int64Array
    from trajmeter.metrics.speedup.costs import Cost
    from trajmeter.metrics.speedup.profile import SpeedupProfile

__all__ = ["spending_columns"]

_NOUNS = {"input_tokens": "prompt", "output_tokens": "completion"}
_MAPPING: dict[str, type] = {"events_by_code": np.int64, "costs_by_agent_model": np.float64}


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
        columns |= length_columns(log, events)
        cost = columns["task_cost_usd"]
        is_known = present(cost)
        ends = np.concatenate(([0], np.cumsum(is_known)))
        names, costs = taken(text_array(keys), key[is_known]), filled(cost, 0.0)[is_known]
        columns["costs_by_agent_model"] = map_array(ends, names, numbers(costs))
        for stated in (log, usage):
            _warn_of_counts(stated, warnings)
        for row, doubt in doubts.items():
            warnings.append(row, doubt)
    columns["events_by_code"] = _dictionaries(events, len(rows), "events_by_code")
    add_problems(log["problems"], warnings)
    return columns


def _used(stated: Sequence[Fields], is_kept: BoolArray) -> tuple[Counts, Counts]:
    """Prompt and completion tokens from the first source that has any."""
    prompt = completion = np.zeros(len(is_kept), np.int64)
    is_found = np.zeros(len(is_kept), np.bool_)
    for fields, keeps in zip(stated, (is_kept, np.ones_like(is_kept)), strict=True):
        counts = [Counts.of(fields[name]) for name in _NOUNS]
        first, second = (each.where((each.values >= 0) & keeps) for each in counts)
        is_new = ~is_found & (first.is_there | second.is_there)
        prompt = np.where(is_new & first.is_there, first.values, prompt)
        completion = np.where(is_new & second.is_there, second.values, completion)
        is_found |= is_new
    return Counts(prompt, is_found), Counts(completion, is_found)


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
        values, is_there = filled(stated, 0.0), present(stated)
        is_credible = (np.isfinite(values) & (values >= 0)) | profile.any_cost_counts
        is_new = is_there & ~is_known
        cost = np.where(is_new & is_credible, values, cost)
        for row in np.flatnonzero(is_new & ~is_credible).tolist():
            warnings.append(row, refused_cost(float(values[row])))
        is_known |= is_new & is_credible
    cost_source = texts_where(is_known, "recorded", repeated_text("none", len(rows)))
    places = _with_turns(rows, ~is_known)
    if len(places):
        added = costs_of_rows(of_turns_alone(taken(rows, places)))
        for row, doubt in _present(places, added.reason):
            warnings.append(row, doubt)
        is_added = np.zeros(len(rows), np.bool_)
        is_added[places] = present(added.value)
        cost[places] = filled(added.value, 0.0)
        cost_source = texts_where(is_added, "turns", cost_source)
        is_known |= is_added
    columns = {
        "task_cost_usd": numbers(cost, ~is_known),
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
) -> tuple[Counts, Counts, Array, dict[int, str]]:
    """Tokens recorded for the run or summed over its turns, their source, and warnings by row."""
    prompt, completion = _used((log, usage), np.ones(len(rows), np.bool_))
    source = texts_where(prompt.is_there, "run", nulls(len(rows), pa.string()))
    places = _with_turns(rows, ~prompt.is_there)
    if not len(places):
        return prompt, completion, source, {}
    added = tokens_of_rows(of_turns_alone(taken(rows, places)))
    is_added = np.zeros(len(rows), np.bool_)
    is_added[places] = np.logical_and(*map(present, added.counts[:2]))
    parts = []
    for own, counts in zip((prompt, completion), added.counts, strict=False):
        values = own.values.copy()
        values[places] = integers(counts)
        parts.append(Counts(values, own.is_there | is_added))
    source = texts_where(is_added, "turns", source)
    return parts[0], parts[1], source, dict(_present(places, added.reason))


def _with_turns(rows: pa.RecordBatch, is_asked: BoolArray) -> Int64Array:
    """Indices of the given rows that have turns."""
    return np.flatnonzero(is_asked & (np.diff(ragged(rows.column("turns")).offsets) > 0))


def _present(places: Int64Array, texts: Array) -> Iterator[tuple[int, str]]:
    """Yield the texts that are not null, each with its row."""
    for row, text in zip(places.tolist(), texts.to_pylist(), strict=True):
        if text is not None:
            yield row, text


def _priced(
    rows: pa.RecordBatch,
    log: Fields,
    prompt: Counts,
    completion: Counts,
    places: Int64Array,
    columns: dict[str, Array],
    warnings: Warnings,
) -> dict[str, Array]:
    """Fill in costs computed from tokens for the given rows."""
    if not len(places):
        return {}
    asked = zip(
        taken(log["model_name"], places).to_pylist(),
        taken(rows.column("model"), places).to_pylist(),
        taken(log["started_at"], places).to_pylist(),
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
        changed[name] = call_function("replace_with_mask", [column, booleans(is_asked), values])
    return changed


def _warn_of_counts(stated: Fields, warnings: Warnings) -> None:
    counts = {noun: Counts.of(stated[name]) for name, noun in _NOUNS.items()}
    is_wrong = [count.is_there & (count.values < 0) for count in counts.values()]
    for row in np.flatnonzero(is_wrong[0] | is_wrong[1]).tolist():
        for noun, count in counts.items():
            if count.is_there[row] and count.values[row] < 0:
                warnings.append(row, refused_count(noun, int(count.values[row])))


def _events(column: Array) -> dict[int, dict[str, int]]:
    """Events by row, for rows with a recording."""
    places = np.flatnonzero(present(column))
    recordings: list[Any] = taken(column, places).to_pylist()
    return {row: dict(events) for row, events in zip(places.tolist(), recordings, strict=True)}


def _merged(
    log: Fields, usage: Fields, events: dict[int, dict[str, int]], keys: list[str]
) -> dict[str, Array]:
    rows = len(keys)
    is_broken = flags(log["tokens_before_bad_entry"])
    prompt, completion = _used((log, usage), ~is_broken)
    stated = [log["task_cost_usd"], log["total_cost_usd"], usage["cost_usd"]]
    cost = call_function("coalesce", stated)
    return {
        "task_cost_usd": numbers(filled(cost, 0.0) + 0.0),  # -0.0 becomes 0.0
        "cost_source": texts_where(present(cost), "recorded", repeated_text("none", rows)),
        "priced": nulls(rows, pa.bool_()),
        "price_table": nulls(rows, pa.string()),
        "input_tokens": numbers(prompt.values),
        "output_tokens": numbers(completion.values),
        "tokens_source": nulls(rows, pa.string()),
        "costs_by_agent_model": _booked(log, keys),
        **merged_length_columns(log, events),
    }


def _booked(log: Fields, keys: list[str]) -> Array:
    """Costs by ``agent:model``: as booked, otherwise the trial's cost under the row's own key."""
    total: Float64Array = filled(log["total_cost_usd"], 0.0)
    booked = log["costs_by_agent_model"]
    places = np.flatnonzero(present(booked))
    texts: list[Any] = taken(booked, places).to_pylist()
    booked_by_row = {
        row: booked_costs(_object(text)) for row, text in zip(places.tolist(), texts, strict=True)
    }
    costs = {
        row: booked_by_row[row] if row in booked_by_row else booked_costs({key: cost})
        for row, (key, cost) in enumerate(zip(keys, total.tolist(), strict=True))
    }
    return _dictionaries(costs, len(keys), "costs_by_agent_model")


def _object(text: str) -> dict[str, object]:
    value: Any = json_input.parse(text.encode())
    return dict(value)


def _dictionaries(values: dict[int, dict[str, Any]], rows: int, name: str) -> Array:
    """Build a column of mappings; rows without values get an empty one."""
    lengths = np.zeros(rows + 1, np.int64)
    lengths[[row + 1 for row in values]] = [len(mapping) for mapping in values.values()]
    pairs = [pair for _, mapping in sorted(values.items()) for pair in mapping.items()]
    keys = text_array(key for key, _ in pairs)
    items: Any = np.array([item for _, item in pairs], _MAPPING[name])
    return map_array(np.cumsum(lengths), keys, numbers(items))
