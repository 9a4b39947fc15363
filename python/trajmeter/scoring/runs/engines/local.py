"""Scores units sequentially in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from trajmeter.records import ReadProblem
    from trajmeter.scoring.runs.folder import RunFolder
    from trajmeter.scoring.runs.plan import Plan, Unit
    from trajmeter.scoring.runs.work import OpenedWork, Receipt

__all__ = ["score_here"]


def score_here(
    units: Sequence[Unit],
    opened: OpenedWork[Any],
    plan: Plan,
    folder: RunFolder,
    on_problem: Callable[[ReadProblem], None] | None,
) -> Iterator[Receipt]:
    """Process and commit units; yields a receipt for each."""
    for unit in units:
        yield folder.units.commit(opened.unit_work(unit, plan, on_problem), opened)
