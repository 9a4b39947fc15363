"""Claims about the scores of an attempt, for tests of agents in any test runner."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.arguments import check_type
from trajmeter.errors import ConfigurationError, InputError
from trajmeter.readers.messages import from_messages
from trajmeter.records import Trajectory
from trajmeter.scoring.scorer import Scorer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pydantic import BaseModel

    from trajmeter.metrics.named_figures import NamedFigure
    from trajmeter.records import Score, Task

__all__ = ["Claim", "Judgement", "assert_scores", "judge"]

_CLAIM = re.compile(r"\s*([\w.]+)\s*(?:(>=|<=|==|!=|>|<)\s*(\S+)\s*)?")
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}


class Claim(NamedTuple):
    """A claim about one figure."""

    text: str
    """The claim as written."""
    name: str
    """Name of the figure."""
    comparison: str | None
    """Comparison operator; ``None`` for a figure that must be true."""
    bound: float
    """The number to compare with."""

    @classmethod
    def read(cls, text: str) -> Claim:
        """Read ``NAME OP NUMBER``, or the name of a figure that is true or false.

        Raises:
            ConfigurationError: It is anything else.
            InputError: It is not text.
        """
        check_type(text, str, name="claim")
        match = _CLAIM.fullmatch(text)
        try:
            if match is not None:
                name, comparison, written = match.groups()
                bound = float(written or 1)
                if not math.isnan(bound):
                    return cls(text.strip(), name, comparison, bound)
        except ValueError:
            pass
        raise ConfigurationError(
            f"the claim {text!r} cannot be read, expected one such as 'tools.f1 >= 0.8', or the "
            "name of a figure that is true or false"
        )

    def holds(self, score: Score) -> bool:
        """Whether the claim holds for a figure that has a value."""
        value = score.value
        if value is None:
            return False
        return _OPERATORS[self.comparison or "=="](value, self.bound)


class Judgement(NamedTuple):
    """The result of claims about one attempt."""

    task_id: str
    """Task of the attempt."""
    failed: list[str]
    """The claims that do not hold, with what was found."""
    unscored: list[str]
    """The claims about figures without a value, with the cause."""
    wrong: list[str]
    """Both, in the order of the claims."""
    figures: dict[str, Score]
    """The figures, by the names in the claims."""

    def describe(self) -> str:
        """The attempt, and what is wrong with the claims about it."""
        return "\n".join([f"attempt at {self.task_id!r}:", *self.wrong])


def assert_scores(
    attempt: Trajectory | Iterable[Mapping[str, Any] | BaseModel],
    *claims: str,
    task: Task | str | None = None,
    scorer: Scorer | None = None,
) -> None:
    """Assert claims about an attempt; all are checked before the first one fails.

    Args:
        attempt: The attempt's record or messages.
        *claims: ``NAME OP NUMBER`` with one of ``>= <= == != > <``, or the name of a figure that is
            true or false. A claim about a figure that was not scored does not hold.
        task: The task, or its id; messages need it.
        scorer: The scorer; by default it scores the families that the claims name, without
            references other than those of ``task``.

    Raises:
        AssertionError: A claim does not hold.
        UnknownNameError: A claim names no figure.
        ConfigurationError: A claim cannot be read.
        InputError: Messages are passed without a task, the attempt is neither a record nor
            messages, or a claim is not text.

    Example:
        >>> from trajmeter.records import Task, ToolCall
        >>> call = {"function": {"name": "read", "arguments": '{"path": "b"}'}}
        >>> messages = [{"role": "assistant", "tool_calls": [call]}]
        >>> wanted = ToolCall(name="read", arguments={"path": "a"})
        >>> task = Task(id="t", expected_tool_calls=(wanted,))
        >>> assert_scores(messages, "turns.turn_count == 1", "tools.f1 >= 0.8", task=task)
        Traceback (most recent call last):
        ...
        AssertionError: attempt at 't':
        tools.f1 >= 0.8: is 0.0
            arguments read['path']: expected 'a', got 'b'
    """
    __tracebackhide__ = True  # pytest then shows the test's line
    judged = judge(attempt, claims, task=task, scorer=scorer)
    if judged.wrong:
        raise AssertionError(judged.describe())


def judge(
    attempt: Trajectory | Iterable[Mapping[str, Any] | BaseModel],
    claims: Sequence[str],
    *,
    task: Task | str | None = None,
    scorer: Scorer | None = None,
) -> Judgement:
    """Check claims about an attempt, like :func:`assert_scores`."""
    read = [Claim.read(claim) for claim in claims]
    if not read:
        raise ConfigurationError("no claim was made")
    if scorer is None:
        scorer = Scorer(list(dict.fromkeys(claim.name.partition(".")[0] for claim in read)))
    figures = [_figure(scorer, claim) for claim in read]
    record = _record(attempt, task)
    if task is None:
        task = record.task_id
    known = scorer.find_task(task) if isinstance(task, str) else task
    scored = scorer.count(known, record)
    judged = Judgement(record.task_id, [], [], [], {})
    for claim, figure in zip(read, figures, strict=True):
        score = figure.of(scored)
        judged.figures[claim.name] = score
        if not score.counts or score.value is None:
            why = f"abstained: {score.reason}"
            if score.cause is not None:
                why = f"not scored, {score.cause.value}"
            line, kind = f"{claim.text}: {why}", judged.unscored
        elif not claim.holds(score):
            reasons = [f"    {line}" for line in (score.reason or "").splitlines()]
            found = bool(score.value) if figure.info.kind == "boolean" else score.value
            line, kind = "\n".join([f"{claim.text}: is {found}", *reasons]), judged.failed
        else:
            continue
        kind.append(line)
        judged.wrong.append(line)
    return judged


def _figure(scorer: Scorer, claim: Claim) -> NamedFigure:
    figure = scorer.figure(claim.name)
    if claim.comparison is None and figure.info.kind != "boolean":
        raise ConfigurationError(
            f"the claim {claim.text!r} compares nothing, and the figure is a number: expected one "
            f"such as '{claim.name} >= 0.8'"
        )
    return figure


def _record(
    attempt: Trajectory | Iterable[Mapping[str, Any] | BaseModel], task: Task | str | None
) -> Trajectory:
    if isinstance(attempt, Trajectory):
        return attempt
    given: object = attempt
    if not isinstance(given, Iterable) or isinstance(given, (str, bytes, dict)):
        raise InputError(
            f"attempt is a {type(attempt).__name__}, expected a Trajectory or a list of messages"
        )
    if task is None:
        raise InputError("the attempt is a list of messages: name its task with task=")
    return from_messages(attempt, task_id=task if isinstance(task, str) else task.id)
