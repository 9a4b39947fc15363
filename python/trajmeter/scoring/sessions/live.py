"""Live figures of an attempt that is still running."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from trajmeter.kernels import StepCoverage

__all__ = ["Live", "NoCoverage"]


class NoCoverage(NamedTuple):
    """Coverage of an attempt with unknown gold, or without steps so far."""

    step: int = 0
    """Number of steps."""
    file: float | None = None
    """Unknown."""
    symbol: float | None = None
    """Unknown."""
    span: float | None = None
    """Unknown."""
    line: float | None = None
    """Unknown."""


class Live(NamedTuple):
    """Live figures of an attempt that is still running."""

    turns: int
    """Turns so far, including the open one."""
    turns_left: int | None
    """Turns left in the task's budget; ``None`` without a budget."""
    calls: int
    """Tool calls so far."""
    failed_calls: int
    """Calls known to have failed."""
    repeated_calls: int
    """Calls with the same name and arguments as an earlier one."""
    views: int
    """Views so far."""
    coverage: StepCoverage
    """Share of gold seen so far, including the open turn; ``None`` if gold is unknown."""
    redundancy: float | None
    """Share of the viewed lines that an earlier turn had shown, over the finished turns."""
    input_tokens: int | None
    """Prompt tokens so far; ``None`` if none were recorded."""
    output_tokens: int | None
    """Completion tokens so far."""
    cost_usd: float | None
    """Cost so far in US dollars."""
