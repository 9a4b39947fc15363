"""One run of a scenario against one agent: documents in, questions asked, one evaluation out."""

from __future__ import annotations

import asyncio
import platform
import warnings
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from trajmeter.errors import ConfigurationError
from trajmeter.frameworks.aggregates import aggregates
from trajmeter.frameworks.harness.agents import Document, error_text
from trajmeter.frameworks.harness.calls import call
from trajmeter.frameworks.harness.questions import AskingOptions, ask_question, score_answer
from trajmeter.frameworks.harness.workers import SETUP_SECONDS
from trajmeter.frameworks.results import FrameworkEvaluation, QuestionResult

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from trajmeter.frameworks.harness.agents import Agent
    from trajmeter.frameworks.harness.journal import RunJournal
    from trajmeter.frameworks.harness.workers import AgentWorkers
    from trajmeter.frameworks.scenario import Scenario
    from trajmeter.records import CodeQuality, Question

__all__ = ["RunOptions", "document_files", "read_documents", "run_scenario"]

_INTERRUPTED_SECONDS = 10.0
"""Deadline of an agent's cleanup after an interruption, when the caller waits for the end."""
_MARKDOWN = frozenset({".md", ".markdown"})
"""Suffixes of files that are documents whether or not a question names them."""


@dataclass(frozen=True)
class RunOptions:
    """Options of one run."""

    asking: AskingOptions
    """How questions are asked and scored."""
    concurrency: int = 1
    """Questions to run concurrently; above 1, latencies are less reliable."""
    run_id: int = 0
    """0-based number of the run."""


def document_files(scenario: Scenario) -> Iterator[tuple[str, Path]]:
    """Name and file of each of a scenario's documents, sorted; none if the folder is absent.

    Raises:
        ConfigurationError: A document is outside the folder.
    """
    if scenario.documents_dir is None:
        return
    root = Path(scenario.documents_dir)
    for file in sorted(path for path in root.rglob("*") if path.is_file()):
        if not file.resolve().is_relative_to(root.resolve()):
            raise ConfigurationError(f"{file}: outside the folder of documents")
        yield file.relative_to(root).as_posix(), file


def read_documents(scenario: Scenario) -> list[Document]:
    """Read a scenario's documents, if any, sorted by name.

    They are the Markdown files and those that questions name as sources.

    Raises:
        ConfigurationError: The folder is absent, or a document is not UTF-8 text.

    Warns:
        UserWarning: The folder contains other files, which are not loaded.
    """
    if scenario.documents_dir is not None and not Path(scenario.documents_dir).is_dir():
        raise ConfigurationError(f"{scenario.documents_dir}: document folder not found")
    sources = {source for question in scenario.questions for source in question.expected_sources}
    sources |= {
        hop.source or "" for question in scenario.questions for hop in question.required_hops
    }
    documents, others = [], []
    for name, file in document_files(scenario):
        if file.suffix.lower() not in _MARKDOWN and sources.isdisjoint((name, file.name)):
            others.append(name)
            continue
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise ConfigurationError(f"{file}: not UTF-8 text: {error}") from error
        documents.append(Document(name=name, text=text))
    if others:
        more = f" (and {len(others) - 1:,} more)" if len(others) > 1 else ""
        warnings.warn(
            f"{scenario.documents_dir}: {others[0]}{more} is not loaded: documents are Markdown "
            "files and files that questions name as sources",
            stacklevel=2,
        )
    return documents


async def run_scenario(
    scenario: Scenario,
    agent: Agent | AgentWorkers,
    *,
    framework: str,
    options: RunOptions,
    journal: RunJournal,
    code_quality: CodeQuality | None = None,
    progress: Callable[[QuestionResult], None] | None = None,
) -> FrameworkEvaluation:
    """Ask an agent every question of a scenario.

    Questions that are already in the journal are not asked again; its unjudged answers are judged.
    An answer is in the journal before it is judged, and a result as soon as it is known, so an
    interruption loses only the question or the judgement in progress.

    Args:
        scenario: What to ask.
        agent: Agent to ask.
        framework: Name of the agent's framework.
        options: Deadline, judge, concurrency.
        journal: Finished questions.
        code_quality: Quality of the implementation, measured once per framework.
        progress: Called with each result.

    Returns:
        The evaluation, with questions in the scenario's order.

    Raises:
        ConfigurationError: The agent's ``ingest`` failed: without it no question can be asked. If
            its ``cleanup`` fails, that is only a warning.
    """
    asking = options.asking

    async def judge(question: Question) -> QuestionResult:
        return await score_answer(question, journal.answers[question.id], asking)

    async def ask(question: Question) -> QuestionResult:
        keep = partial(journal.keep_answer, question.id) if asking.judge is not None else None
        return await ask_question(agent, question, asking, keep=keep)

    unfinished = [q for q in scenario.questions if q.id not in journal.finished]
    answered = [q for q in unfinished if q.id in journal.answers]
    pending = [q for q in unfinished if q.id not in journal.answers]
    await _finish_all(answered, judge, options, journal, progress)
    if pending:
        cleanup_seconds = SETUP_SECONDS
        try:
            await _ingest(agent, scenario, framework)
            await _finish_all(pending, ask, options, journal, progress)
        except asyncio.CancelledError:
            cleanup_seconds = _INTERRUPTED_SECONDS
            raise
        finally:
            await _clean_up(agent, framework, cleanup_seconds)
    questions = tuple(journal.finished[question.id] for question in scenario.questions)
    return FrameworkEvaluation(
        framework_name=framework,
        scenario_name=scenario.name,
        scenario_type=scenario.scenario_type,
        evaluation_mode=scenario.mode,
        evaluation_profile=scenario.profile,
        questions=questions,
        code_quality=code_quality,
        run_id=options.run_id,
        versions=_versions(),
        started_at=journal.started_at.isoformat(),
        finished_at=journal.finished_at.isoformat(),
        **aggregates(questions, profile=scenario.profile, original=asking.original),
    )


async def _ingest(agent: Agent | AgentWorkers, scenario: Scenario, framework: str) -> None:
    ingest = getattr(agent, "ingest", None)
    if ingest is None:
        return
    documents = read_documents(scenario)
    settings = scenario.extra | scenario.settings | {"scenario_dir": scenario.folder}
    try:
        await call(ingest, documents, settings, timeout_seconds=SETUP_SECONDS)
    except Exception as error:  # any exception of the agent, and its deadline
        raise ConfigurationError(f"{framework}: ingest failed: {error_text(error)}") from error


async def _clean_up(agent: Agent | AgentWorkers, framework: str, seconds: float) -> None:
    cleanup = getattr(agent, "cleanup", None)
    if cleanup is None:
        return
    try:
        await call(cleanup, timeout_seconds=seconds)
    except Exception as error:  # noqa: BLE001 - the answers must not be lost
        warnings.warn(f"{framework}: cleanup failed: {error_text(error)}", stacklevel=2)


async def _finish_all(
    questions: Sequence[Question],
    result_of: Callable[[Question], Awaitable[QuestionResult]],
    options: RunOptions,
    journal: RunJournal,
    progress: Callable[[QuestionResult], None] | None,
) -> None:
    slots = asyncio.Semaphore(options.concurrency)

    async def finish(question: Question) -> None:
        async with slots:
            result = await result_of(question)
        journal.write(result)
        if progress is not None:
            progress(result)

    if not questions:
        return
    tasks = [asyncio.ensure_future(finish(question)) for question in questions]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)  # before the agent is cleaned up, each must have left it
    for task in done:
        task.result()


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for package in ("trajmeter", "genai-prices", "pydantic-ai-slim"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions
