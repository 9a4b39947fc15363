"""Figures of a scenario profile, which may be anybody's code: what it raises ends no run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic_core import to_jsonable_python

from trajmeter.metrics._columns import plain
from trajmeter.metrics.answers.profiles import scenario_profile
from trajmeter.metrics.engine import metric_error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajmeter.metrics.answers.profiles import AnswerView
    from trajmeter.records import Question

__all__ = ["Computed", "compute_aggregates", "compute_figures"]


class Computed(NamedTuple):
    """What a scenario profile gave."""

    figures: dict[str, Any]
    """Figures by name; none where it raised."""
    error: str | None
    """What it raised, and where; ``None`` where all is well."""


def compute_figures(
    profile: str, question: Question, answer: AnswerView, *, original: bool = False
) -> Computed:
    """Figures of one answer.

    Args:
        profile: Name of the scenario profile.
        question: The question.
        answer: The answer.
        original: Score as the ``framework-comparison`` profile does.

    Raises:
        UnknownNameError: There is no such scenario profile.
        ConfigurationError: It cannot be loaded.
        KeyboardInterrupt: It came while the profile computed.
    """
    compute = scenario_profile(profile).question_figures
    return _computed(partial(compute, question, answer, original=original))


def compute_aggregates(
    profile: str, questions: Sequence[Mapping[str, Any]], *, original: bool = False
) -> Computed:
    """Aggregates over the figures of all questions.

    Args:
        profile: Name of the scenario profile.
        questions: Figures of each question.
        original: As above.

    Raises:
        UnknownNameError: As above.
        ConfigurationError: As above.
        KeyboardInterrupt: As above.
    """
    compute = scenario_profile(profile).aggregates
    return _computed(partial(compute, questions, original=original))


def _computed(compute: Callable[[], object]) -> Computed:
    try:
        given = compute()
        if isinstance(given, Mapping):
            return Computed(to_jsonable_python(dict(given), fallback=plain), error=None)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a profile of the user's may raise anything
        return Computed({}, metric_error(error).message)
    return Computed({}, f"gave a {type(given).__name__}, expected figures by name")
