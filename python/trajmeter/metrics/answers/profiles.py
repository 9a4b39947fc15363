"""Scenario profiles: the extra figures of a question, and their aggregates over a scenario.

A profile is known by :func:`register_profile`, or by an entry point of the group
``trajmeter.scenario_profiles``, which names an instance or a class that is made without arguments.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from trajmeter.errors import ConfigurationError, UnknownNameError, format_exception

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trajmeter.records import Question

__all__ = [
    "Aggregates",
    "AnswerView",
    "Figures",
    "ScenarioProfile",
    "generic_aggregates",
    "means",
    "register_profile",
    "scenario_profile",
    "scenario_profiles",
]

Figures: TypeAlias = "dict[str, float | bool | str | None]"
Aggregates: TypeAlias = "dict[str, float]"


class AnswerView(Protocol):
    """What a profile looks at of an answer."""

    @property
    def text(self) -> str:
        """The answer."""

    @property
    def sources(self) -> Sequence[str]:
        """Sources it names."""

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What the agent tells beside it."""


class ScenarioProfile(Protocol):
    """A named set of figures for one kind of scenario."""

    @property
    def name(self) -> str:
        """Name, as ``spec.yaml`` writes it."""

    def question_figures(
        self, question: Question, answer: AnswerView, *, original: bool = False
    ) -> Figures:
        """Figures of one answer; ``None`` is a figure that abstains."""

    def aggregates(
        self, questions: Sequence[Mapping[str, Any]], *, original: bool = False
    ) -> Aggregates:
        """Aggregates over the figures of all questions; a mean over nothing is left out."""


ENTRY_POINT_GROUP = "trajmeter.scenario_profiles"

_profiles: dict[str, ScenarioProfile] = {}


def register_profile(profile: ScenarioProfile) -> None:
    """Add a scenario profile under its name.

    Raises:
        ConfigurationError: Another profile has that name.
    """
    if _profiles.get(profile.name, profile) is not profile:
        raise ConfigurationError(f"scenario profile {profile.name!r} exists already")
    _profiles[profile.name] = profile


def scenario_profiles() -> list[str]:
    """Names of all scenario profiles, those of installed distributions included, sorted."""
    return sorted({*_profiles, *entry_points(group=ENTRY_POINT_GROUP).names})


def scenario_profile(name: str) -> ScenarioProfile:
    """The scenario profile of this name.

    Raises:
        UnknownNameError: There is none; the message lists those there are.
        ConfigurationError: It is that of an installed distribution and cannot be loaded.
    """
    if name not in _profiles:
        _profiles[name] = _plugin(name)
    return _profiles[name]


def _plugin(name: str) -> ScenarioProfile:
    """The profile of an installed distribution."""
    points = entry_points(group=ENTRY_POINT_GROUP, name=name)
    if not points:
        known = ", ".join(scenario_profiles())
        raise UnknownNameError(f"unknown scenario profile {name!r}; there are: {known}")
    point = next(iter(points))
    try:
        loaded = point.load()
        made: object = loaded() if isinstance(loaded, type) else loaded
    except (Exception, SystemExit) as error:  # a plug-in may raise anything
        raise ConfigurationError(
            f"the plug-in scenario profile {name!r} ({point.value}) cannot be loaded: "
            f"{format_exception(error)}"
        ) from error
    if not (hasattr(made, "question_figures") and hasattr(made, "aggregates")):
        raise ConfigurationError(
            f"the plug-in scenario profile {name!r} ({point.value}) is {made!r}, expected an "
            "object with question_figures and aggregates"
        )
    return cast("ScenarioProfile", made)


def generic_aggregates(questions: Sequence[Mapping[str, Any]]) -> Aggregates:
    """``<key>_avg`` of every figure that is a number or a truth value in some question."""
    keys = dict.fromkeys(key for figures in questions for key in figures)
    return means(questions, **{f"{key}_avg": key for key in keys})


def means(questions: Iterable[Mapping[str, Any]], **keys: str) -> Aggregates:
    """Mean of a figure over some questions, for each ``name=key``.

    Truth values count as 0 and 1; texts and absent values do not count, and a mean over nothing is
    left out.
    """
    rows = list(questions)
    values = {
        name: [float(row[key]) for row in rows if isinstance(row.get(key), (bool, int, float))]
        for name, key in keys.items()
    }
    return {name: sum(numbers) / len(numbers) for name, numbers in values.items() if numbers}
