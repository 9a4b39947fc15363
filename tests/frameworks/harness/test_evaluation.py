"""Whole evaluations: what they resume, what they start over, and code quality."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest

from tests.frameworks.harness.toys import Whole
from tests.judges.scripted import GOOD, REVIEW, ScriptedModel
from trajmeter.frameworks.harness import (
    AskingOptions,
    EvaluationOptions,
    Framework,
    Progress,
    RunOptions,
    evaluate,
)
from trajmeter.frameworks.result_files import read_evaluation
from trajmeter.frameworks.scenario import Scenario
from trajmeter.judges import Judge
from trajmeter.prices import price_usd
from trajmeter.records import Cause, Question

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trajmeter.frameworks.results import FrameworkEvaluation


class StopHere(Exception):  # noqa: N818 - no error, but the end of a call
    """Ends an evaluation before it is complete, as Ctrl-C does."""


def stop(_: Progress) -> None:
    raise StopHere


@dataclass(frozen=True)
class Setting:
    """All that the results of an evaluation depend on."""

    scenario: Scenario
    source: Path
    asking: AskingOptions = field(default_factory=AskingOptions)
    name: str = "W"

    def evaluated(
        self,
        folder: Path,
        *,
        agent: Whole | None = None,
        progress: Callable[[Progress], None] | None = None,
        runs: int = 1,
        reviewer: Judge | None = None,
        packages: tuple[str, ...] = (),
    ) -> FrameworkEvaluation:
        options = EvaluationOptions(
            RunOptions(self.asking), runs=runs, reviewer=reviewer, packages=packages
        )
        framework = Framework(self.name, agent or Whole(), self.source)
        asked = evaluate(
            self.scenario, framework, options=options, folder=folder, progress=progress
        )
        return asyncio.run(asked)[1]


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "a.md").write_text("pier")
    source = tmp_path / "agent.py"
    source.write_text("a = 1\n")
    scenario = Scenario(
        name="harbour",
        description="ships and piers",
        folder=str(tmp_path),
        documents_dir=str(documents),
        questions=tuple(Question(id=text, text=text) for text in ("where", "who")),
    )
    return Setting(scenario, source)


def of_other_code(setting: Setting) -> Setting:
    setting.source.write_text("a = 2\n")
    return setting


def of_other_documents(setting: Setting) -> Setting:
    (setting.source.parent / "documents" / "a.md").write_text("quay")
    return setting


def of_other_questions(setting: Setting) -> Setting:
    questions = (*setting.scenario.questions, Question(id="when", text="when"))
    return replace(setting, scenario=setting.scenario.model_copy(update={"questions": questions}))


def of_another_deadline(setting: Setting) -> Setting:
    return replace(setting, asking=AskingOptions(timeout_seconds=60.0))


def of_a_judge(setting: Setting) -> Setting:
    judge = Judge(ScriptedModel(*[GOOD] * 9), price_usd)
    return replace(setting, asking=AskingOptions(judge=judge))


def of_the_original(setting: Setting) -> Setting:
    return replace(setting, asking=AskingOptions(original=True))


def test_an_evaluation_that_was_interrupted_goes_on(setting: Setting, tmp_path: Path) -> None:
    with pytest.raises(StopHere):
        setting.evaluated(tmp_path / "results", progress=stop)
    agent = Whole()
    setting.evaluated(tmp_path / "results", agent=agent)
    assert agent.calls == ["ingest None", "who", "cleanup"]


@pytest.mark.parametrize(
    "changed",
    [
        of_other_code,
        of_other_documents,
        of_other_questions,
        of_another_deadline,
        of_a_judge,
        of_the_original,
    ],
)
def test_an_evaluation_whose_inputs_changed_starts_over_and_keeps_paid_answers(
    setting: Setting, tmp_path: Path, changed: Callable[[Setting], Setting]
) -> None:
    folder = tmp_path / "results"
    with pytest.raises(StopHere):
        setting.evaluated(folder, progress=stop)
    (journal,) = folder.iterdir()
    agent = Whole()
    with pytest.warns(UserWarning, match="kept from an interrupted run with another agent"):
        changed(setting).evaluated(folder, agent=agent)
    assert agent.calls[:3] == ["ingest None", "where", "who"]
    assert journal.exists()


def test_runs_are_numbered_from_0_and_the_average_is_less(setting: Setting, tmp_path: Path) -> None:
    averaged = setting.evaluated(tmp_path / "results", runs=2)
    runs = [read_evaluation(f) for f in sorted((tmp_path / "results").glob("*_run?.json"))]
    assert [run.run_id for run in runs] == [0, 1]
    assert averaged.run_id == -1
    assert [run.code_quality is None for run in (*runs, averaged)] == [False, True, False]


def test_packages_of_a_known_framework_count_beside_those_that_are_named(
    setting: Setting, tmp_path: Path
) -> None:
    setting.source.write_text("import langgraph\nimport gull\nimport os\n")
    known = replace(setting, name="LangGraph").evaluated(tmp_path / "1", packages=("gull",))
    assert known.code_quality is not None
    assert known.code_quality.static_metrics is not None
    assert known.code_quality.static_metrics.num_framework_imports == 2
    assert known.code_quality.source_file == "agent.py"


def test_the_original_measures_code_in_its_own_way(setting: Setting, tmp_path: Path) -> None:
    setting.source.write_text("import os, crewai\n")
    original = replace(setting, name="CrewAI", asking=AskingOptions(original=True))
    quality = original.evaluated(tmp_path / "results").code_quality
    assert quality is not None
    assert quality.static_metrics is not None
    assert quality.static_metrics.avg_cyclomatic_complexity == 0.0
    assert quality.static_metrics.num_imports == 2
    assert quality.static_metrics.num_framework_imports == 0


def test_a_review_has_seven_scores_and_their_mean(setting: Setting, tmp_path: Path) -> None:
    model = ScriptedModel(REVIEW)
    got = setting.evaluated(tmp_path / "results", reviewer=Judge(model, price_usd)).code_quality
    assert got is not None
    assert got.code_review is not None
    scores = got.code_review.model_dump(exclude={"avg_score", "reasoning"})
    assert scores == {
        "readability": 5.0,
        "idiomatic_usage": 4.0,
        "error_handling": 3.0,
        "extensibility": 4.0,
        "testability": 5.0,
        "documentation": 2.0,
        "abstraction": 4.0,
    }
    assert got.code_review.avg_score == pytest.approx(27 / 7)
    assert got.code_review.reasoning == "small"
    assert json.loads(model.prompts[0].text) == {
        "framework": "W",
        "scenario": "ships and piers",
        "source_code": "a = 1\n",
    }


def test_the_reviewed_source_is_read_in_the_encoding_it_declares(
    setting: Setting, tmp_path: Path
) -> None:
    source = "# coding: latin-1\nname = 'café'\n"
    (tmp_path / "agent.py").write_bytes(source.encode("latin-1"))
    model = ScriptedModel("no json")
    reviewer = Judge(model, price_usd, reply_attempts=1)
    got = setting.evaluated(tmp_path / "results", reviewer=reviewer).code_quality
    assert got is not None
    assert got.unreviewed is not None
    assert got.unreviewed.source == source


def test_a_review_that_fails_is_missing_with_its_cause(setting: Setting, tmp_path: Path) -> None:
    reviewer = Judge(ScriptedModel("no json"), price_usd, reply_attempts=1)
    got = setting.evaluated(tmp_path / "results", reviewer=reviewer).code_quality
    assert got is not None
    assert got.code_review is None
    assert got.static_metrics is not None
    assert got.judge is not None
    assert got.judge.cause is Cause.JUDGE_UNPARSEABLE
    assert got.unreviewed is not None  # kept, so that it can be reviewed later
    assert got.unreviewed.source == "a = 1\n"
