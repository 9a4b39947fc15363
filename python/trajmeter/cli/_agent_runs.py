"""Runs agents from a command, and prints the progress."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from trajmeter.cli._process import print_message
from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from trajmeter.frameworks.harness import EvaluationOptions, Framework, Progress
    from trajmeter.frameworks.result_files import NamedResult
    from trajmeter.frameworks.results import QuestionResult
    from trajmeter.frameworks.scenario import Scenario

__all__ = ["evaluate_all", "run_without_waiting"]

_MOST_THREADS = 1_000
"""Enough threads that abandoned, hanging ones do not block the next questions."""
_SHOWN_CHARACTERS = 160
"""Maximum length of an error in a progress line; the result file has the full text."""

_ResultT = TypeVar("_ResultT")


def run_without_waiting(work: Coroutine[None, None, _ResultT]) -> _ResultT:
    """Run a coroutine that calls agents, without waiting for threads they left running.

    At its end, ``asyncio.run`` waits for everything an agent passed to ``asyncio.to_thread``, which
    may never end.
    """
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    class UnawaitedExecutor(ThreadPoolExecutor):
        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002, FBT001 - the signature of the base class
            super().shutdown(wait=False, cancel_futures=cancel_futures)

    async def run() -> _ResultT:
        asyncio.get_running_loop().set_default_executor(UnawaitedExecutor(_MOST_THREADS))
        return await work

    return asyncio.run(run())


async def evaluate_all(
    scenario: Scenario, frameworks: Sequence[Framework], options: EvaluationOptions, folder: Path
) -> list[NamedResult]:
    """Ask every agent all questions, one agent after another, with its progress printed."""
    from trajmeter.frameworks.harness import evaluate
    from trajmeter.frameworks.result_files import NamedResult

    results = []
    for framework in frameworks:

        def show(progress: Progress, name: str = framework.name) -> None:
            line = _progress_line(progress, runs=options.runs, questions=len(scenario.questions))
            print_message(f"{name}: {line}")

        try:
            file, evaluation = await evaluate(
                scenario, framework, options=options, folder=folder, progress=show
            )
        except ConfigurationError as error:
            print_message(f"trajmeter: error: {error}")
            continue
        print_message(f"{framework.name}: wrote {folder / file.name}")
        results.append(NamedResult(file.name, evaluation))
    return results


def _progress_line(progress: Progress, *, runs: int, questions: int) -> str:
    """Progress of a run, and the outcome of its last question."""
    result = progress.result
    run = f"run {progress.run} of {runs}, " if runs > 1 else ""
    outcome = result.outcome.value.replace("_", " ") if result.outcome else ""
    return (
        f"{run}{progress.finished}/{questions} {result.question_id} {outcome} "
        f"{result.latency_seconds or 0.0:.2f} s{_trouble(result)}"
    )


def _trouble(result: QuestionResult) -> str:
    """Why a question failed, was not judged, or lacks part of its answer or figures."""
    if result.error is not None:
        return f": {result.error[:_SHOWN_CHARACTERS]}"
    troubles = [f"ignored: {problem}" for problem in result.answer_problems]
    if result.judge is not None and result.judge.cause is not None:
        troubles.append(f"not judged: {result.judge.cause.value}: {result.judge.message or ''}")
    if result.extra_metrics_error is not None:
        troubles.append(f"no profile figures: {result.extra_metrics_error}")
    return "".join(f", {trouble[:_SHOWN_CHARACTERS]}" for trouble in troubles)
