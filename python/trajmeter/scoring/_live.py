"""What is known of an attempt that is still running."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from trajmeter.kernels import StepCoverage

__all__ = ["Live", "NoCoverage"]


class NoCoverage(NamedTuple):
    """Coverage of an attempt whose gold is not known, or that has no step yet."""

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
    """What is known of an attempt that is still running."""

    turns: int
    """Turns so far, the open one included."""
    turns_left: int | None
    """Turns left in the task's budget; ``None`` where it has none."""
    calls: int
    """Tool calls so far."""
    failed_calls: int
    """Those known to have failed."""
    repeated_calls: int
    """Those equal in name and arguments to an earlier one."""
    views: int
    """Views so far."""
    coverage: StepCoverage
    """Share of gold seen so far, the open turn included; ``None`` where gold is not known."""
    redundancy: float | None
    """Share of the lines viewed that an earlier turn had shown, of the turns that ended."""
    input_tokens: int | None
    """Prompt tokens so far; ``None`` where none were recorded."""
    output_tokens: int | None
    """Completion tokens so far."""
    cost_usd: float | None
    """Cost so far in US dollars."""
