"""Metrics and rewards for verifiers, named by path in its configuration; it is not imported.

A metric omits the keys of unscored figures, and stores the cause in ``trace.info["trajmeter"]``. In
a sum of rewards, a missing key counts as 0, so a reward raises unless a value for unscored attempts
is set.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ReadError, UnscoredError
from trajmeter.hosts._figures import FIGURES, cause_of, why_unscored
from trajmeter.hosts._references import References, plain
from trajmeter.readers.verifiers import VERIFIERS_TRACES
from trajmeter.records import Source, Trajectory
from trajmeter.scoring.scorer import Scorer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from trajmeter.metrics import Scored

__all__ = ["context", "reward", "rules", "tools", "turns"]

_INFO = "trajmeter"


async def tools(task: Any, trace: Any) -> Mapping[str, float]:  # noqa: ANN401 - of verifiers
    """Match tool calls with the task's ``expected_tool_calls``."""
    return _metrics("tools", task, trace)


async def context(task: Any, trace: Any) -> Mapping[str, float]:  # noqa: ANN401 - as above
    """Compare the views with the task's ``gold_ranges``."""
    return _metrics("context", task, trace)


async def turns(task: Any, trace: Any) -> Mapping[str, float]:  # noqa: ANN401 - as above
    """Count turns, repeated calls and failures."""
    return _metrics("turns", task, trace)


async def rules(task: Any, trace: Any) -> Mapping[str, float]:  # noqa: ANN401 - as above
    """Check assertions and budgets."""
    return _metrics("rules", task, trace)


def reward(
    figure: str,
    *,
    unscored: float | None = None,
    **scorer_options: Any,  # noqa: ANN401 - those of a Scorer
) -> Callable[[Any, Any], Awaitable[float]]:
    """Create a reward from one figure.

    Args:
        figure: The figure's column or short name.
        unscored: The reward of an attempt that was not scored; without it, such an attempt raises,
            which verifiers records as an error of the rollout.
        **scorer_options: As for :class:`trajmeter.Scorer`.

    Raises:
        UnknownNameError: There is no such figure; the nearest is named.
    """
    scorer = Scorer(scorer_options.pop("metrics", figure.partition(".")[0]), **scorer_options)
    named = scorer.figure(figure)
    references = References(scorer, "verifiers")

    async def score(task: Any, trace: Any) -> float:  # noqa: ANN401 - of verifiers
        try:
            figure_score = named.of(_scored(scorer, references, task, trace))
        except ReadError as wrong:
            why = f"invalid_input: {wrong}"
        else:
            if figure_score.counts and figure_score.value is not None:
                return figure_score.value
            why = why_unscored(figure_score)
        if unscored is not None:
            return unscored
        raise UnscoredError(f"{figure} has no value: {why}")

    score.__name__ = figure.replace(".", "_")
    return score


@lru_cache(maxsize=8)
def _family(name: str) -> tuple[Scorer, References]:
    scorer = Scorer(name)
    return scorer, References(scorer, "verifiers")


def _metrics(family: str, task: Any, trace: Any) -> dict[str, float]:  # noqa: ANN401 - of verifiers
    scorer, references = _family(family)
    try:
        scored = _scored(scorer, references, task, trace)
    except ReadError as wrong:
        trace.info.setdefault(_INFO, {})[family] = f"invalid_input: {wrong}"
        return {}
    values: dict[str, float] = {}
    for name in FIGURES[family]:
        score = scorer.figure(f"{family}.{name}").of(scored)
        if score.counts and score.value is not None:
            values[f"{family}.{name}"] = score.value
        else:
            trace.info.setdefault(_INFO, {})[f"{family}.{name}"] = cause_of(score)
    return values


def _scored(scorer: Scorer, references: References, task: Any, trace: Any) -> Scored:  # noqa: ANN401 - of verifiers
    """Score a trace.

    Raises:
        ReadError: The trace, or a reference, has the wrong shape.
    """
    attempt = VERIFIERS_TRACES.read(plain(trace), Source(file="verifiers"))
    if not isinstance(attempt, Trajectory):
        raise ReadError("verifiers: this is not a trace")
    carried = plain(task)
    known_task = references.task(attempt.task_id, carried if isinstance(carried, dict) else None)
    return scorer.scored(known_task, attempt)
