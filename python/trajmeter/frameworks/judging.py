"""Judging answers: as they are given, and again from result files where a judge failed."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.errors import ReadError
from trajmeter.frameworks.aggregates import mean, outcome, total_judging
from trajmeter.frameworks.repeats import average
from trajmeter.frameworks.results import AnswerOutcome, read_evaluation, write_evaluation
from trajmeter.judges import judge_answer
from trajmeter.records import ReadProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from trajmeter.frameworks.results import FrameworkEvaluation, QuestionResult
    from trajmeter.judges import Judge

__all__ = ["JudgedFile", "judge_files", "judged_fields", "unjudged_count"]

_SCORES = ("correctness", "completeness", "faithfulness")
_RUN = re.compile(r"(.+)_run\d+")
"""Name without suffix of the result file of one of several runs."""


class JudgedFile(NamedTuple):
    """A result file after judging."""

    file: Path
    """The file."""
    evaluation: FrameworkEvaluation
    """Its content."""
    judged: int
    """Answers that were judged now."""
    unjudged: int
    """Answers that still are not."""


async def judged_fields(
    judge: Judge, *, question: str, expected: str, actual: str, sources: Sequence[str]
) -> dict[str, Any]:
    """Fields of a result that come from judging its answer; without scores if the judge fails."""
    judgement = await judge_answer(
        judge, question=question, expected=expected, actual=actual, sources=sources
    )
    if judgement.value is None:
        return {"judge": judgement.record}
    return {
        "judge": judgement.record,
        "correctness_score": float(judgement.value.correctness),
        "completeness_score": float(judgement.value.completeness),
        "faithfulness_score": float(judgement.value.faithfulness),
        "judge_reasoning": judgement.value.reasoning,
    }


def unjudged_count(evaluation: FrameworkEvaluation) -> int:
    """Answers that a judge was asked about and did not score, over all runs of the result."""
    return sum(
        sum((question.run_judge_causes or {}).values())
        + (question.judge is not None and question.judge.cause is not None)
        for question in evaluation.questions
    )


async def judge_files(
    files: Iterable[Path],
    judge: Judge,
    *,
    original: bool = False,
    progress: Callable[[Path, QuestionResult], None] | None = None,
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> list[JudgedFile]:
    """Judge the answers of result files that are not judged, and write the files.

    Nothing is asked of an agent. Of an average the files of its runs are judged, which lie beside
    it; where an average lies beside the files of its runs, it is made again. If judging is
    interrupted, what was judged until then is written.

    Args:
        files: Result files.
        judge: Judge to ask.
        original: Average as the ``framework-comparison`` profile does.
        progress: Called with the file and the result of each answer that the judge was asked about.
        on_problem: Called with every file that cannot be read, or that is an average without the
            files of its runs, and is left out. Without it the first one raises.

    Returns:
        The files given that could be read, in order, without repeats.

    Raises:
        ReadError: Without ``on_problem``: a file cannot be read, or the files of its runs.
        ConfigurationError: A file cannot be written.
    """
    named: list[Path] = []
    singles: dict[Path, FrameworkEvaluation] = {}
    averages: dict[Path, list[Path]] = {}
    for file in dict.fromkeys(files):
        try:
            evaluation = read_evaluation(file)
            runs = _runs_of_average(file, evaluation) if evaluation.run_count > 1 else {}
        except ReadError as error:
            if on_problem is None:
                raise
            message = str(error).removeprefix(f"{file}: ")
            on_problem(ReadProblem(file=str(file), message=message))
            continue
        named.append(file)
        if runs:
            averages[file] = list(runs)
            singles |= runs
        else:
            singles[file] = evaluation
            averages |= _average_of(file)
    before = {file: len(_unjudged(evaluation)) for file, evaluation in singles.items()}
    try:
        for file in singles:
            await _judge_file(file, singles, judge, progress)
    finally:
        made = {
            file: average(
                [singles.get(run) or read_evaluation(run) for run in runs], original=original
            )
            for file, runs in averages.items()
        }
        for file, evaluation in made.items():
            write_evaluation(evaluation, file)
    after = {file: len(_unjudged(evaluation)) for file, evaluation in singles.items()}
    judged = []
    for file in named:
        parts = averages.get(file, [file])
        left = sum(after[part] for part in parts)
        now = sum(before[part] for part in parts) - left
        judged.append(JudgedFile(file, made.get(file) or singles[file], now, left))
    return judged


async def _judge_file(
    file: Path,
    evaluations: dict[Path, FrameworkEvaluation],
    judge: Judge,
    progress: Callable[[Path, QuestionResult], None] | None,
) -> None:
    """Judge one run; its evaluation is replaced, and its file written, if anything changed."""
    evaluation = evaluations[file]
    changed: dict[str, QuestionResult] = {}

    async def finish(question: QuestionResult) -> None:
        result = await _judged(question, judge)
        changed[question.question_id] = result
        if progress is not None:
            progress(file, result)

    tasks = [asyncio.ensure_future(finish(question)) for question in _unjudged(evaluation)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        if changed:
            questions = [changed.get(q.question_id, q) for q in evaluation.questions]
            means = {f"avg_{s}": mean(getattr(q, f"{s}_score") for q in questions) for s in _SCORES}
            evaluations[file] = evaluation.model_copy(
                update={"questions": tuple(questions), **means}
            )
            write_evaluation(evaluations[file], file)


async def _judged(question: QuestionResult, judge: Judge) -> QuestionResult:
    fields = await judged_fields(
        judge,
        question=question.question_text,
        expected=question.expected_answer or "",
        actual=question.actual_answer or "",
        sources=question.sources_retrieved,
    )
    record = fields["judge"]
    total = total_judging([question.judge, record])
    if total is not None:  # what earlier attempts cost was paid too
        spent = total.model_dump(exclude={"model", "cause", "message", "replayed"})
        fields["judge"] = record.model_copy(update=spent)
    return question.model_copy(update=fields)


def _unjudged(evaluation: FrameworkEvaluation) -> list[QuestionResult]:
    """The questions of one run that have an answer, but not every score of it."""
    return [
        question
        for question in evaluation.questions
        if outcome(question, averaged=False) is AnswerOutcome.ANSWERED
        and question.actual_answer is not None
        and any(getattr(question, f"{score}_score") is None for score in _SCORES)
    ]


def _runs_of_average(
    file: Path, evaluation: FrameworkEvaluation
) -> dict[Path, FrameworkEvaluation]:
    """The runs of an average, by file.

    Raises:
        ReadError: One is missing or cannot be read.
    """
    runs = _runs(file)
    if len(runs) != evaluation.run_count:
        raise ReadError(
            f"{file}: expected the files of its {evaluation.run_count} runs beside the average, "
            f"found {len(runs)}; name the files to judge"
        )
    return {run: read_evaluation(run) for run in runs}


def _average_of(run: Path) -> dict[Path, list[Path]]:
    """The average beside the file of a run, with the files of all its runs; or nothing."""
    named = _RUN.fullmatch(run.stem)
    file = run.with_name(f"{named[1]}.json") if named else None
    if file is None or not file.is_file():
        return {}
    runs = _runs(file)
    return {file: runs} if read_evaluation(file).run_count == len(runs) else {}


def _runs(file: Path) -> list[Path]:
    """The files of an average's runs, in order."""
    found = {}
    for beside in file.parent.iterdir():
        named = _RUN.fullmatch(beside.stem)
        if beside.suffix == ".json" and named and named[1] == file.stem:
            found[int(beside.stem.rpartition("_run")[2])] = beside
    return [found[number] for number in sorted(found)]
