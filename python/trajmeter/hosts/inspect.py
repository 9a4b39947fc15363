"""Scorers for Inspect AI, for an agent's calls, context, turns and rules.

Inspect reduces the epochs of a sample before it averages: if one epoch of a sample was not scored,
the sample still counts as scored. Score the log with Trajmeter for counts of attempts.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from trajmeter.errors import ExtraMissingError, ReadError

try:
    from inspect_ai.log import transcript
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
    from inspect_ai.solver import TaskState  # noqa: TC002 - Inspect reads the annotations
except ModuleNotFoundError as error:
    raise ExtraMissingError("Inspect AI is missing: pip install 'trajmeter[inspect]'") from error

from trajmeter.hosts._figures import FIGURES
from trajmeter.hosts._references import References
from trajmeter.readers.inspect.sample import attempt_of
from trajmeter.records import Source
from trajmeter.scoring.scorer import Scorer as AttemptScorer

if TYPE_CHECKING:
    from trajmeter.metrics import Scored
    from trajmeter.records import Score as Figure
    from trajmeter.records import Trajectory

__all__ = ["context", "rules", "tools", "turns"]

_REPEATED = {"call", "input", "tools"}
"""Unused fields of events; in that of a model call, they repeat the conversation so far."""

_DEEPEST = 100
"""Levels of an event or a message within which parts that JSON can represent are looked for."""


def _metrics(figures: tuple[str, ...]) -> dict[str, list[Any]]:
    return {figure: [mean(), stderr()] for figure in figures}


@scorer(metrics=_metrics(FIGURES["tools"]))
def tools(tasks: str | None = None, profiles: str | None = None) -> Scorer:
    """Match tool calls with the expected ones in ``metadata["expected_tool_calls"]``.

    Args:
        tasks: A file of tasks, found by sample id, for samples without references.
        profiles: A compatibility profile.
    """
    return _scorer("tools", tasks, None, profiles)


@scorer(metrics=_metrics(FIGURES["context"]))
def context(
    tasks: str | None = None, snapshots: str | None = None, profiles: str | None = None
) -> Scorer:
    """Compare the views with ``metadata["gold_ranges"]``.

    Args:
        tasks: A file of tasks, found by sample id, for samples without references.
        snapshots: A file or a folder of snapshots of the repositories.
        profiles: A compatibility profile.
    """
    return _scorer("context", tasks, snapshots, profiles)


@scorer(metrics=_metrics(FIGURES["turns"]))
def turns(tasks: str | None = None, profiles: str | None = None) -> Scorer:
    """Count turns, repeated calls and failures; no reference is needed.

    Args:
        tasks: A file of tasks, found by sample id.
        profiles: A compatibility profile.
    """
    return _scorer("turns", tasks, None, profiles)


@scorer(metrics=_metrics(FIGURES["rules"]))
def rules(tasks: str | None = None, profiles: str | None = None) -> Scorer:
    """Check assertions and budgets, in the metadata of samples.

    Args:
        tasks: A file of tasks, found by sample id, for samples without references.
        profiles: A compatibility profile.
    """
    return _scorer("rules", tasks, None, profiles)


def _scorer(
    family: str,
    tasks: str | None,
    snapshots: str | None,
    profiles: str | None,
) -> Scorer:
    scorer = AttemptScorer(
        family,
        tasks=() if tasks is None else tasks,
        snapshots=snapshots,
        profiles=() if profiles is None else profiles,
    )
    figures = {name: scorer.figure(f"{family}.{name}") for name in FIGURES[family]}
    references = References(scorer, "inspect")

    async def score(state: TaskState, target: Target) -> Score:
        del target  # references are in the metadata
        try:
            attempt = _attempt(state)
            task = references.task(attempt.task_id, state.metadata)
        except ReadError as wrong:
            return Score.unscored(reason="invalid_input", explanation=str(wrong))
        scored = scorer.scored(task, attempt)
        return score_of(
            {name: figure.of(scored) for name, figure in figures.items()}, scored, family
        )

    return score


def score_of(found: dict[str, Figure], scored: Scored, family: str) -> Score:
    """The score of a sample; its value has a number or NaN for each figure."""
    whole = {name: value for name, value in scored.row().items() if name.startswith(f"{family}.")}
    reasons = dict.fromkeys(each.reason for each in found.values() if each.reason)
    explanation = "\n".join(reasons) or None
    metadata = {"trajmeter": whole}
    if not any(each.counts for each in found.values()):
        causes = [each.cause.value for each in found.values() if each.cause is not None]
        return Score.unscored(
            reason=causes[0] if causes else "abstained", explanation=explanation, metadata=metadata
        )
    # ``None`` would count as 0 in the mean; NaN is excluded from it, and counted as unscored.
    values = {
        name: each.value if each.counts and each.value is not None else math.nan
        for name, each in found.items()
    }
    return Score(value=values, explanation=explanation, metadata=metadata)


def _attempt(state: TaskState) -> Trajectory:
    """The attempt of a sample, from its events, or from its messages if there are no events."""
    events = [plain(event, exclude=_REPEATED) for event in transcript().events]
    limits = [event for event in events if event.get("event") == "sample_limit"]
    limit = None
    if limits:
        last = limits[-1]
        limit = {**last, "reason": last.get("message")}
    sample = {
        "id": state.sample_id,
        "epoch": state.epoch,
        "messages": [plain(each) for each in state.messages],
        "events": events,
        "output": {"completion": state.output.completion},
        "metadata": {},
        "limit": limit,
    }
    return attempt_of(sample, {"eval": {"model": str(state.model)}}, Source(file="inspect"))


def plain(record: BaseModel, exclude: set[str] | None = None) -> dict[str, Any]:
    """An event or a message as JSON, as in a log: without what JSON cannot represent."""
    try:
        return record.model_dump(
            mode="json", exclude=exclude, exclude_none=True, fallback=lambda _: None
        )
    except ValueError:  # bytes that are not UTF-8, a value that contains itself
        found: dict[str, Any] = _salvaged(_fields(record, exclude or ()), {})
        return found


def _salvaged(value: Any, known: dict[int, Any], depth: int = 0) -> Any:  # noqa: ANN401 - any value of a record
    """The value as JSON, with null for each part that JSON cannot represent.

    Args:
        value: The value.
        known: What became of each part so far; null for those that contain this one.
        depth: Number of parts that contain this one.
    """
    try:
        return to_jsonable_python(value, exclude_none=True, fallback=lambda _: None)
    except ValueError:
        pass
    if id(value) in known or depth == _DEEPEST:
        return known.get(id(value))
    known[id(value)] = None
    found: Any = None
    is_record = isinstance(value, BaseModel) or (
        is_dataclass(value) and not isinstance(value, type)
    )
    parts = _fields(value) if is_record else value
    if isinstance(parts, Mapping):
        found = {str(key): _salvaged(each, known, depth + 1) for key, each in parts.items()}
    elif isinstance(parts, (list, tuple, set, frozenset)):
        found = [_salvaged(each, known, depth + 1) for each in parts]
    known[id(value)] = found
    return found


def _fields(record: Any, exclude: Collection[str] = ()) -> dict[str, Any]:  # noqa: ANN401 - a model or a dataclass
    names = (
        type(record).model_fields
        if isinstance(record, BaseModel)
        else [each.name for each in fields(record)]
    )
    return {
        name: value
        for name in names
        if name not in exclude and (value := getattr(record, name)) is not None
    }
