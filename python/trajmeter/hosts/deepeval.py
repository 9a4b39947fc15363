"""A DeepEval metric: one figure of each test case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from trajmeter.errors import ConfigurationError, ExtraMissingError, InputError, ReadError
from trajmeter.validation_errors import describe_error

try:
    from deepeval.errors import MissingTestCaseParamsError
    from deepeval.metrics import BaseMetric
except ModuleNotFoundError as error:
    raise ExtraMissingError("DeepEval is missing: pip install 'trajmeter[deepeval]'") from error

from trajmeter.hosts._figures import why_unscored
from trajmeter.hosts._references import References, attempt_from
from trajmeter.records import ToolCall, Trajectory, Usage
from trajmeter.scoring.scorer import Scorer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deepeval.test_case import LLMTestCase
    from deepeval.test_case import ToolCall as CalledTool

__all__ = ["TrajmeterMetric"]

_CASE = "case"
"""Id of the task of a test case without a name."""
_TRAJECTORY = "trajectory"
"""The key of a test case's metadata that holds messages or a record."""


class TrajmeterMetric(BaseMetric):
    """A figure of each test case, for :func:`deepeval.evaluate` and :func:`deepeval.assert_test`.

    The attempt is ``metadata["trajectory"]``, messages or a record, else ``tools_called``. The
    expected calls are ``expected_tools``; other references are in ``metadata``, under the names of
    a task's fields (``gold_ranges``), or in ``tasks`` by the name of the test case.

    If the figure was not scored, the metric raises DeepEval's ``MissingTestCaseParamsError`` with
    the cause. With ``ErrorConfig(skip_on_missing_params=True)``, DeepEval then skips the metric;
    otherwise the run ends.

    Args:
        figure: The figure's column or short name.
        threshold: Smallest value that passes, or the largest if less is better; by default there is
            no verdict. DeepEval needs a threshold for at least one metric of a run.
        scorer: A scorer to share with other metrics, instead of options.
        **scorer_options: As for :class:`trajmeter.Scorer`.

    Raises:
        UnknownNameError: There is no such figure; the nearest is named.
        ConfigurationError: A scorer was passed together with options.
    """

    async_mode = False
    verbose_mode = False
    score: float | None = None
    reason: str | None = None
    success: bool | None = None
    error: str | None = None

    def __init__(
        self,
        figure: str,
        threshold: float | None = None,
        *,
        scorer: Scorer | None = None,
        **scorer_options: Any,  # noqa: ANN401 - those of a Scorer
    ) -> None:
        if scorer is None:
            scorer = Scorer(**{"metrics": figure.partition(".")[0], **scorer_options})
        elif scorer_options:
            raise ConfigurationError(
                f"got a scorer and {', '.join(sorted(scorer_options))}, expected one or the other"
            )
        self._named = scorer.figure(figure)
        self._references = References(scorer, "deepeval")
        # DeepEval copies a metric by the attributes that its parameters are named after.
        self.figure = figure
        self.threshold = threshold
        self.scorer = scorer

    def measure(self, test_case: LLMTestCase, *_: object, **__: object) -> float:
        """Score a test case.

        Raises:
            MissingTestCaseParamsError: It could not be scored; the message says why.
        """
        self.score = self.success = self.reason = self.error = None
        try:
            attempt = _attempt(test_case)
            carried = _references_of(test_case)
            task = self._references.task(attempt.task_id, carried, question=test_case.input)
        except (InputError, ReadError) as wrong:
            raise self._unscored(f"invalid_input: {wrong}") from wrong
        score = self._named.of(self.scorer.scored(task, attempt))
        if not score.counts or score.value is None:
            raise self._unscored(why_unscored(score))
        self.score, self.reason = score.value, score.reason
        self.is_successful()
        return score.value

    async def a_measure(self, test_case: LLMTestCase, *_: object, **__: object) -> float:
        """Score a test case; nothing blocks, so no thread is needed."""
        return self.measure(test_case)

    def is_successful(self) -> bool | None:
        """Whether the latest score reaches the threshold; ``None`` if either is missing."""
        if self.error is not None:
            self.success = False
        elif self.score is None or self.threshold is None:
            self.success = None
        elif self._named.info.higher_is_better is False:
            self.success = self.score <= self.threshold
        else:
            self.success = self.score >= self.threshold
        return self.success

    @property
    def __name__(self) -> str:
        """The figure, which is the metric's name in DeepEval's reports."""
        return self.figure

    def _unscored(self, why: str) -> MissingTestCaseParamsError:
        self.reason = why
        return MissingTestCaseParamsError(f"{self.figure} was not scored, {why}")


def _attempt(case: LLMTestCase) -> Trajectory:
    """The attempt of a test case: its messages or record if it has any, otherwise its calls."""
    task_id = case.name or _CASE
    trajectory = (case.metadata or {}).get(_TRAJECTORY)
    if trajectory is not None:
        return attempt_from(trajectory, task_id)
    try:
        return Trajectory(
            task_id=task_id,
            tool_calls=_calls(case.tools_called),
            final_output=case.actual_output,
            duration_seconds=case.completion_time,
            usage=Usage(
                input_tokens=case.input_token_count,
                output_tokens=case.output_token_count,
                cost_usd=case.token_cost,
            ),
        )
    except ValidationError as error:
        raise InputError(describe_error(error)) from error


def _references_of(case: LLMTestCase) -> dict[str, Any]:
    carried = {key: value for key, value in (case.metadata or {}).items() if key != _TRAJECTORY}
    if case.expected_tools is not None:
        carried["expected_tool_calls"] = [
            {"name": tool.name, "arguments": _json(tool.input_parameters)}
            for tool in case.expected_tools
        ]
    return carried


def _calls(tools: Sequence[CalledTool] | None) -> tuple[ToolCall, ...] | None:
    if tools is None:
        return None
    return tuple(
        ToolCall(name=tool.name, arguments=_json(tool.input_parameters), result=_json(tool.output))
        for tool in tools
    )


def _json(value: object) -> Any:  # noqa: ANN401 - any JSON value
    """A tool's input or output; objects that JSON cannot represent become text."""
    if value is None or isinstance(value, str):
        return value
    try:
        return to_jsonable_python(value, fallback=str)
    except ValueError:  # bytes that are not text, or an object that contains itself
        return str(value)
