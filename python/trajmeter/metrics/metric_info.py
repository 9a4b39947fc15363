"""Information about metrics: which there are, and what they are by default."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trajmeter.errors import TrajmeterError, UnknownNameError
from trajmeter.metrics.groups import limited
from trajmeter.metrics.registry import (
    BUILT_IN,
    Resources,
    create_one,
    plugins,
    profile_names,
    request_of,
)

if TYPE_CHECKING:
    from trajmeter.metrics._protocol import AnyMetric

__all__ = ["MetricInfo", "available", "describe"]


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """Information about a metric that requires no scoring."""

    name: str
    """Name by which it is requested."""
    origin: str
    """``built-in``, or the distribution of the plug-in, or the file."""
    profiles: tuple[str, ...]
    """Compatibility profiles of the family."""
    metric: AnyMetric | None
    """The metric with default settings; ``None`` if it cannot be created."""
    error: str | None = None
    """Why it cannot be created."""


def available() -> tuple[MetricInfo, ...]:
    """Every built-in metric and every plug-in, sorted by name.

    A broken plug-in causes a warning, and is listed with its error.
    """
    infos = tuple(describe(name) for name in sorted({*BUILT_IN, *plugins()}))
    for info in infos:
        if info.error is not None and info.name not in BUILT_IN:
            warnings.warn(info.error, RuntimeWarning, stacklevel=2)
    return infos


def describe(name: str) -> MetricInfo:
    """Describe one metric.

    Raises:
        UnknownNameError: The metric is unknown.
    """
    family, group = request_of(name)
    origin = "built-in" if family in BUILT_IN else _origin(family)
    profiles = profile_names(family)
    try:
        metric = limited(create_one(family, Resources()), (group,) if group else ())
    except UnknownNameError:
        raise
    except TrajmeterError as error:
        return MetricInfo(name, origin, profiles, metric=None, error=str(error))
    return MetricInfo(name, origin, profiles, metric)


def _origin(name: str) -> str:
    plugin = plugins().get(name)
    if plugin is None:
        return name.rpartition("@")[0] or name
    return plugin.dist.name if plugin.dist else plugin.value
