"""Scores of a rule for some rows of a batch, graded as columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from trajmeter.arrays import booleans, nulls, numbers
from trajmeter.arrays.text import repeated_text, text_array
from trajmeter.records import Outcome

if TYPE_CHECKING:
    from trajmeter.arrays import Array
    from trajmeter.kernels import Float64Array, Int64Array
    from trajmeter.metrics.rules.profile import RulesProfile

__all__ = ["Graded", "graded"]


class Graded(NamedTuple):
    """Rows that were graded."""

    rows: Int64Array
    """Their positions, ascending."""
    columns: dict[str, Array]
    """Columns of the rule's scores in these rows."""


def graded(scores: Float64Array, reasons: list[str], profile: RulesProfile) -> dict[str, Array]:
    """Columns that every rule has, for the rows it was applied to.

    Args:
        scores: The scores.
        reasons: Why each score has its value.
        profile: Defines the passing score.
    """
    rows = len(scores)
    return {
        "outcome": repeated_text(Outcome.SCORED.value, rows),
        "cause": nulls(rows, pa.string()),
        "score": numbers(scores),
        "passed": booleans(scores >= profile.passing_score),
        "reason": text_array(reasons),
    }
