"""Checks of what metrics declare, from which their columns are derived."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pydantic import PydanticUserError

from trajmeter.errors import ConfigurationError, format_exception
from trajmeter.metrics._result import Result

if TYPE_CHECKING:
    from trajmeter.metrics._protocol import AnyMetric

__all__ = ["check_declarations"]

_REQUIRED = ("name", "version", "requires", "parameters")
"""What every metric declares in addition to its result type."""


def check_declarations(metric: AnyMetric) -> AnyMetric:
    """Check that a metric declares everything from which its columns are derived.

    Returns:
        The metric.

    Raises:
        ConfigurationError: Something is missing, or has the wrong type.
    """
    lacking = [name for name in _REQUIRED if not hasattr(metric, name)]
    if lacking:
        raise ConfigurationError(
            f"metric {metric!r} has no {' and no '.join(lacking)}, expected "
            f"{', '.join(_REQUIRED)}, result_type and score"
        )
    for text in ("name", "version"):
        value: object = getattr(metric, text)
        if not (isinstance(value, str) and value):
            raise ConfigurationError(f"the {text} of metric {metric!r} is {value!r}, expected text")
    results: object = metric.result_type
    if not (isinstance(results, type) and issubclass(results, Result)):
        raise ConfigurationError(
            f"the result_type of metric {metric.name!r} is {results!r}, expected a subclass of "
            "trajmeter.metrics.Result"
        )
    if not results.__module__.startswith("trajmeter."):
        _build(metric, results)
    try:
        json.dumps(dict(metric.parameters))
    except (TypeError, ValueError) as error:
        raise ConfigurationError(
            f"the parameters of metric {metric.name!r} are {metric.parameters!r}, expected a "
            f"mapping from text to JSON values: {error}"
        ) from error
    return metric


def _build(metric: AnyMetric, results: type[Result]) -> None:
    """Fail here, not at the first attempt, if pydantic cannot build a model."""
    try:
        results.model_rebuild(raise_errors=False)
    except PydanticUserError as error:
        raise ConfigurationError(
            f"the result_type of metric {metric.name!r} cannot be built: {format_exception(error)}"
        ) from error
