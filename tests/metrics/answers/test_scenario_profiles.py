"""What a scenario profile raises costs its own figures, wherever it is asked for them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from trajmeter.errors import UnknownNameError
from trajmeter.frameworks.comparison import build_comparison
from trajmeter.frameworks.harness import AskingOptions, FunctionAgent, ask_question
from trajmeter.frameworks.repeats import average
from trajmeter.frameworks.report import markdown_report
from trajmeter.frameworks.result_files import NamedResult
from trajmeter.frameworks.results import AnswerOutcome, FrameworkEvaluation, QuestionResult
from trajmeter.metrics.answers import compute_aggregates, compute_figures
from trajmeter.metrics.answers.scenario_profiles import _profiles
from trajmeter.records import Question

if TYPE_CHECKING:
    from collections.abc import Callable

QUESTION = Question(id="q", text="why")


class View(NamedTuple):
    text: str = "because"
    sources: tuple[str, ...] = ()
    metadata: dict[str, Any] = {}  # noqa: RUF012 - nobody writes to it


class Scripted:
    """A profile that does, at each call, what it was made to."""

    name = "scripted"

    def __init__(self) -> None:
        self.question: Callable[[], Any] = dict
        self.all: Callable[[], Any] = dict

    def question_figures(self, *_given: object, profile: object = None) -> Any:
        del profile
        return self.question()

    def aggregates(self, *_given: object, profile: object = None) -> Any:
        del profile
        return self.all()


@pytest.fixture
def profile(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    scripted = Scripted()
    monkeypatch.setitem(_profiles, "scripted", scripted)
    return scripted


def _raising(error: BaseException) -> Callable[[], Any]:
    def fail() -> Any:
        raise error

    return fail


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (_raising(KeyError("length")), "KeyError: 'length' (test_scenario_profiles.py:"),
        (_raising(SystemExit(1)), "SystemExit: 1 (test_scenario_profiles.py:"),
        (lambda: None, "gave a NoneType, expected figures by name"),
        (lambda: [1.0], "gave a list, expected figures by name"),
        (lambda: {"at": object()}, "TypeError: a object has no form in JSON"),
    ],
)
def test_an_error_or_a_wrong_value_is_reported(
    profile: Scripted, given: Callable[[], Any], message: str
) -> None:
    profile.question = profile.all = given
    for found in (
        compute_figures("scripted", QUESTION, View()),
        compute_aggregates("scripted", [{}]),
    ):
        assert found.figures == {}
        assert found.error is not None
        assert found.error.startswith(message)


def test_figures_are_plain_values(profile: Scripted) -> None:
    profile.question = lambda: {"share": np.float32(0.5), "hit": np.True_, "of": ("a", None)}
    found = compute_figures("scripted", QUESTION, View())
    assert found == ({"share": 0.5, "hit": True, "of": ["a", None]}, None)


def test_an_interrupt_and_an_unknown_name_pass_through(profile: Scripted) -> None:
    profile.all = _raising(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        compute_aggregates("scripted", [])
    with pytest.raises(UnknownNameError, match="unknown scenario profile 'skripted'"):
        compute_aggregates("skripted", [])


def test_the_question_is_scored_all_the_same(profile: Scripted) -> None:
    profile.question = _raising(ZeroDivisionError("no hops"))
    agent: Any = FunctionAgent(lambda question: question)
    result = asyncio.run(ask_question(agent, QUESTION, AskingOptions(profile="scripted")))
    assert (result.outcome, result.actual_answer) == (AnswerOutcome.ANSWERED, "why")
    assert result.extra_metrics == {}
    assert result.extra_metrics_error is not None
    assert result.extra_metrics_error.startswith(
        "ZeroDivisionError: no hops (test_scenario_profiles.py:"
    )


def _evaluation(**fields: Any) -> FrameworkEvaluation:
    question = QuestionResult(
        question_id="q", question_text="why", extra_metrics={"length": 4}, **fields
    )
    return FrameworkEvaluation(
        framework_name="A",
        scenario_name="s",
        evaluation_profile="scripted",
        questions=(question,),
    )


def test_a_comparison_keeps_its_other_figures_and_says_so(profile: Scripted) -> None:
    profile.all = _raising(IndexError("<none>"))
    comparison = build_comparison(
        [NamedResult("a.json", _evaluation(extra_metrics_error="TypeError: x | y"))]
    )
    (result,) = comparison.results
    assert result.extra_aggregates == {"length_avg": 4.0}
    report = markdown_report(comparison)
    assert r"A: questions without figures of the scenario profile: 1. TypeError: x \| y" in report
    assert "A: no aggregates of the scenario profile. IndexError: &lt;none>" in report
    profile.all = lambda: {"longest": 4}
    (result,) = build_comparison([NamedResult("a.json", result_with_error())]).results
    assert result.extra_aggregates == {"length_avg": 4.0, "longest": 4}
    assert result.extra_aggregates_error is None


def result_with_error() -> FrameworkEvaluation:
    return _evaluation().model_copy(update={"extra_aggregates_error": "IndexError: once"})


def test_an_average_has_the_error_of_any_of_its_runs() -> None:
    runs = [_evaluation(), _evaluation(extra_metrics_error="TypeError: x"), result_with_error()]
    averaged = average(runs)
    assert averaged.questions[0].extra_metrics_error == "TypeError: x"
    assert averaged.extra_aggregates_error == "IndexError: once"
