"""Usage of a run: as recorded for the run, or else summed over its turns.

A negative figure counts as missing: some logs write -1 if they have no number.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, TypeGuard

from trajmeter.records import LARGEST_COUNT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trajmeter.records import Trajectory, Usage

__all__ = [
    "NO_AMOUNT",
    "NO_TOKENS",
    "TOKENS",
    "Amount",
    "Counts",
    "TokensUsed",
    "UsageSource",
    "add_amounts",
    "add_tokens",
    "amount_used",
    "cost_of_turns",
    "is_usable",
    "tokens_of_turns",
    "tokens_used",
    "unusable_reason",
]

UsageSource: TypeAlias = Literal["run", "turns", "both"]
"""Origin of figures: recorded for the run, summed over its turns, or some of each."""

TOKENS = ("input_tokens", "output_tokens", "total_tokens")
"""Fields of a usage that count tokens."""

Counts: TypeAlias = "tuple[int | None, ...]"
"""A count or ``None`` for each of :data:`TOKENS`."""

_NO_COUNTS: Counts = (None, None, None)


class Amount(NamedTuple):
    """A cost, in dollars or credits."""

    value: float | None
    """The cost; ``None`` if neither the run nor every turn recorded one."""
    source: UsageSource | None
    """Its origin."""
    reason: str | None
    """Which recorded figure is unusable, and why."""


NO_AMOUNT = Amount(None, None, None)
"""The amount of a run without a recorded one."""


class TokensUsed(NamedTuple):
    """Tokens of a run; ``None`` if neither the run nor every turn recorded them."""

    counts: Counts
    """Prompt, completion and total tokens."""
    source: UsageSource | None
    """Their origin."""
    reason: str | None
    """Which recorded count is unusable, and why."""


NO_TOKENS = TokensUsed(_NO_COUNTS, None, None)
"""The tokens of a run without recorded ones."""


def amount_used(trajectory: Trajectory, field: Literal["cost_usd", "credits"]) -> Amount:
    """The cost of a run: as recorded for it, else the sum of its turns if all have one.

    Args:
        trajectory: The run.
        field: The cost field of a usage.
    """
    run, unusable = trajectory.usage, trajectory.unusable
    usages = [turn.usage for turn in trajectory.turns or ()]
    parts = [getattr(usage, field, None) for usage in usages] if any(usages) else ()
    if run is None and not parts and not unusable:
        return NO_AMOUNT
    return add_amounts(field, getattr(run, field, None), parts, unusable)


def add_amounts(
    field: Literal["cost_usd", "credits"],
    recorded: float | None,
    turns: Iterable[float | None],
    unusable: Mapping[str, str],
) -> Amount:
    """Use the amount recorded for the run, else the sum of its turns if all have one.

    Args:
        field: The cost field of a usage.
        recorded: Amount recorded for the run.
        turns: Amount recorded for each turn; used only if that of the run is unusable.
        unusable: Why fields of the record are empty, by dotted path.
    """
    if is_usable(recorded):
        return Amount(recorded, "run", None)
    reason = unusable.get(f"usage.{field}") or unusable_reason(recorded, f"usage.{field}")
    parts: list[float] = []
    is_whole = True
    for at, part in enumerate(turns):
        if is_usable(part):
            parts.append(part)
        else:
            is_whole = False
            reason = reason or unusable_reason(part, f"turns[{at}].usage.{field}")
    if not parts or not is_whole:
        return Amount(None, None, reason)
    try:
        return Amount(math.fsum(parts), "turns", reason)
    except OverflowError:
        return Amount(None, None, reason or f"{field} adds up to more than a double can hold")


def cost_of_turns(trajectory: Trajectory) -> Amount:
    """Sum the costs of a run's turns, regardless of what was recorded for the run."""
    parts = (getattr(turn.usage, "cost_usd", None) for turn in trajectory.turns or ())
    return add_amounts("cost_usd", None, parts, {})


def tokens_of_turns(trajectory: Trajectory) -> TokensUsed:
    """Sum the tokens of a run's turns, regardless of what was recorded for the run."""
    return add_tokens(_NO_COUNTS, [_counts(turn.usage) for turn in trajectory.turns or ()], {})


