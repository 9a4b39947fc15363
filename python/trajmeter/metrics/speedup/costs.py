"""Cost, tokens and number of interactions of an attempt."""

from __future__ import annotations

import math
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict

from trajmeter.errors import ExtraMissingError
from trajmeter.metrics.usage import NO_AMOUNT, cost_of_turns, tokens_of_turns
from trajmeter.prices import price_table, price_usd
from trajmeter.records import RunLog

if TYPE_CHECKING:
    from trajmeter.metrics.speedup.profile import SpeedupProfile
    from trajmeter.records import Trajectory

__all__ = [
    "Cost",
    "Length",
    "Tokens",
    "cost",
    "length",
    "priced_tokens",
    "recorded_cost",
    "refused_cost",
    "refused_count",
    "refused_tokens",
    "tokens",
    "tokens_spent",
]


class Cost(TypedDict, total=False):
    """Cost of an attempt, by field names of the result."""

    task_cost_usd: float | None
    cost_source: Literal["recorded", "turns", "tokens", "none"]
    priced: bool | None
    price_table: str | None


class Tokens(NamedTuple):
    """Tokens of an attempt; ``None`` unless the run or every turn recorded them."""

    prompt: int | None
    """Prompt tokens."""
    completion: int | None
    """Completion tokens."""
    source: Literal["run", "turns"] | None
    """Whether they were recorded for the run or summed over its turns."""
    reason: str | None
    """Which count of a turn was unusable, and why."""


class Length(TypedDict, total=False):
    """Length of an attempt, by field names of the result."""

    trajectory_length: int | None
    trajectory_length_source: Literal["recorded", "json", "cast", "none"]
    events_by_code: dict[str, int]


def cost(attempt: Trajectory, used: Tokens, warnings: list[str], profile: SpeedupProfile) -> Cost:
    """Find the cost: as recorded, or the sum over its turns, or computed from tokens and prices.

    A recorded cost that is negative or not finite is skipped with a warning. A model without a
    known price costs 0, and is marked as unpriced. The cost is unknown if neither cost nor tokens
    were recorded, or, with a warning, if the price table is not installed.

    Args:
        attempt: The attempt.
        used: Its tokens.
        warnings: List to append warnings to.
        profile: Decides which costs count.
    """
    if profile.any_cost_counts:
        recorded = recorded_cost(attempt)
    else:
        recorded = _credible_cost(attempt, warnings)
    if recorded is not None:
        return {"task_cost_usd": recorded, "cost_source": "recorded"}
    added = NO_AMOUNT if profile.ignores_turns else cost_of_turns(attempt)
    if added.reason is not None:
        warnings.append(added.reason)
    if added.value is not None:
        return {"task_cost_usd": added.value, "cost_source": "turns"}
    if used.prompt is None or used.completion is None:
        return {}
    log = attempt.run_log or RunLog()
    counts = used.prompt, used.completion
    try:
        return priced_tokens(log.model_name, attempt.model, log.started_at, counts)
    except ExtraMissingError as error:
        warnings.append(f"its cost is unknown: {error}")
        return {}


def priced_tokens(
    configured: str | None, model: str | None, started_at: str | None, used: tuple[int, int]
) -> Cost:
    """Compute a cost from tokens.

    Args:
        configured: Model as configured, if recorded.
        model: Model as named by the attempt.
        started_at: Start time of the run, in ISO 8601.
        used: Prompt and completion tokens.

    Raises:
        ExtraMissingError: The price table is not installed.
    """
    names = [configured] if configured else _spellings(model or "")
    at = _time(started_at)
    table = price_table()
    prices = [price_usd(name, *used, at=at) for name in names]
    known = next((found for found in prices if found is not None), None)
    return {
        "task_cost_usd": known or 0.0,
        "cost_source": "tokens",
        "priced": known is not None,
        "price_table": table,
    }


def recorded_cost(attempt: Trajectory) -> float | None:
    """The recorded cost of the attempt, or otherwise of its trial."""
    return next(iter(_stated_costs(attempt)), None)


def tokens(attempt: Trajectory) -> tuple[int, int] | None:
    """Tokens recorded for the run: from the agent's log, otherwise from the attempt itself.

    Some logs write a negative number for none.
    """
    for stated in (attempt.run_log, attempt.usage):
        if stated is not None:
            used = [
                count if count is not None and count >= 0 else None
                for count in (stated.input_tokens, stated.output_tokens)
            ]
            if used != [None, None]:
                return used[0] or 0, used[1] or 0
    return None


def tokens_spent(attempt: Trajectory, profile: SpeedupProfile) -> Tokens:
    """Tokens of an attempt: as recorded, otherwise summed over its turns if all recorded them."""
    recorded = tokens(attempt)
    if recorded is not None:
        return Tokens(*recorded, "run", None)
    if profile.ignores_turns:
        return Tokens(None, None, None, None)
    (prompt, completion, _), _, reason = tokens_of_turns(attempt)
    if prompt is None or completion is None:
        return Tokens(None, None, None, reason)
    return Tokens(prompt, completion, "turns", reason)


def refused_tokens(attempt: Trajectory) -> list[str]:
    """Warnings about negative recorded token counts."""
    return [
        refused_count(noun, count)
        for stated in (attempt.run_log, attempt.usage)
        if stated is not None
        for noun, count in (("prompt", stated.input_tokens), ("completion", stated.output_tokens))
        if count is not None and count < 0
    ]


def refused_count(noun: str, count: int) -> str:
    """Warning about a negative token count."""
    return f"its recorded number of {noun} tokens is {count}, expected 0 or more"


def refused_cost(cost: float) -> str:
    """Warning about a cost that is negative or not finite."""
    return f"its recorded cost is {cost}, expected 0 or more"


def length(attempt: Trajectory) -> Length:
    """Number of interactions: as recorded, or entries of the agent's log, or terminal inputs.

    A log without entries and a recording without input are ignored, so the length may be unknown.
    """
    log = attempt.run_log or RunLog()
    found: Length = {"events_by_code": log.events or {}}
    if log.trajectory_length is not None:
        return {
            **found,
            "trajectory_length": log.trajectory_length,
            "trajectory_length_source": "recorded",
        }
    if log.entries:
        return {**found, "trajectory_length": log.entries, "trajectory_length_source": "json"}
    if log.events is not None:
        typed = log.events.get("i")
        return {**found, "trajectory_length": typed, "trajectory_length_source": "cast"}
    return found


def _stated_costs(attempt: Trajectory) -> list[float]:
    log = attempt.run_log or RunLog()
    stated = attempt.usage.cost_usd if attempt.usage else None
    return [cost for cost in (log.task_cost_usd, log.total_cost_usd, stated) if cost is not None]


def _credible_cost(attempt: Trajectory, warnings: list[str]) -> float | None:
    """The first recorded cost that is finite and not negative; warns about those before it."""
    for stated in _stated_costs(attempt):
        if math.isfinite(stated) and stated >= 0:
            return stated
        warnings.append(refused_cost(stated))
    return None


def _spellings(model: str) -> list[str]:
    # Reports replace the slash after the provider with a dash, which model names contain too.
    return [model, model.replace("-", "/", 1)]


def _time(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        # Python 3.10 does not accept Z.
        time = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=timezone.utc)
