"""The registry: creates metrics from the names that users give.

A metric's name is in the table below, or is an entry point of the group ``trajmeter.metrics``, or
names a file and a metric in it (``my_metric.py@name``). Families are imported on demand, so one
with a missing extra does not affect the others.

A family's module provides ``create(resources)``; its ``profile`` module lists the compatibility
profiles as ``PROFILES``, the default first.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from trajmeter.errors import ConfigurationError, TrajmeterError, UnknownNameError, format_exception
from trajmeter.metrics._protocol import AnyMetric, is_metric
from trajmeter.metrics.declarations import check_declarations
from trajmeter.metrics.groups import Request, group_names, groups_of_each_family, limited
from trajmeter.metrics.metric_files import is_metric_file, metric_from_file
from trajmeter.spelling import unknown_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from importlib.metadata import EntryPoint

    from trajmeter.metrics._protocol import AssertionJudge
    from trajmeter.metrics.profile import Profile
    from trajmeter.snapshots import SnapshotStore

__all__ = [
    "BUILT_IN",
    "MetricFactory",
    "Resources",
    "create",
    "create_one",
    "listed_names",
    "plugins",
    "profile_names",
    "request_of",
]

ENTRY_POINT_GROUP = "trajmeter.metrics"

_RULES = "rules"
"""The metric whose groups (the rules) may be requested by their own names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """What a metric may need besides the records when it is created."""

    snapshots: SnapshotStore | None = None
    """Repositories at the commits of the tasks."""
    profile: str | None = None
    """Name of the family's compatibility profile; ``None`` is the default."""
    judge: AssertionJudge | None = None
    """Judge for what no rule can decide."""
    groups: tuple[str, ...] = ()
    """Requested groups of figures, so others need not be computed; empty for all."""


class MetricFactory(Protocol):
    """Creates a metric from its resources: the ``create`` of a family's module."""

    def __call__(self, resources: Resources, /) -> AnyMetric:
        """Create the metric.

        Raises:
            TrajmeterError: The profile is unknown, or an extra is missing.
        """


_T = TypeVar("_T")

_Maker: TypeAlias = AnyMetric | MetricFactory

BUILT_IN: dict[str, str] = {
    "answers": "trajmeter.metrics.answers",
    "context": "trajmeter.metrics.context",
    "rules": "trajmeter.metrics.rules",
    "speedup": "trajmeter.metrics.speedup",
    "tools": "trajmeter.metrics.tools",
    "turns": "trajmeter.metrics.turns",
}
"""Module of each built-in family."""


def create(
    metrics: str | Iterable[str | AnyMetric],
    *,
    snapshots: SnapshotStore | None = None,
    profiles: str | Iterable[str] = (),
    judge: AssertionJudge | None = None,
) -> tuple[AnyMetric, ...]:
    """Create the metrics of these names, each with the profile of its family.

    Args:
        metrics: Names of metrics, of rules or of groups of a metric's figures (``context.final``),
            or ``file.py@name``, in the order of the results' columns; metrics that are already
            created are used as they are. A single name is accepted.
        snapshots: Repositories, for metrics that look into them.
        profiles: Compatibility profiles, at most one for each requested family.
        judge: Judge of assertions, for metrics that have one.

    Raises:
        UnknownNameError: A metric, a group or a profile of this name does not exist.
        ConfigurationError: A metric is requested twice, a profile's family is not requested, a
            family has two profiles, a metric cannot be created, or an argument is not a list of
            names and metrics.
        ExtraMissingError: A metric needs an extra that is not installed.
    """
    listed = tuple(listed_names(metrics, "metrics"))
    profiles = listed_names(profiles, "profiles")
    if snapshots is not None and not hasattr(snapshots, "find"):
        raise ConfigurationError(
            f"snapshots is {snapshots!r}, expected a path, or a store with the method find"
        )
    if not listed:
        raise ConfigurationError("no metric was requested")
    groups = groups_of_each_family(request_of(each) for each in listed if isinstance(each, str))
    chosen = _profile_of_each_family(tuple(groups), profiles)
    by_name = {
        name: limited(
            create_one(
                name,
                Resources(
                    snapshots=snapshots, profile=chosen.get(name), judge=judge, groups=requested
                ),
            ),
            requested,
        )
        for name, requested in groups.items()
    }
    created: list[AnyMetric] = []
    for metric in listed:
        if not isinstance(metric, str):
            created.append(_checked(metric))
        elif (family := request_of(metric).family) in by_name:  # its first requested group
            created.append(by_name.pop(family))
    families = [metric.name for metric in created]
    for name in families:
        if families.count(name) > 1:
            raise ConfigurationError(f"metric {name!r} is requested twice")
    return tuple(created)


def create_one(name: str, resources: Resources) -> AnyMetric:
    """Create the metric of a name, with all its figures.

    Raises:
        UnknownNameError: The metric is unknown.
        TrajmeterError: It cannot be created.
    """
    return _make(_find(name), name, resources)


