"""One observation of Langfuse: of a model, a tool, an agent, or a part of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.values import as_mapping, as_text, epoch_seconds
from trajmeter.readers.messages.shapes import identity_of
from trajmeter.readers.messages.usage import count, made_usage, openai_usage
from trajmeter.readers.opentelemetry.runs import AGENT, CHAT, OTHER, TOOL, Run, recorded_cost
from trajmeter.readers.opentelemetry.values import parsed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trajmeter.records import Usage

__all__ = ["metadata_of", "run_of"]

_OPERATIONS = {"GENERATION": CHAT, "TOOL": TOOL, "AGENT": AGENT}
_OLDEST = {
    "input": "promptTokens",
    "output": "completionTokens",
    "total": "totalTokens",
    "unit": "unit",
}
"""Usage of an observation before it had an object of its own."""
_COUNTS = ("input", "output", "total")
_CACHED = ("input_cached_tokens", "input_cache_read", "cache_read_input_tokens")
_WRITTEN = ("input_cache_creation", "cache_creation_input_tokens", "input_cache_write_tokens")
_REASONING = ("output_reasoning_tokens", "output_reasoning")


def metadata_of(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The metadata of a trace or an observation, which may be JSON text."""
    return as_mapping(parsed(value.get("metadata")))


def run_of(observation: Mapping[str, Any], trace: str) -> Run:
    """The parts of an observation that are read; of its settings, only the model's name."""
    got = observation.get
    is_root = got("isRootObservation") is True
    costs = as_mapping(got("costDetails"))
    cost = next((got(key) for key in ("calculatedTotalCost", "totalCost") if got(key)), None)
    return Run(
        trace=trace,
        id=identity_of(got("id")),
        parent=None if is_root else identity_of(got("parentObservationId")),
        operation=_OPERATIONS.get(str(got("type")).upper(), OTHER),
        name=as_text(got("name")),
        start=epoch_seconds(got("startTime")),
        end=epoch_seconds(got("endTime")),
        is_error=got("level") == "ERROR",
        error=as_text(got("statusMessage")),
        input=got("input"),
        output=got("output"),
        model=as_text(got("model")) or as_text(got("providedModelName")),
        usage=_usage(as_mapping(got("usageDetails")), _older(observation)),
        cost=recorded_cost(costs.get("total") or cost),
        call_id=identity_of(metadata_of(observation).get("tool_call_id")),
    )


def _older(observation: Mapping[str, Any]) -> Mapping[str, Any]:
    """Usage as recorded before ``usageDetails``; its object may hold only nulls or zeros."""
    own = as_mapping(observation.get("usage"))
    if any(count(own.get(key)) for key in _COUNTS):
        return own
    return {key: observation.get(name) for key, name in _OLDEST.items()}


def _usage(details: Mapping[str, Any], older: Mapping[str, Any]) -> Usage | None:
    """Usage of a generation; Langfuse writes 0 for what was not recorded.

    Kinds of tokens are counted apart from ``input`` and ``output``, unless the total says that
    these include them.
    """
    counts = {key: each for key, value in details.items() if (each := count(value)) is not None}
    if not counts and older.get("unit") in (None, "TOKENS"):
        counts = {key: each for key in _COUNTS if (each := count(older.get(key))) is not None}
    if not any(counts.values()):
        return None
    if "prompt_tokens" in counts:
        return openai_usage(counts)
    given, made, total = counts.get("input"), counts.get("output"), counts.get("total")
    if total is None or (given or 0) + (made or 0) != total:
        given = _whole(given, counts, "input")
        made = _whole(made, counts, "output")
    return made_usage(
        count(given),
        count(made),
        cached=_first(counts, _CACHED),
        written=_first(counts, _WRITTEN),
        reasoning=_first(counts, _REASONING),
        total=total,
    )


def _whole(own: int | None, counts: Mapping[str, int], name: str) -> int | None:
    """Total input or output tokens; counts by priority tier are skipped, as they overlap others."""
    kinds = [
        each
        for key, each in counts.items()
        if (key.startswith(f"{name}_") and "priority" not in key) or key.endswith(f"_{name}_tokens")
    ]
    return sum(kinds, own or 0) if kinds or own is not None else None


def _first(counts: Mapping[str, int], keys: tuple[str, ...]) -> int | None:
    return next((counts[key] for key in keys if key in counts), None)
