"""Tokens and cost of one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.metrics.turns.result import CostFigures, TokenFigures
from trajmeter.metrics.usage import NO_AMOUNT, NO_TOKENS, amount_used, tokens_used
from trajmeter.records import Cause, Outcome, Usage
from trajmeter.records.record import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trajmeter.metrics.turns.profile import TurnsProfile
    from trajmeter.metrics.usage import Amount, TokensUsed
    from trajmeter.records import Trajectory

__all__ = ["cost_figures", "token_figures"]


def token_figures(trajectory: Trajectory, profile: TurnsProfile) -> TokenFigures:
    """Tokens of a run, as recorded or summed from its turns."""
    if profile.missing_is_zero:
        usage = trajectory.usage or Usage()
        return TokenFigures(
            input_tokens=usage.input_tokens or 0,
            output_tokens=usage.output_tokens or 0,
            total_tokens=usage.total_tokens or 0,
        )
    used = tokens_used(trajectory)
    return _WITHOUT_TOKENS if used is NO_TOKENS else _token_figures(used)


def cost_figures(trajectory: Trajectory) -> CostFigures:
    """Cost of a run, as recorded or summed from its turns."""
    used = amount_used(trajectory, "cost_usd")
    return _WITHOUT_COST if used is NO_AMOUNT else _cost_figures(used)


def _token_figures(used: TokensUsed) -> TokenFigures:
    prompt, completion, total = used.counts
    counts = {"input_tokens": prompt, "output_tokens": completion, "total_tokens": total}
    return frozen(TokenFigures, _usage_group(used, counts))


def _cost_figures(used: Amount) -> CostFigures:
    return frozen(CostFigures, _usage_group(used, {"cost_usd": used.value}))


def _usage_group(
    used: Amount | TokensUsed, figures: Mapping[str, float | None]
) -> dict[str, object]:
    """Fields of a group: outcome, cause, figures, their source, and why a value was unusable."""
    is_scored = used.source is not None
    cause = Cause.MISSING_USAGE if used.reason is None else Cause.INVALID_INPUT
    return {
        "outcome": Outcome.SCORED if is_scored else Outcome.NOT_SCORED,
        "cause": None if is_scored else cause,
        **figures,
        "source": used.source,
        "reason": used.reason,
    }


# Groups of runs without usage are equal and frozen, so one instance is shared.
_WITHOUT_TOKENS = _token_figures(NO_TOKENS)
_WITHOUT_COST = _cost_figures(NO_AMOUNT)
