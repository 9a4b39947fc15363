"""One framework's evaluation: its runs, their average, its code quality, and the result files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.frameworks.harness.journal import FinishedReview
from trajmeter.frameworks.harness.resume import fingerprint, open_journal
from trajmeter.frameworks.harness.run import RunOptions, document_files, run_scenario
from trajmeter.frameworks.harness.workers import AgentWorkers
from trajmeter.frameworks.repeats import average
from trajmeter.frameworks.result_files import (
    evaluation_file_name,
    evaluation_stem,
    write_evaluation,
)
from trajmeter.judges import review_code
from trajmeter.metrics.quality import framework_packages, read_source, static_quality
from trajmeter.records import CodeQuality, UnreviewedCode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trajmeter.frameworks.harness.journal import Journal, RunJournal
    from trajmeter.frameworks.harness.loading import Framework
    from trajmeter.frameworks.results import FrameworkEvaluation, QuestionResult
    from trajmeter.frameworks.scenario import Scenario
    from trajmeter.judges import Judge

__all__ = ["Evaluated", "EvaluationOptions", "Progress", "evaluate"]


@dataclass(frozen=True)
class EvaluationOptions:
    """How a framework is evaluated."""

    run: RunOptions
    """Options of each run."""
    runs: int = 1
    """Number of runs to average."""
    reviewer: Judge | None = None
    """Judge that reviews the code; ``None`` skips the review."""
    code_quality: bool = True
    """Whether to measure the code."""
    packages: tuple[str, ...] = ()
    """Packages that count as the framework's, in addition to the known ones."""


class Progress(NamedTuple):
    """Progress of an evaluation, reported after each question."""

    run: int
    """Number of the run, from 1."""
    finished: int
    """Finished questions of this run, including those of an interrupted call."""
    result: QuestionResult
    """The question that finished last."""


class Evaluated(NamedTuple):
    """The result of an evaluation."""

    file: Path
    """Result file of the only run, or of the average."""
    evaluation: FrameworkEvaluation
    """Its content."""


async def evaluate(
    scenario: Scenario,
    framework: Framework,
    *,
    options: EvaluationOptions,
    folder: Path,
    progress: Callable[[Progress], None] | None = None,
) -> Evaluated:
    """Run a framework through a scenario, once or several times, and write every result file.

    An interrupted evaluation is resumed: finished questions are not asked again, and a finished
    code review is not repeated.

    Args:
        scenario: The scenario, with its questions.
        framework: The framework to evaluate.
        options: Runs, deadline, judges.
        folder: Output folder of result files and, until the evaluation is finished, its journal.
        progress: Called after each question.

    Returns:
        The result of the only run, or the average.

    Raises:
        ConfigurationError: The folder cannot be written to, or the agent cannot be prepared.
        ReadError: The journal of an interrupted run cannot be read.
    """
    try:
        evaluated = await _evaluate(scenario, framework, options, folder, progress)
        if isinstance(framework.agent, AgentWorkers):
            await framework.agent.close()
    finally:
        if isinstance(framework.agent, AgentWorkers):
            framework.agent.kill()
    return evaluated


async def _evaluate(
    scenario: Scenario,
    framework: Framework,
    options: EvaluationOptions,
    folder: Path,
    progress: Callable[[Progress], None] | None,
) -> Evaluated:
    asking = options.run.asking
    stem = evaluation_stem(framework.name, scenario.name)
    with open_journal(folder, stem, _fingerprint(scenario, framework, options)) as journal:

        def file(run: int | None = None) -> Path:
            name = evaluation_file_name(framework.name, scenario.name, at=journal.named_at, run=run)
            return journal.folder / name

        quality = await _quality(scenario, framework, options, journal)
        evaluations = []
        for number in range(1, options.runs + 1):
            run = journal.run(number)

            def tell(result: QuestionResult, number: int = number, run: RunJournal = run) -> None:
                if progress is not None:
                    progress(Progress(number, len(run.finished), result))

            evaluation = await run_scenario(
                scenario,
                framework.agent,
                framework=framework.name,
                options=replace(options.run, run_id=number - 1),
                journal=run,
                code_quality=quality if number == 1 else None,
                progress=tell,
            )
            evaluations.append(evaluation)
            if options.runs > 1:
                write_evaluation(evaluation, file(number))
        result = average(evaluations, original=asking.original)
        write_evaluation(result, file())
        journal.remove()
    return Evaluated(file(), result)


def _fingerprint(scenario: Scenario, framework: Framework, options: EvaluationOptions) -> str:
    asking = options.run.asking
    files = {f"documents/{name}": file for name, file in document_files(scenario)}
    if framework.source is not None:
        files["source"] = framework.source
    return fingerprint(
        scenario,
        files=files,
        framework=framework.name,
        timeout_seconds=asking.timeout_seconds,
        judge=asking.judge.model.name if asking.judge else None,
        original=asking.original,
    )


async def _quality(
    scenario: Scenario, framework: Framework, options: EvaluationOptions, journal: Journal
) -> CodeQuality | None:
    if not options.code_quality or framework.source is None:
        return None
    original = options.run.asking.original
    packages = (*framework_packages(framework.name, original=original), *options.packages)
    measured = static_quality(framework.source, packages=packages, original=original)
    measured = measured.model_copy(update={"source_file": framework.source.name})
    if options.reviewer is None or measured.error is not None:
        return measured
    kept = journal.reviews.get(options.reviewer.model.name)
    if kept is not None:
        return measured.model_copy(update={"code_review": kept.review, "judge": kept.judge})
    source = read_source(framework.source)
    review, record = await review_code(
        options.reviewer, framework=framework.name, scenario=scenario.description, source=source
    )
    reviewed = measured.model_copy(update={"code_review": review, "judge": record})
    if review is None:  # it is requested again by another run, or by `trajmeter judge`
        unreviewed = UnreviewedCode(scenario=scenario.description, source=source)
        return reviewed.model_copy(update={"unreviewed": unreviewed})
    journal.write_review(
        FinishedReview(model=options.reviewer.model.name, review=review, judge=record)
    )
    return reviewed
