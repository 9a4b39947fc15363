"""A scenario run from documents to evaluation: time-outs, failures, journal and resume."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.frameworks.harness.toys import Whole
from tests.judges.scripted import GOOD, ScriptedModel
from trajmeter.errors import ConfigurationError
from trajmeter.frameworks.harness import (
    Answer,
    AskingOptions,
    RunJournal,
    RunOptions,
    open_journal,
    read_documents,
    run_scenario,
)
from trajmeter.frameworks.results import AnswerOutcome, FrameworkEvaluation
from trajmeter.frameworks.scenario import Scenario
from trajmeter.judges import Judge, Reply
from trajmeter.prices import price_usd
from trajmeter.records import Cause, Hop, Question

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


LIMIT_SECONDS = 1.0


def question(text: str) -> Question:
    return Question(
        id=text,
        text=text,
        expected_sources=("a.md", "b.md"),
        required_hops=(Hop(id="h", any_of=("pier", "timed out"), source="a.md"),),
    )


@pytest.fixture
def scenario(tmp_path: Path) -> Scenario:
    documents = tmp_path / "documents"
    (documents / "more").mkdir(parents=True)
    (documents / "b.md").write_text("quay")
    (documents / "more" / "a.md").write_text("pier")
    return Scenario(
        name="harbour",
        profile="multihop_chain_qa",
        folder=str(documents.parent),
        documents_dir=str(documents),
        settings={"top_k": 3},
        questions=(question("where"), question("raise")),
    )


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[RunJournal]:
    with open_journal(tmp_path / "results", "whole_harbour", "d") as opened:
        yield opened.run(1)


def run(
    scenario: Scenario,
    agent: Whole,
    journal: RunJournal,
    judge: Judge | None = None,
    timeout_seconds: float = 60.0,
) -> FrameworkEvaluation:
    asking = AskingOptions(profile=scenario.profile, timeout_seconds=timeout_seconds, judge=judge)
    return asyncio.run(
        run_scenario(
            scenario,
            agent,
            framework="Whole",
            options=RunOptions(asking),
            journal=journal,
        )
    )


def test_every_question_has_an_outcome_and_the_run_goes_on(
    scenario: Scenario, journal: RunJournal
) -> None:
    agent = Whole()
    judge = Judge(ScriptedModel(GOOD), price_usd)
    questions = tuple(map(question, ("where", "hang", "raise")))
    asked = scenario.model_copy(update={"questions": questions})
    got = run(asked, agent, journal, judge, LIMIT_SECONDS)
    answered, hung, raised = got.questions
    assert agent.calls == ["ingest 3", "where", "hang", "raise", "cleanup"]
    assert agent.documents == ["b.md", "more/a.md"]

    assert answered.outcome is AnswerOutcome.ANSWERED
    assert (answered.correctness_score, answered.retrieval_recall) == (5.0, 0.5)
    assert answered.estimated_cost_usd == pytest.approx(0.00025)  # 1,000 tokens at $0.25 a million
    assert answered.extra_metrics["grounded_hop_coverage"] == 1.0

    assert (hung.outcome, hung.correctness_score) == (AnswerOutcome.TIMED_OUT, 0.0)
    assert (hung.latency_seconds, hung.model_name) == (LIMIT_SECONDS, "timeout")
    assert hung.extra_metrics["hop_coverage"] == 0.0  # "timed out" in no answer of the agent's

    assert (raised.outcome, raised.faithfulness_score) == (AnswerOutcome.FAILED, 0.0)
    assert raised.error == "RuntimeError: tool died: <b>no</b>"
    assert got.avg_correctness == pytest.approx(5 / 3)
    # the failure is outside the mean latency, the time-out counts at its limit
    assert got.avg_latency == pytest.approx(((answered.latency_seconds or 0) + LIMIT_SECONDS) / 2)


def test_a_failing_judge_leaves_out_only_its_scores(
    scenario: Scenario, journal: RunJournal
) -> None:
    judge = Judge(ScriptedModel(Reply(refusal="no")), price_usd)
    one = scenario.model_copy(update={"questions": scenario.questions[:1]})
    (answered,) = run(one, Whole(), journal, judge).questions
    assert answered.correctness_score is None
    assert answered.judge is not None
    assert answered.judge.cause is Cause.JUDGE_REFUSED
    assert answered.retrieval_precision == 1.0


def test_the_original_takes_the_agents_own_figures(scenario: Scenario, journal: RunJournal) -> None:
    one = scenario.model_copy(update={"questions": (question("hang"),)})
    options = RunOptions(AskingOptions(profile=one.profile, timeout_seconds=0.1, original=True))
    options = replace(options, concurrency=2)
    got = asyncio.run(
        run_scenario(one, Whole(), framework="W", options=options, journal=journal)
    ).questions[0]
    # the original looks for hops in "Query timed out before producing an answer."
    assert got.extra_metrics["hop_coverage"] == 1.0


def test_so_many_questions_are_under_way_at_once(scenario: Scenario, journal: RunJournal) -> None:
    class Meeting(Whole):
        """Answers once two questions are under way."""

        running = most = 0

        async def ingest(self, *_: object) -> None:
            self.met = asyncio.Event()

        async def query(self, question: str) -> Answer:
            self.running += 1
            self.most = max(self.most, self.running)
            if self.running == 2:
                self.met.set()
            await self.met.wait()
            self.running -= 1
            return Answer(text=question)

    agent = Meeting()
    three = scenario.model_copy(update={"questions": tuple(map(question, "abc"))})
    options = RunOptions(AskingOptions(timeout_seconds=60.0), concurrency=2)
    got = asyncio.run(run_scenario(three, agent, framework="M", options=options, journal=journal))
    assert [each.outcome for each in got.questions] == [AnswerOutcome.ANSWERED] * 3
    assert agent.most == 2


def test_an_agent_that_cannot_prepare_stops_the_run(
    scenario: Scenario, journal: RunJournal
) -> None:
    class Unprepared(Whole):
        async def ingest(self, *_: object) -> None:
            raise ConnectionError("no index")

    agent = Unprepared()
    with pytest.raises(ConfigurationError, match="Whole: ingest failed: ConnectionError: no index"):
        run(scenario, agent, journal)
    assert agent.calls == ["cleanup"]


def test_an_agent_that_cannot_clean_up_keeps_its_answers(
    scenario: Scenario, journal: RunJournal
) -> None:
    class Untidy(Whole):
        async def cleanup(self) -> None:
            raise ConnectionError("no index")

    with pytest.warns(UserWarning, match="Whole: cleanup failed: ConnectionError: no index"):
        got = run(scenario, Untidy(), journal)
    assert len(got.questions) == 2


def test_settings_tell_an_agent_everything_the_scenario_says(
    scenario: Scenario, journal: RunJournal
) -> None:
    class Curious(Whole):
        async def ingest(self, _: object, settings: Mapping[str, Any]) -> None:
            self.settings = settings

    agent = Curious()
    spoken = scenario.model_copy(update={"extra": {"temperature": 0, "top_k": 9}})
    run(spoken, agent, journal)
    assert agent.settings == {"temperature": 0, "top_k": 3, "scenario_dir": scenario.folder}


def test_documents_that_are_absent_or_no_text_are_named(scenario: Scenario, tmp_path: Path) -> None:
    (tmp_path / "documents" / "c.md").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match=r"c\.md: not UTF-8"):
        read_documents(scenario)
    with pytest.raises(ConfigurationError, match="document folder not found"):
        read_documents(scenario.model_copy(update={"documents_dir": str(tmp_path / "x")}))


def test_files_beside_the_documents_neither_stop_a_run_nor_pass_silently(
    scenario: Scenario, journal: RunJournal, tmp_path: Path
) -> None:
    (tmp_path / "documents" / "logo.png").write_bytes(b"\x89PNG\xff")
    (tmp_path / "documents" / "more" / "cache.db").write_bytes(b"\xff")
    agent = Whole()
    with pytest.warns(UserWarning, match=r"logo\.png \(and 1 more\) is not loaded: documents are"):
        got = run(scenario, agent, journal)
    assert agent.documents == ["b.md", "more/a.md"]
    assert got.questions[0].outcome is AnswerOutcome.ANSWERED


def test_a_file_that_a_question_names_is_a_document(scenario: Scenario, tmp_path: Path) -> None:
    for name in ("tides.txt", "more/log.csv", "hop.txt"):
        (tmp_path / "documents" / name).write_text("x")
    when = Question(
        id="q",
        text="when",
        expected_sources=("tides.txt", "log.csv"),
        required_hops=(Hop(id="h", any_of=("x",), source="hop.txt"),),
    )
    read = read_documents(scenario.model_copy(update={"questions": (when,)}))
    assert [each.name for each in read] == [
        "b.md",
        "hop.txt",
        "more/a.md",
        "more/log.csv",
        "tides.txt",
    ]


def test_a_scenario_without_documents_is_run(scenario: Scenario, journal: RunJournal) -> None:
    agent = Whole()
    got = run(scenario.model_copy(update={"documents_dir": None}), agent, journal)
    assert (agent.documents, len(got.questions)) == ([], 2)


def test_an_interrupted_question_ends_before_the_agent_is_cleaned_up(
    scenario: Scenario, journal: RunJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajmeter.frameworks.harness.calls._CLEANUP_SECONDS", 60.0)
    happened: list[str] = []
    asked: asyncio.Event

    class Tidy:
        async def query(self, _: str) -> None:
            asked.set()
            try:
                await asyncio.sleep(30)
            finally:
                await asyncio.sleep(0.2)
                happened.append("tidied")

        async def cleanup(self) -> None:
            happened.append("cleaned up")

    async def interrupted() -> None:
        nonlocal asked
        asked = asyncio.Event()
        agent: Any = Tidy()
        options = RunOptions(AskingOptions())
        running = asyncio.ensure_future(
            run_scenario(scenario, agent, framework="Tidy", options=options, journal=journal)
        )
        await asked.wait()
        running.cancel()
        await running

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(interrupted())
    assert happened == ["tidied", "cleaned up"]
