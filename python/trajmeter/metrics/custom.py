"""User-defined metrics: decorated functions."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable
from functools import lru_cache
from numbers import Real
from typing import TYPE_CHECKING, Annotated, Any, SupportsIndex, TypeAlias, get_origin, overload
from weakref import WeakKeyDictionary

import numpy as np
from pydantic import Field, create_model

from trajmeter.errors import ConfigurationError
from trajmeter.metrics._result import Figure, Group, Result
from trajmeter.metrics.metric_files import FILE_MODULE, metric_from_file
from trajmeter.records import Cause, Outcome, Score, Task, Trajectory
from trajmeter.records.record import field_descriptions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue


__all__ = [
    "FunctionMetric",
    "ScoreFunction",
    "ScoreResult",
    "metric",
]

ScoreFunction: TypeAlias = Callable[
    [Task | None, Trajectory], "Result | Score | float | bool | None"
]


class ScoreResult(Group, Result):
    """One figure, returned by a function."""

    value: float | None = None
    """The figure; true is 1 and false is 0."""
    passed: bool | None = None
    """Whether the attempt passes by this metric; ``None`` if the function does not say."""
    reason: str | None = None
    """Why, for a reader."""
    details: dict[str, Any] = Field(default_factory=dict)
    """Details from which the score was computed."""

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        """Pickle a class created for a function by its name and figure."""
        made_of = _made_of.get(type(self))
        if made_of is None:
            return super().__reduce_ex__(protocol)
        return _score_result, (*made_of, dict(self), self.model_fields_set)


_made_of: WeakKeyDictionary[type[ScoreResult], tuple[str, Figure]] = WeakKeyDictionary()
"""Name and figure of each class that was created for a function."""


@lru_cache(maxsize=1024)
def _score_result_type(name: str, figure: Figure) -> type[ScoreResult]:
    """The result class for this figure."""
    described = Field(default=None, description=field_descriptions(ScoreResult)["value"])
    result_type = create_model(
        f"{name}_result", __base__=ScoreResult, value=(Annotated[float | None, figure], described)
    )
    _made_of[result_type] = name, figure
    return result_type


def _score_result(
    name: str, figure: Figure, values: dict[str, Any], fields_set: set[str]
) -> ScoreResult:
    return _score_result_type(name, figure).model_construct(fields_set, **values)


class FunctionMetric:
    """A function of task and trajectory as a metric; calling it calls the function."""

    def __init__(
        self,
        function: ScoreFunction,
        *,
        name: str,
        version: str,
        requires: tuple[str, ...],
        result_type: type[Result],
    ) -> None:
        self.name = name
        self.version = version
        self.requires = requires
        self.result_type = result_type
        self.function = function
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickle the metric by the name of its function."""
        name = self.function.__qualname__
        if self.__module__.startswith(FILE_MODULE):
            return metric_from_file, (f"{sys.modules[self.__module__].__file__}@{name}",)
        return name

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """A plain function has none."""
        return {}

    def __call__(self, task: Task | None, trajectory: Trajectory) -> object:
        """Return what the function itself returns."""
        return self.function(task, trajectory)

    def score(self, task: Task | None, trajectory: Trajectory) -> Result:
        """Score one attempt by the function.

        Raises:
            TypeError: The function returned something that is not a score.
        """
        value = self.function(task, trajectory)
        if isinstance(value, Result):
            return value
        return self.result_type(**_fields(value))


def _fields(value: object) -> dict[str, Any]:
    if value is None:
        return {"outcome": Outcome.ABSTAINED}
    if isinstance(value, Score):
        fields = {name: getattr(value, name) for name in Score.model_fields}
        if value.value is None or math.isfinite(value.value):
            return fields
        if value.outcome in (Outcome.ABSTAINED, Outcome.NOT_SCORED):
            return fields | {"value": None}
        return fields | {"passed": None} | _refused(value.value, value.reason)
    if isinstance(value, (bool, np.bool_)):
        return {"value": float(value), "passed": bool(value)}
    if isinstance(value, Real):
        number = float(value)
        return {"value": number} if math.isfinite(number) else _refused(number, None)
    raise TypeError(f"gave {value!r}, expected a number, a bool, a Score, a Result or None")