def listed_names(value: str | Iterable[_T], option: str) -> Iterable[str | _T]:
    """An option as a list; a single name becomes a list of one.

    Raises:
        ConfigurationError: It is anything else.
    """
    if isinstance(value, str):
        if "," in value:
            names = [name.strip() for name in value.split(",")]
            raise ConfigurationError(f"{option} is {value!r}, expected a list: {names}")
        return [value]
    if not isinstance(value, Iterable):
        raise ConfigurationError(f"{option} is {value!r}, expected a list, or one name")
    return value


def request_of(name: str) -> Request:
    """Resolve a name to a metric, a rule, or a group of a metric's figures."""
    if name in BUILT_IN or is_metric_file(name):  # does not search for plug-ins
        return Request(name, None)
    metrics = {*BUILT_IN, *plugins()}
    if name in metrics:
        return Request(name, None)
    if name in _rule_names():
        return Request(_RULES, name)
    family, _, group = name.partition(".")
    return Request(family, group) if group and family in metrics else Request(name, None)


def _rule_names() -> tuple[str, ...]:
    if _RULES not in BUILT_IN:
        return ()
    return group_names(import_module(BUILT_IN[_RULES]).RulesResult)


def _find(name: str) -> _Maker:
    if is_metric_file(name):
        return metric_from_file(name)
    if name in BUILT_IN:
        module = import_module(BUILT_IN[name])
        factory: MetricFactory = module.create
        return factory
    plugin = plugins().get(name)
    if plugin is None:
        raise UnknownNameError(unknown_name("metric", name, {*BUILT_IN, *plugins()}, _rule_names()))
    return _load(plugin)


def _load(plugin: EntryPoint) -> _Maker:
    try:
        maker: _Maker = plugin.load()
    except (Exception, SystemExit) as error:
        raise ConfigurationError(
            f"the plug-in metric {plugin.name!r} ({plugin.value}) cannot be imported: "
            f"{format_exception(error)}"
        ) from error
    return maker


def _make(maker: _Maker, name: str, resources: Resources) -> AnyMetric:
    if is_metric(maker):
        return check_declarations(maker)
    if not callable(maker):
        raise ConfigurationError(
            f"metric {name!r} is {maker!r}, expected a metric or a function that takes the "
            "resources and creates one"
        )
    try:
        metric: object = maker(resources)
    except TrajmeterError:
        raise
    except (Exception, SystemExit) as error:
        raise ConfigurationError(
            f"metric {name!r} cannot be created: {format_exception(error)}"
        ) from error
    if not is_metric(metric):
        raise ConfigurationError(f"metric {name!r} returned {metric!r}, expected a metric")
    return check_declarations(metric)


def _checked(metric: AnyMetric) -> AnyMetric:
    if not is_metric(metric):
        raise ConfigurationError(
            f"{metric!r} is not a metric, expected one or its name; trajmeter.metric creates one "
            "from a function"
        )
    return check_declarations(metric)


def _profile_of_each_family(names: Sequence[str], profiles: Iterable[str]) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for profile in profiles:
        concerned = [n for n in BUILT_IN if n in names and profile in profile_names(n)]
        if not concerned:
            owners = [name for name in BUILT_IN if profile in profile_names(name)]
            if not owners:
                known = {each for name in BUILT_IN for each in profile_names(name)}
                raise UnknownNameError(unknown_name("profile", profile, known))
            raise ConfigurationError(
                f"profile {profile!r} is for the metric {' or '.join(owners)}, which was not "
                f"requested; requested: {', '.join(names)}"
            )
        for name in concerned:
            if name in chosen:
                raise ConfigurationError(
                    f"metric {name!r} takes one profile, not both {chosen[name]!r} and {profile!r}"
                )
            chosen[name] = profile
    return chosen


@cache
def plugins() -> Mapping[str, EntryPoint]:
    """Entry points by name; built-in metrics and earlier plug-ins take precedence."""
    from importlib.metadata import entry_points  # importing it takes longer than importing a family

    points: dict[str, EntryPoint] = {}
    for point in entry_points(group=ENTRY_POINT_GROUP):
        if point.name in BUILT_IN or (point.name in points and points[point.name] != point):
            warnings.warn(
                f"the plug-in metric {point.name!r} ({point.value}) is left out: "
                "a metric of this name already exists",
                RuntimeWarning,
                stacklevel=2,
            )
            continue
        points[point.name] = point
    return points


def profile_names(name: str) -> tuple[str, ...]:
    """Names of a family's profiles; none for plug-ins."""
    if name not in BUILT_IN:
        return ()
    profiles: Sequence[Profile] = import_module(f"{BUILT_IN[name]}.profile").PROFILES
    return tuple(profile.name for profile in profiles if profile.name is not None)
