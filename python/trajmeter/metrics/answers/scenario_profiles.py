"""Scenario profiles by name, and the figures they compute.

A profile is registered by :func:`register_profile`, or by an entry point of the group
``trajmeter.scenario_profiles`` that names an instance, or a class without constructor arguments. As
it may be third-party code, its exceptions do not end a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from pydantic_core import to_jsonable_python

from trajmeter.errors import ConfigurationError, UnknownNameError, format_exception
from trajmeter.metrics.answers.built_in import BUILT_IN
from trajmeter.metrics.answers.profile import DEFAULT
from trajmeter.metrics.cells import jsonable
from trajmeter.metrics.engine import metric_error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajmeter.metrics.answers.figures import AnswerView, ScenarioProfile
    from trajmeter.metrics.answers.profile import AnswersProfile
    from trajmeter.records import Question

__all__ = [
    "Computed",
    "compute_aggregates",
    "compute_figures",
    "register_profile",
    "scenario_profile",
    "scenario_profiles",
]

ENTRY_POINT_GROUP = "trajmeter.scenario_profiles"

_profiles: dict[str, ScenarioProfile] = {profile.name: profile for profile in BUILT_IN}


def register_profile(profile: ScenarioProfile) -> None:
    """Add a scenario profile under its name.

    Raises:
        ConfigurationError: Another profile has that name.
    """
    if _profiles.get(profile.name, profile) is not profile:
        raise ConfigurationError(f"scenario profile {profile.name!r} already exists")
    _profiles[profile.name] = profile


def scenario_profiles() -> list[str]:
    """Sorted names of all scenario profiles, including those of installed distributions."""
    return sorted({*_profiles, *entry_points(group=ENTRY_POINT_GROUP).names})


def scenario_profile(name: str) -> ScenarioProfile:
    """The scenario profile of this name.

    Raises:
        UnknownNameError: The name is unknown; the message lists those available.
        ConfigurationError: It belongs to an installed distribution and cannot be loaded.
    """
    if name not in _profiles:
        _profiles[name] = _plugin(name)
    return _profiles[name]


def _plugin(name: str) -> ScenarioProfile:
    """The profile of an installed distribution."""
    points = entry_points(group=ENTRY_POINT_GROUP, name=name)
    if not points:
        known = ", ".join(scenario_profiles())
        raise UnknownNameError(f"unknown scenario profile {name!r}; available: {known}")
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


class Computed(NamedTuple):
    """The output of a scenario profile."""

    figures: dict[str, Any]
    """Figures by name; empty if it raised."""
    error: str | None
    """Its exception, and where it was raised; ``None`` if there was none."""


def compute_figures(
    name: str, question: Question, answer: AnswerView, *, profile: AnswersProfile = DEFAULT
) -> Computed:
    """Figures of one answer.

    Args:
        name: Name of the scenario profile.
        question: The question.
        answer: The answer.
        profile: Compatibility profile.

    Raises:
        UnknownNameError: The scenario profile is unknown.
        ConfigurationError: It cannot be loaded.
        KeyboardInterrupt: It was raised while the profile computed.
    """
    compute = scenario_profile(name).question_figures
    return _computed(partial(compute, question, answer, profile=profile))


def compute_aggregates(
    name: str, questions: Sequence[Mapping[str, Any]], *, profile: AnswersProfile = DEFAULT
) -> Computed:
    """Aggregates over the figures of all questions.

    Args:
        name: Name of the scenario profile.
        questions: Figures of each question.
        profile: Compatibility profile.

    Raises:
        UnknownNameError: As above.
        ConfigurationError: As above.
        KeyboardInterrupt: It was raised while the profile computed.
    """
    compute = scenario_profile(name).aggregates
    return _computed(partial(compute, questions, profile=profile))


def _computed(compute: Callable[[], object]) -> Computed:
    try:
        figures = compute()
        if isinstance(figures, Mapping):
            return Computed(to_jsonable_python(dict(figures), fallback=jsonable), error=None)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a user's profile may raise anything
        return Computed({}, metric_error(error).message)
    return Computed({}, f"gave a {type(figures).__name__}, expected figures by name")
