"""Tokens and cost of a turn or run, and their running totals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.reports.cells import dollars, seconds

if TYPE_CHECKING:
    from trajmeter.records import Turn, Usage

__all__ = ["RunningTotals", "tokens_of"]


def tokens_of(usage: Usage | None) -> list[str]:
    """Recorded tokens and cost, in words."""
    if usage is None:
        return []
    facts = []
    if usage.input_tokens is not None:
        cached = usage.cached_input_tokens
        part = f" ({cached:,} cached)" if cached else ""
        facts.append(f"{usage.input_tokens:,} tokens in{part}")
    if usage.output_tokens is not None:
        reasoning = usage.reasoning_tokens
        part = f" ({reasoning:,} reasoning)" if reasoning else ""
        facts.append(f"{usage.output_tokens:,} out{part}")
    if not facts and usage.total_tokens is not None:
        facts.append(f"{usage.total_tokens:,} tokens")
    if usage.cost_usd is not None:
        facts.append(str(dollars(usage.cost_usd)))
    if usage.credits is not None:
        facts.append(f"{usage.credits:,g} credits")
    return facts


class RunningTotals:
    """Sums tokens and cost over turns; a turn without them makes the totals lower bounds."""

    def __init__(self) -> None:
        self._tokens: int | None = None
        self._cost: float | None = None
        self._lacks_tokens = self._lacks_cost = False

    def add(self, turn: Turn) -> list[str]:
        """Facts of a turn, with the totals so far if the turn adds to them."""
        usage = turn.usage
        facts = tokens_of(usage)
        if turn.duration_seconds is not None:
            facts.append(f"{seconds(turn.duration_seconds)} s")
        tokens = None if usage is None else _tokens(usage)
        cost = None if usage is None else usage.cost_usd
        self._lacks_tokens |= tokens is None
        self._lacks_cost |= cost is None
        if tokens is not None:
            self._tokens = (self._tokens or 0) + tokens
            facts.append(f"{_at_least(self._lacks_tokens)}{self._tokens:,} tokens so far")
        if cost is not None:
            self._cost = (self._cost or 0.0) + cost
            facts.append(f"{_at_least(self._lacks_cost)}{dollars(self._cost)} so far")
        return facts


def _tokens(usage: Usage) -> int | None:
    if usage.total_tokens is not None:
        return usage.total_tokens
    parts = [part for part in (usage.input_tokens, usage.output_tokens) if part is not None]
    return sum(parts) if parts else None


def _at_least(lacks: bool) -> str:  # noqa: FBT001 - a word for it
    return "at least " if lacks else ""
