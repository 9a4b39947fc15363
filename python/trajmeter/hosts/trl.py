"""Rewards of TRL's trainers; nothing of TRL is imported."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from trajmeter.errors import InputError, ReadError
from trajmeter.hosts._references import REFERENCES, References, attempt_from
from trajmeter.readers.tool_views import TOOL_VIEWS
from trajmeter.scoring.scorer import Scorer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["Reward"]

_COMPLETION = "completion"


class Reward:
    """A figure as a reward: ``reward_funcs=[Reward("tools.f1")]``.

    References are columns of the data set, under the names of a task's fields
    (``expected_tool_calls``, ``gold_ranges``); ``task_id`` finds others among ``tasks``. What was
    not scored is ``None``, with its cause in the log. TRL leaves out a completion of which every
    reward is ``None``; beside other rewards a ``None`` counts as 0 in their sum.

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
        self._references = References(self._scorer.find_task, "trl")
        # Only context is scored by what calls show, and to find that out takes as long as the rest.
        self._views = TOOL_VIEWS if self._figure.name.startswith("context.") else None
        self.__name__ = figure

    def __reduce__(self) -> tuple[Any, ...]:
        """Make it again where it arrives."""
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
            prompts: Not looked at.
            completions: Messages, or texts, each a turn without calls.
            log_extra: Gets the cause of each completion that was not scored.
            **columns: Values of the data set for each completion; others are ignored.
        """
        del prompts
        own = {
            name: values
            for name, values in columns.items()
            if (name in REFERENCES or name in ("task_id", "metadata"))
            and len(values) == len(completions)
        }
        found = [
            self._reward(completion, {name: values[row] for name, values in own.items()})
            for row, completion in enumerate(completions)
        ]
        if log_extra is not None and any(cause for _, cause in found):
            log_extra(f"trajmeter.{self.__name__}.cause", [cause for _, cause in found])
        return [value for value, _ in found]

    def _reward(
        self,
        completion: Any,  # noqa: ANN401 - messages or text
        row: Mapping[str, Any],
    ) -> tuple[float | None, str | None]:
        named = row.get("task_id")
        task_id = named if isinstance(named, str) else _COMPLETION
        metadata = row.get("metadata")
        carried = {**(metadata if isinstance(metadata, dict) else {}), **row}
        carried.pop("metadata", None)
        carried.pop("task_id", None)
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
        return None, score.cause.value if score.cause else score.outcome.value
