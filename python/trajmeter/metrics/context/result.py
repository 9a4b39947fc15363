"""Results of the context metrics for one trajectory."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from trajmeter.metrics._result import Figure, Group, Result

__all__ = [
    "ContextBenchEditLocation",
    "ContextResult",
    "EditLocation",
    "FinalContext",
    "FinalFigures",
    "LeakFigures",
    "TrajectoryContext",
    "TrajectoryFigures",
    "ViewFigures",
]

_Count: TypeAlias = Annotated[int | None, Figure(low=0)]

_GOLD = ("gold_size",)
_PREDICTED = ("predicted_size",)
_SHARED = ("intersection",)

_Coverage: TypeAlias = Annotated[
    float | None,
    Figure(low=0, high=1, higher_is_better=True, numerator=_SHARED, denominator=_GOLD),
]
_Precision: TypeAlias = Annotated[
    float | None,
    Figure(low=0, high=1, higher_is_better=True, numerator=_SHARED, denominator=_PREDICTED),
]
_F1: TypeAlias = Annotated[
    float | None,
    Figure(
        low=0,
        high=1,
        higher_is_better=True,
        numerator=_SHARED + _SHARED,
        denominator=_GOLD + _PREDICTED,
    ),
]


class FinalFigures(Group):
    """The final context at one granularity, compared with gold."""

    coverage: _Coverage = None
    """Share of gold that is in the final context (recall), 0 to 1."""
    precision: _Precision = None
    """Share of the final context that is gold, 0 to 1; ``None`` for an empty context."""
    f1: _F1 = None
    """Harmonic mean of coverage and precision, 0 to 1."""
    intersection: _Count = None
    """Files, definitions, bytes or lines of gold that are in the final context."""
    gold_size: _Count = None
    """Files, definitions, bytes or lines of gold."""
    predicted_size: _Count = None
    """Files, definitions, bytes or lines of the final context."""


class FinalContext(Result):
    """The final context: what the agent declared at the end, or everything it saw."""

    file: FinalFigures
    """Files."""
    symbol: FinalFigures
    """Definitions, as recorded in the snapshot."""
    span: FinalFigures
    """Bytes."""
    line: FinalFigures
    """Lines."""


class TrajectoryFigures(Group):
    """The steps of the trajectory at one granularity, compared with gold."""

    coverage: Annotated[tuple[float, ...] | None, Figure(low=0, high=1, higher_is_better=True)] = (
        None
    )
    """Share of gold that has been seen after each step, 0 to 1; ``None`` without gold."""
    auc_coverage: Annotated[
        float | None,
        Figure(
            low=0,
            high=1,
            higher_is_better=True,
            numerator=("covered_sum",),
            denominator=("gold_sum",),
        ),
    ] = None
    """Mean of the coverage over the steps, 0 to 1: how early gold is found."""
    redundancy: Annotated[
        float | None,
        Figure(
            low=0,
            high=1,
            higher_is_better=False,
            numerator=("repeated_size",),
            denominator=("viewed_size",),
        ),
    ] = None
    """Share of viewed context that an earlier step had shown, 0 to 1; ``None`` without views."""
    covered_sum: _Count = None
    """Size of the gold seen after a step, summed over the steps."""
    gold_sum: _Count = None
    """Size of gold times the number of steps."""
    repeated_size: _Count = None
    """Size of the context that a step showed again, summed over the steps."""
    viewed_size: _Count = None
    """Size of the context that a step showed, summed over the steps."""


class TrajectoryContext(Result):
    """The context step by step."""

    num_steps: Annotated[int, Figure(low=0)]
    """Number of steps: turns that recorded views, even if none."""
    file: TrajectoryFigures
    """Files."""
    symbol: TrajectoryFigures
    """Definitions, as recorded in the snapshot."""
    span: TrajectoryFigures
    """Bytes."""
    line: TrajectoryFigures
    """Lines."""


class EditLocation(Group):
    """Lines that the final patch edits, compared with those that the gold patch edits."""

    coverage: _Coverage = None
    """Share of the gold patch's lines that the final patch edits, 0 to 1."""
    precision: _Precision = None
    """Share of the final patch's lines that the gold patch edits; ``None`` without any."""
    f1: _F1 = None
    """Harmonic mean of coverage and precision, 0 to 1."""
    intersection: _Count = None
    """Lines that both patches edit."""
    gold_size: _Count = None
    """Lines that the gold patch edits."""
    predicted_size: _Count = None
    """Lines that the final patch edits."""