def _refused(number: float, reason: str | None) -> dict[str, Any]:
    """The result for NaN and infinities, which means cannot include."""
    return {
        "value": None,
        "outcome": Outcome.NOT_SCORED,
        "cause": Cause.NON_FINITE,
        "reason": reason or f"gave {number}",
    }


@overload
def metric(function: ScoreFunction, /) -> FunctionMetric: ...


@overload
def metric(
    *,
    name: str | None = None,
    version: str = "1",
    requires: tuple[str, ...] = (),
    low: float | None = None,
    high: float | None = None,
    higher_is_better: bool | None = None,
    unit: str | None = None,
) -> Callable[[ScoreFunction], FunctionMetric]: ...


def metric(
    function: ScoreFunction | None = None,
    /,
    *,
    name: str | None = None,
    version: str = "1",
    requires: tuple[str, ...] = (),
    low: float | None = None,
    high: float | None = None,
    higher_is_better: bool | None = None,
    unit: str | None = None,
) -> FunctionMetric | Callable[[ScoreFunction], FunctionMetric]:
    """Make a metric of a function ``(task, trajectory)``.

    The function returns a number, a bool, a :class:`~trajmeter.records.Score`, a
    :class:`~trajmeter.metrics.Result`, or ``None`` if there is nothing to score: the attempt then
    counts as abstained, outside every mean. If it raises, the error is recorded with the attempt,
    and the run continues.

    Args:
        function: The function.
        name: Name of the metric and of its columns; the function's own by default.
        version: Version of the definition, recorded in every row.
        requires: Fields it scores from, such as ``Trajectory.final_patch``. If attempts are
            columns, calls have their results only if ``ToolCall.result`` is listed.
        low: Least possible value.
        high: Greatest possible value.
        higher_is_better: Direction; ``None`` for a figure without one.
        unit: Unit of the value.

    Raises:
        ConfigurationError: The name is not an identifier, or the function is asynchronous or does
            not take two arguments.

    Example:
        >>> from trajmeter.records import Trajectory, Turn
        >>> @metric(unit="turns")
        ... def turns_taken(task, trajectory):
        ...     return len(trajectory.turns or ())
        >>> turns_taken.score(None, Trajectory(task_id="t", turns=(Turn(),))).value
        1.0
    """

    def decorate(function: ScoreFunction) -> FunctionMetric:
        own_name = str(name or getattr(function, "__name__", ""))
        if not own_name.isidentifier():
            raise ConfigurationError(
                f"a metric is named {own_name!r}, expected a name of letters, digits and _"
            )
        _check_signature(function, own_name)
        figure = Figure(low=low, high=high, higher_is_better=higher_is_better, unit=unit)
        return FunctionMetric(
            function,
            name=own_name,
            version=version,
            requires=requires,
            result_type=_result_type(function, own_name, figure),
        )

    return decorate if function is None else decorate(function)


def _check_signature(function: ScoreFunction, name: str) -> None:
    if inspect.iscoroutinefunction(function):
        raise ConfigurationError(f"metric {name!r} is asynchronous, expected a plain function")
    try:
        signature = inspect.signature(function)
    except ValueError:  # some functions of C have none
        return
    try:
        signature.bind(None, None)
    except TypeError as error:
        raise ConfigurationError(
            f"metric {name!r} takes {signature}, expected (task, trajectory)"
        ) from error


def _result_type(function: ScoreFunction, name: str, figure: Figure) -> type[Result]:
    """The model that the function declares as its return type, else one created for this figure."""
    returned = getattr(function, "__annotations__", {}).get("return")
    if isinstance(returned, str):
        returned = getattr(function, "__globals__", {}).get(returned)
    # On Python 3.10 ``tuple[int, ...]`` passes for a type.
    if isinstance(returned, type) and get_origin(returned) is None and issubclass(returned, Result):
        return returned
    return _score_result_type(name, figure)
