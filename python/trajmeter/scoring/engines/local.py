"""Scoring units one after the other, in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.scoring.unit import UnitScorer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from trajmeter.records import ReadProblem
    from trajmeter.scoring.job import OpenedJob
    from trajmeter.scoring.parts import RunFolder
    from trajmeter.scoring.plan import Plan, Unit
    from trajmeter.scoring.unit import Receipt

__all__ = ["score_here"]


def score_here(
    units: Sequence[Unit],
    opened: OpenedJob,
    plan: Plan,
    folder: RunFolder,
    on_problem: Callable[[ReadProblem], None] | None,
) -> Iterator[Receipt]:
    """Score and commit units; yields a receipt of each."""
    layout = opened.layout
    for unit in units:
        yield folder.commit(UnitScorer(unit, opened, plan, on_problem), layout)
