"""A small metric family with three groups, for tests of the code between metrics and readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel

from trajmeter.metrics import Figure, Group, Mean, Result
from trajmeter.records import Cause, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

    from trajmeter.records import Task, Trajectory

RATE = Figure(low=0, high=1, higher_is_better=True)
COVERAGE = Figure(
    low=0, high=1, higher_is_better=True, numerator=("hits",), denominator=("wanted",)
)


class Words(Group):
    """Number of expected words in the answer."""

    coverage: Annotated[float | None, COVERAGE] = None
    """Wanted words found / wanted words."""
    hits: int = 0
    """Wanted words found."""
    wanted: int = 0
    """Wanted words."""
    per_word: tuple[float, ...] = ()
    """One per wanted word."""


class Parts(BaseModel):
    """Two groups of the same shape."""

    words: Words
    """Whole words."""
    letters: Words
    """Letters."""


class AnswerResult(Result):
    """The result of the fake family."""

    parts: Parts
    """By granularity."""
    length: Annotated[int | None, Figure(unit="characters")] = None
    """Length of the answer."""


def _overlap(wanted: set[str], found: set[str]) -> Words:
    if not wanted:
        return Words(outcome=Outcome.ABSTAINED)
    hits = len(wanted & found)
    return Words(
        coverage=hits / len(wanted),
        hits=hits,
        wanted=len(wanted),
        per_word=tuple(float(word in found) for word in sorted(wanted)),
    )


class AnswerFigures(BaseModel):
    """Run-level figures of the fake family."""

    longest: int
    """Length of the longest answer."""
    mean_length: Mean
    """Mean length."""


class AnswerAggregator:
    def __init__(self) -> None:
        self.lengths: list[int] = []
        self.total = 0

    def add(self, task: Task | None, trajectory: Trajectory, result: Result) -> None:
        assert isinstance(result, AnswerResult)
        self.total += 1
        if result.length is not None:
            self.lengths.append(result.length)

    def figures(self) -> AnswerFigures:
        mean = sum(self.lengths) / len(self.lengths) if self.lengths else None
        return AnswerFigures(
            longest=max(self.lengths, default=0),
            mean_length=Mean(value=mean, scored=len(self.lengths), total=self.total),
        )


class AnswerMetric:
    """Overlap of the final output with the expected answer; raises on the output ``boom``."""

    name = "answer"
    version = "7"
    requires = ("Task.expected_answer", "Trajectory.final_output")
    parameters: Mapping[str, JsonValue] = {"profile": None}
    result_type = AnswerResult

    def score(self, task: Task | None, trajectory: Trajectory) -> AnswerResult:
        if trajectory.final_output == "boom":
            raise RuntimeError("it went off")
        if task is None:
            missing = Words(outcome=Outcome.NOT_SCORED, cause=Cause.MISSING_GOLD)
            return AnswerResult(parts=Parts(words=missing, letters=missing))
        wanted, found = task.expected_answer or "", trajectory.final_output or ""
        return AnswerResult(
            parts=Parts(
                words=_overlap(set(wanted.split()), set(found.split())),
                letters=_overlap(set(wanted), set(found)),
            ),
            length=len(found),
        )

    def aggregator(self) -> AnswerAggregator:
        return AnswerAggregator()


class RankResult(Group, Result):
    """Rank among the attempts at one task."""

    rank: Annotated[int | None, Figure(low=1, higher_is_better=False)] = None
    """1 is the longest output."""


class RankMetric:
    """Ranks the attempts at a task by the length of their output."""

    name = "rank"
    version = "1"
    requires = ("Trajectory.final_output",)
    parameters: Mapping[str, JsonValue] = {}
    result_type = RankResult

    def score_trial(
        self, task: Task | None, trajectories: Sequence[Trajectory]
    ) -> Sequence[RankResult]:
        lengths = [len(trajectory.final_output or "") for trajectory in trajectories]
        ranks = {length: rank for rank, length in enumerate(sorted(lengths, reverse=True), 1)}
        return [RankResult(rank=ranks[length]) for length in lengths]
