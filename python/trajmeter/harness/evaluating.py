"""One framework's evaluation: its runs, their average, its code's quality, and their files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from trajmeter.harness.journal import Journal, fingerprint
from trajmeter.harness.running import RunOptions, run_scenario
from trajmeter.judges import review_code
from trajmeter.metrics.quality import framework_packages, static_quality
from trajmeter.summaries.repeats import average
from trajmeter.writers.evaluations import (
    evaluation_file_name,
    evaluation_stem,
    write_evaluation,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trajmeter.harness.agents import Agent
    from trajmeter.judges import Judge
    from trajmeter.records import CodeQuality, FrameworkEvaluation, QuestionResult, Scenario

__all__ = ["EvaluationOptions", "Framework", "evaluate"]


@dataclass(frozen=True)
class Framework:
    """One agent framework under comparison."""

    name: str
    """Name in results and reports."""
    agent: Agent
    """Its implementation of the scenario."""
    source: Path | None = None
    """Source file of the implementation."""


@dataclass(frozen=True)
class EvaluationOptions:
    """How a framework is evaluated."""

    run: RunOptions
    """How each run is made."""
    runs: int = 1
    """Runs to average."""
    reviewer: Judge | None = None
    """Judge that reviews the code; ``None`` leaves the review out."""
    code_quality: bool = True
    """Whether the code is measured."""
    packages: tuple[str, ...] = ()
    """Packages that count as the framework's beside those known."""


async def evaluate(
    scenario: Scenario,
    framework: Framework,
    *,
    options: EvaluationOptions,
    folder: Path,
    progress: Callable[[int, QuestionResult], None] | None = None,
) -> tuple[Path, FrameworkEvaluation]:
    """Run a framework through a scenario as often as asked, and write every result file.

    An evaluation that was interrupted is resumed: questions that were finished are not asked again.

    Args:
        scenario: What to ask.
        framework: Whom to ask.
        options: Runs, deadline, judges.
        folder: Where result files and, until all is done, journals are.
        progress: Called with the number of the run, from 1, and each result.

    Returns:
        The file of the only run or of the average, and what it holds.
    """
    asking = options.run.asking
    judge = asking.judge.model.name if asking.judge else None
    digest = fingerprint(
        scenario,
        framework=framework.name,
        timeout_seconds=asking.timeout_seconds,
        judge=judge,
        original=asking.original,
    )
    stem = f".{evaluation_stem(framework.name, scenario.name)}"
    journals = [
        Journal(folder / f"{stem}_run{number}.journal", digest)
        for number in range(1, options.runs + 1)
    ]
    quality = await _quality(scenario, framework, options)
    evaluations = []
    for number, journal in enumerate(journals, start=1):
        evaluation = await run_scenario(
            scenario,
            framework.agent,
            framework=framework.name,
            options=replace(options.run, run_id=number - 1),
            journal=journal,
            code_quality=quality if number == 1 else None,
            progress=None if progress is None else partial(progress, number),
        )
        evaluations.append(evaluation)
        if options.runs > 1:
            write_evaluation(evaluation, folder / _name(framework, scenario, journals[0], number))
    result = average(evaluations, original=asking.original)
    file = folder / _name(framework, scenario, journals[0])
    write_evaluation(result, file)
    for journal in journals:
        journal.remove()
    return file, result


async def _quality(
    scenario: Scenario, framework: Framework, options: EvaluationOptions
) -> CodeQuality | None:
    if not options.code_quality or framework.source is None:
        return None
    packages = (*framework_packages(framework.name), *options.packages)
    measured = static_quality(framework.source, packages=packages)
    measured = measured.model_copy(update={"source_file": framework.source.name})
    if options.reviewer is None or measured.error is not None:
        return measured
    review, record = await review_code(
        options.reviewer,
        framework=framework.name,
        scenario=scenario.description,
        source=framework.source.read_text(encoding="utf-8-sig"),
    )
    return measured.model_copy(update={"code_review": review, "judge": record})


def _name(framework: Framework, scenario: Scenario, first: Journal, run: int | None = None) -> str:
    return evaluation_file_name(framework.name, scenario.name, at=first.started_at, run=run)
