"""Rewards for TRL's trainers; nothing from TRL is imported."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from trajmeter.errors import InputError, ReadError
from trajmeter.hosts._figures import cause_of
from trajmeter.hosts._references import References, attempt_from
from trajmeter.metrics.engine import FATAL
from trajmeter.metrics.tools.score import ToolsMetric
from trajmeter.metrics.turns.score import TurnsMetric
from trajmeter.readers._references import REFERENCES
from trajmeter.readers.tool_views import TOOL_VIEWS
from trajmeter.scoring.scorer import Scorer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["Reward"]

_COMPLETION = "completion"
_FROM_CALLS = frozenset(
    {"turns.run.turn_count", "turns.recorded_calls", "turns.repeated_tool_calls"}
)
"""Figures of turns that are certain from calls alone, like those of tools except one."""


class Reward:
    """A figure as a reward: ``reward_funcs=[Reward("tools.f1")]``.

    References are columns of the data set, under the names of a task's fields
    (``expected_tool_calls``, ``gold_ranges``); ``task_id`` finds others among ``tasks``. An
    unscored completion gets ``None``, with the cause in the log. TRL skips a completion if every
    reward is ``None``; next to other rewards, ``None`` counts as 0 in their sum.

    Args:
        figure: The figure's column or short name.
        **scorer_options: As for :class:`trajmeter.Scorer`.

    Raises:
        UnknownNameError: There is no such figure; the nearest is named.

    Example:
        >>> call = {"function": {"name": "read", "arguments": {"path": "a.py"}}}
        >>> reward = Reward("tools.f1")
        >>> reward(
        ...     prompts=["q", "q"],
        ...     completions=[[{"role": "assistant", "tool_calls": [call]}], "no call"],
        ...     expected_tool_calls=[[{"name": "read", "arguments": {"path": "a.py"}}]] * 2,
        ... )
        [1.0, 0.0]
    """

    def __init__(self, figure: str, **scorer_options: Any) -> None:  # noqa: ANN401 - those of a Scorer
        self._arguments = figure, scorer_options
        options = {"metrics": figure.partition(".")[0], **scorer_options}
        self._scorer = Scorer(**options)
        self._figure = self._scorer.figure(figure)
        self._references = References(self._scorer, "trl")
        # Only context is scored by what calls show, and finding that out takes as long as the rest.
        self._views = TOOL_VIEWS if self._figure.name.startswith("context.") else None
        metric = self._figure.metric
        self._metric: ToolsMetric | TurnsMetric | None = None
        if find_spec("pyarrow") and (
            (type(metric) is ToolsMetric and self._figure.name != "tools.dropped_calls")
            or (type(metric) is TurnsMetric and self._figure.name in _FROM_CALLS)
        ):
            self._metric = metric
        self.__name__ = figure

    def __reduce__(self) -> tuple[Any, ...]:
        """Create it again after unpickling."""
        figure, options = self._arguments
        return partial(Reward, **options), (figure,)

    def __call__(
        self,
        prompts: Sequence[Any] = (),
        completions: Sequence[Any] = (),
        *,
        log_extra: Callable[[str, list[Any]], None] | None = None,
        **columns: Any,  # noqa: ANN401 - columns of the data set, and the trainer's own
    ) -> list[float | None]:
        """Score completions.

        Args:
            prompts: Ignored.
            completions: Messages, or texts, each a turn without calls.
            log_extra: Receives the cause for each completion that was not scored, and ``None`` for
                others.
            **columns: Values of the data set for each completion; others are ignored.
        """
        del prompts
        known = {
            name: values
            for name, values in columns.items()
            if (name in REFERENCES or name in ("task_id", "metadata"))
            and len(values) == len(completions)
        }
        rows = [
            dict(zip(known, values, strict=True)) for values in zip(*known.values(), strict=True)
        ]
        found = self._rewards(completions, rows or [{} for _ in completions])
        if log_extra is not None:  # at every call: TRL matches columns with completions by position
            log_extra(f"trajmeter.{self.__name__}.cause", [cause for _, cause in found])
        return [value for value, _ in found]

    def _rewards(
        self, completions: Sequence[Any], rows: Sequence[dict[str, Any]]
    ) -> list[tuple[float | None, str | None]]:
        """The value of each completion, or why there is none."""
        by_place: dict[int, tuple[float | None, str | None]] = {}
        if self._metric is not None:
            by_place = self._by_calls(self._metric, completions, rows)
        return [
            by_place[at] if at in by_place else self._reward(completion, row)
            for at, (completion, row) in enumerate(zip(completions, rows, strict=True))
        ]

    def _by_calls(
        self,
        metric: ToolsMetric | TurnsMetric,
        completions: Sequence[Any],
        rows: Sequence[dict[str, Any]],
    ) -> dict[int, tuple[float | None, str | None]]:
        """Results of completions that are certain from their calls alone, by position."""
        from trajmeter.hosts._call_batches import call_batch, plain_calls  # pyarrow is an extra

        places, attempts, tasks = [], [], []
        for at, (completion, row) in enumerate(zip(completions, rows, strict=True)):
            calls = plain_calls(completion)
            if calls is None:
                continue
            try:
                tasks.append(self._references.task(*_carried(row)))
            except ReadError:
                continue
            places.append(at)
            attempts.append(calls)
        if not places:
            return {}
        try:
            columns = metric.score_batch(tasks, call_batch(attempts))
        except FATAL:
            raise
        except Exception:  # noqa: BLE001 - scored one by one, each reports what is wrong
            return {}
        return dict(zip(places, self._figure.in_columns(columns), strict=True))

    def _reward(
        self,
        completion: Any,  # noqa: ANN401 - messages or text
        row: Mapping[str, Any],
    ) -> tuple[float | None, str | None]:
        task_id, carried = _carried(row)
        if isinstance(completion, str):
            completion = [{"role": "assistant", "content": completion}]
        try:
            attempt = attempt_from(completion, task_id, views=self._views)
            task = self._references.task(task_id, carried)
        except (InputError, ReadError) as wrong:
            return None, f"invalid_input: {wrong}"
        score = self._figure.of(self._scorer.scored(task, attempt))
        if score.counts and score.value is not None:
            return score.value, None
        return None, cause_of(score)


def _carried(row: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The id of a completion's task, and what the data set says about the task."""
    named, metadata = row.get("task_id"), row.get("metadata")
    carried = {**(metadata if isinstance(metadata, dict) else {}), **row}
    carried.pop("metadata", None)
    carried.pop("task_id", None)
    return named if isinstance(named, str) else _COMPLETION, carried