class ContextBenchEditLocation(Group):
    """ContextBench's own edit location: lines that the final patch deletes, compared with gold.

    For one attempt, recall and precision are the same number; pooled over attempts, they differ.
    """

    recall: Annotated[
        float | None,
        Figure(low=0, high=1, higher_is_better=True, numerator=_SHARED, denominator=_GOLD),
    ] = None
    """Share of the deleted lines that lie in the initial gold ranges, 0 to 1."""
    precision: Annotated[
        float | None,
        Figure(low=0, high=1, higher_is_better=True, numerator=_SHARED, denominator=_PREDICTED),
    ] = None
    """The same number as the recall."""
    intersection: _Count = None
    """Deleted lines that lie in the initial gold ranges."""
    gold_size: _Count = None
    """Lines of the initial gold ranges."""
    predicted_size: _Count = None
    """Deleted lines."""


class ViewFigures(Group):
    """How the views were used, including those of the declared final context."""

    total: _Count = None
    """Views recorded."""
    unresolved_paths: _Count = None
    """Distinct paths, as written, that match no file; their views are ignored."""
    unresolved_gold_paths: _Count = None
    """Distinct gold paths, as written, that match no file of the snapshot."""
    empty_ranges: _Count = None
    """Views whose range is empty, because it is reversed or outside the file."""
    leaked_patches: _Count = None
    """Views of ``fix.patch`` or ``test.patch``: the agent read the solution, or its tests."""


class LeakFigures(Group):
    """What the agent read that reveals the solution; abstains if the log does not show it."""

    total: _Count = None
    """Number of leaks of any kind."""
    gold_patch: _Count = None
    """Number of times it read the gold patch."""
    test_patch: _Count = None
    """Number of times it read the test patch."""
    future: _Count = None
    """Number of times it read commits later than the one to work on."""


class ContextResult(Result):
    """All context metrics of one trajectory."""

    final: FinalContext
    """The final context."""
    trajectory: TrajectoryContext
    """The context step by step."""
    edit_location: EditLocation
    """Lines that the final patch edits."""
    contextbench_editloc: ContextBenchEditLocation
    """Lines that the final patch deletes, as ContextBench measures them."""
    views: ViewFigures
    """How the views were used."""
    leaks: LeakFigures
    """Parts of the solution that the agent read."""

    def explain(self, figure: str) -> str | None:
        """Describe how much gold the final context or patch covers, and what was never viewed.

        See :meth:`Result.explain`.
        """
        part, _, rest = figure.partition(".")
        granularity = rest.partition(".")[0]
        covered: FinalFigures | EditLocation
        if part == "final":
            covered, what = getattr(self.final, granularity), f"gold {_NAMES[granularity]}"
        elif part == "edit_location":
            covered, what = self.edit_location, "lines that the gold patch edits"
        else:
            return None
        if covered.gold_size is None or covered.intersection is None:
            return None
        sentence = f"covers {covered.intersection:,} of {covered.gold_size:,} {what}"
        file = self.final.file
        if part == "final" and file.gold_size is not None and file.intersection is not None:
            lost = file.gold_size - file.intersection
            if lost and granularity != "file":
                sentence += f"; {lost:,} gold file{'s' if lost > 1 else ''} never viewed"
        return sentence


_NAMES = {"file": "files", "symbol": "definitions", "span": "bytes", "line": "lines"}
