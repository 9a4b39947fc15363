"""Restricts a metric to the requested groups of its figures."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from trajmeter.errors import ConfigurationError, UnknownNameError
from trajmeter.shapes import is_model
from trajmeter.spelling import unknown_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pydantic import BaseModel

    from trajmeter.metrics._protocol import AnyMetric
    from trajmeter.metrics._result import Result

__all__ = [
    "Request",
    "chosen_groups",
    "group_names",
    "groups_of_each_family",
    "limited",
    "models",
]

_CHOSEN = "chosen_groups"
"""Attribute that restricts a metric to some groups."""


@runtime_checkable
class _ComputesGroups(Protocol):
    """A metric that can compute only the requested groups."""

    def limit_to(self, groups: tuple[str, ...]) -> None:
        """Compute only these groups."""


class Request(NamedTuple):
    """The metric and group that a name refers to."""

    family: str
    """Name of the metric."""
    group: str | None
    """The requested group of figures; ``None`` for all."""


def groups_of_each_family(requests: Iterable[Request]) -> dict[str, tuple[str, ...]]:
    """The requested groups of each metric; empty for all.

    Raises:
        ConfigurationError: A metric or a group is requested twice.
    """
    groups: dict[str, tuple[str, ...]] = {}
    for family, group in requests:
        earlier = groups.get(family)
        if earlier is not None and (not earlier or group is None or group in earlier):
            raise ConfigurationError(f"metric {_name(family, group)!r} is requested twice")
        groups[family] = (*(earlier or ()), group) if group else ()
    return groups


def _name(family: str, group: str | None) -> str:
    return f"{family}.{group}" if group else family


def limited(metric: AnyMetric, groups: tuple[str, ...]) -> AnyMetric:
    """The metric with only the columns of these groups; with all columns if none is named.

    Raises:
        UnknownNameError: The metric has no group of a name.
    """
    if not groups:
        return metric
    known = group_names(metric.result_type)
    for group in groups:
        if group not in known:
            raise UnknownNameError(unknown_name(f"group of {metric.name}", group, known))
    part = copy(metric)
    object.__setattr__(part, _CHOSEN, groups)
    if isinstance(part, _ComputesGroups):
        part.limit_to(groups)
    return part


def chosen_groups(metric: AnyMetric) -> tuple[str, ...]:
    """Requested groups of the metric's figures; empty for all."""
    chosen: tuple[str, ...] = getattr(metric, _CHOSEN, ())
    return chosen


def group_names(result_type: type[Result]) -> tuple[str, ...]:
    """Names of the groups of a result, which contain figures or other groups."""
    return tuple(".".join(path) for path, _ in models(result_type) if path)


def models(
    model: type[BaseModel], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], type[BaseModel]]]:
    """Yield a result's model and those of all its groups, each with its path."""
    yield path, model
    for key, info in model.model_fields.items():
        if is_model(info.annotation):
            yield from models(info.annotation, (*path, key))