def tokens_used(trajectory: Trajectory) -> TokensUsed:
    """The tokens of a run; see :func:`add_tokens`."""
    run, unusable = _counts(trajectory.usage), trajectory.unusable
    usages = [turn.usage for turn in trajectory.turns or ()]
    if not any(usages) or not _lacks_part(run):
        if run is _NO_COUNTS and not unusable:
            return NO_TOKENS
        return add_tokens(run, (), unusable)
    return add_tokens(run, [*map(_counts, usages)], unusable)


def add_tokens(run: Counts, turns: Sequence[Counts], unusable: Mapping[str, str]) -> TokensUsed:
    """Use the counts of a run; a missing one is the sum of its turns if all have it.

    A missing total is the sum of the prompt and completion tokens found so, if both are known; or
    else the turns add up to it if each has a total or both parts.

    Args:
        run: Counts recorded for the run as a whole.
        turns: Counts of each turn; used only if prompt or completion tokens are missing.
        unusable: Why fields of the record are empty, by dotted path.
    """
    reasons = (unusable[path] for field in TOKENS if (path := f"usage.{field}") in unusable)
    reason = next(reasons, None) or _first_problem(run, "usage.")
    of_run = _with_total(_usable(run))
    added = _NO_COUNTS
    if _lacks_part(of_run) and turns:
        parts = [_usable(turn) for turn in turns]
        added = tuple([_sum(column) for column in zip(*parts, strict=True)])
        if of_run[2] is None and added[2] is None:
            added = *added[:2], _derived_total(of_run, added, parts)
        problems = (_first_problem(turn, f"turns[{n}].usage.") for n, turn in enumerate(turns))
        reason = reason or next(filter(None, problems), None)
    counts = tuple([s if o is None else o for o, s in zip(of_run, added, strict=True)])
    unfit = next((n for n, c in zip(TOKENS, counts, strict=True) if c and c > LARGEST_COUNT), None)
    if unfit is not None:
        counts = tuple([None if c and c > LARGEST_COUNT else c for c in counts])
        reason = reason or f"{unfit} add up to more than 64 bits can hold"
    used = zip(of_run, counts, strict=True)
    sources: set[UsageSource] = {
        "turns" if o is None else "run" for o, count in used if count is not None
    }
    source: UsageSource | None = "both" if len(sources) > 1 else next(iter(sources), None)
    return TokensUsed(counts, source, reason)


def _counts(usage: Usage | None) -> Counts:
    if usage is None:
        return _NO_COUNTS
    return usage.input_tokens, usage.output_tokens, usage.total_tokens


def _usable(counts: Counts) -> Counts:
    """Counts without negative ones."""
    return tuple([None if c is None or c < 0 else c for c in counts])


def _with_total(counts: Counts) -> Counts:
    """Counts with the total filled in from both parts if missing."""
    prompt, completion, total = counts
    if total is None and prompt is not None and completion is not None:
        total = prompt + completion
    return prompt, completion, total


def _derived_total(of_run: Counts, added: Counts, turns: Iterable[Counts]) -> int | None:
    """Total of a run whose totals, or those of some of its turns, were not recorded."""
    parts = [a if o is None else o for o, a in zip(of_run, added, strict=True)]
    total = _with_total(tuple(parts))[2]
    return _sum([_with_total(turn)[2] for turn in turns]) if total is None else total


def _lacks_part(counts: Counts) -> bool:
    prompt, completion, _ = counts
    return prompt is None or prompt < 0 or completion is None or completion < 0


def _sum(parts: Sequence[int | None]) -> int | None:
    counts = [part for part in parts if part is not None]
    return sum(counts) if len(counts) == len(parts) else None


def _first_problem(counts: Counts, at: str) -> str | None:
    if counts is _NO_COUNTS:
        return None
    for field, each in zip(TOKENS, counts, strict=True):
        if each is not None and not is_usable(each):
            return unusable_reason(each, f"{at}{field}")
    return None


def unusable_reason(value: float | None, path: str) -> str | None:
    """Why a recorded figure is unusable; ``None`` if it is usable, or was not recorded."""
    if value is None or is_usable(value):
        return None
    return f"{path} is {value}, expected a number of 0 or more"


def is_usable(value: float | None) -> TypeGuard[float]:
    """Whether a figure was recorded and is finite and not negative."""
    return value is not None and 0 <= value < math.inf
