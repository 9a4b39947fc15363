"""Judges answers and code: during a run, or later in result files whose judge failed."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.errors import ReadError
from trajmeter.frameworks.aggregates import mean, outcome, total_judging
from trajmeter.frameworks.repeats import average
from trajmeter.frameworks.result_files import read_evaluation, write_evaluation
from trajmeter.frameworks.results import SCORES, AnswerOutcome
from trajmeter.judges import judge_answer, review_code
from trajmeter.records import ReadProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from trajmeter.frameworks.results import FrameworkEvaluation, QuestionResult
    from trajmeter.judges import Judge
    from trajmeter.records import CodeQuality, JudgeRecord, UnreviewedCode

__all__ = ["JudgedFile", "Unjudged", "judge_files", "judged_fields", "unjudged_count"]

_RUN = re.compile(r"(.+)_run\d+")
"""Name without suffix of the result file of one of several runs."""


class Unjudged(NamedTuple):
    """Numbers of what a judge was asked about and did not score."""

    answers: int
    """Answers."""
    reviews: int
    """Reviews of an implementation's code."""

    @property
    def total(self) -> int:
        """Both together."""
        return self.answers + self.reviews


class JudgedFile(NamedTuple):
    """A result file after judging."""

    file: Path
    """The file."""
    evaluation: FrameworkEvaluation
    """Its content."""
    judged: int
    """Answers and code reviews that were judged now."""
    unjudged: Unjudged
    """Answers and code reviews that are still not judged."""


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


def unjudged_count(evaluation: FrameworkEvaluation) -> Unjudged:
    """Count what a judge was asked about and did not score, over all runs of the result."""
    answers = sum(
        sum((question.run_judge_causes or {}).values())
        + (question.judge is not None and question.judge.cause is not None)
        for question in evaluation.questions
    )
    return Unjudged(answers, _unreviewed(evaluation) is not None)


def _unreviewed(evaluation: FrameworkEvaluation) -> UnreviewedCode | None:
    quality = evaluation.code_quality
    return None if quality is None else quality.unreviewed


async def judge_files(
    files: Iterable[Path],
    judge: Judge,
    *,
    original: bool = False,
    progress: Callable[[Path, str, JudgeRecord | None], None] | None = None,
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> list[JudgedFile]:
    """Judge unjudged answers and code of result files, and write the files.

    Agents are not asked again. For an average, the files of its runs in the same folder are judged;
    an average in the folder of judged runs is recomputed. If judging is interrupted, the judgements
    so far are written.

    Args:
        files: Result files.
        judge: Judge to ask.
        original: Average like the ``framework-comparison`` profile.
        progress: Called with the file, the id of each question whose answer the judge was asked
            about, or ``code review``, and the usage for judging.
        on_problem: Called with every file that is skipped because it cannot be read or is an
            average without the files of its runs. Without it, the first one raises.

    Returns:
        The given files that could be read, in order, without repeats.

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
    before = _counts(singles)
    try:
        for file in singles:
            await _judge_file(file, singles, judge, progress)
    finally:
        rewritten = {
            file: average(
                [singles.get(run) or read_evaluation(run) for run in runs], original=original
            )
            for file, runs in averages.items()
        }
        for file, evaluation in rewritten.items():
            write_evaluation(evaluation, file)
    after = _counts(singles)
    judged = []
    for file in named:
        parts = averages.get(file, [file])
        unjudged = Unjudged(
            sum(after[part].answers for part in parts), sum(after[part].reviews for part in parts)
        )
        now = sum(before[part].total for part in parts) - unjudged.total
        judged.append(JudgedFile(file, rewritten.get(file) or singles[file], now, unjudged))
    return judged


def _counts(singles: Mapping[Path, FrameworkEvaluation]) -> dict[Path, Unjudged]:
    return {
        file: Unjudged(len(_unjudged(evaluation)), _unreviewed(evaluation) is not None)
        for file, evaluation in singles.items()
    }


async def _judge_file(
    file: Path,
    evaluations: dict[Path, FrameworkEvaluation],
    judge: Judge,
    progress: Callable[[Path, str, JudgeRecord | None], None] | None,
) -> None:
    """Judge one run; its evaluation is replaced, and its file written, if anything changed."""
    evaluation = evaluations[file]
    changed: dict[str, QuestionResult] = {}
    fields: dict[str, Any] = {}

    def tell(name: str, record: JudgeRecord | None) -> None:
        if progress is not None:
            progress(file, name, record)

    async def finish(question: QuestionResult) -> None:
        result = changed[question.question_id] = await _judged(question, judge)
        tell(question.question_id, result.judge)

    async def review(quality: CodeQuality, code: UnreviewedCode) -> None:
        result = await _reviewed(quality, code, judge, framework=evaluation.framework_name)
        fields["code_quality"] = result
        tell("code review", result.judge)

    asked = [finish(question) for question in _unjudged(evaluation)]
    quality, code = evaluation.code_quality, _unreviewed(evaluation)
    if quality is not None and code is not None:
        asked.append(review(quality, code))
    tasks = [asyncio.ensure_future(each) for each in asked]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        if changed:
            questions = [changed.get(q.question_id, q) for q in evaluation.questions]
            means = {f"avg_{s}": mean(getattr(q, f"{s}_score") for q in questions) for s in SCORES}
            fields |= {"questions": tuple(questions), **means}
        if fields:
            evaluations[file] = evaluation.model_copy(update=fields)
            write_evaluation(evaluations[file], file)


async def _judged(question: QuestionResult, judge: Judge) -> QuestionResult:
    fields = await judged_fields(
        judge,
        question=question.question_text,
        expected=question.expected_answer or "",
        actual=question.actual_answer or "",
        sources=question.sources_retrieved,
    )
    fields["judge"] = _with_earlier(fields["judge"], question.judge)
    return question.model_copy(update=fields)


async def _reviewed(
    quality: CodeQuality, code: UnreviewedCode, judge: Judge, *, framework: str
) -> CodeQuality:
    review, record = await review_code(
        judge, framework=framework, scenario=code.scenario, source=code.source
    )
    fields: dict[str, Any] = {"judge": _with_earlier(record, quality.judge)}
    if review is not None:
        fields |= {"code_review": review, "unreviewed": None}
    return quality.model_copy(update=fields)


def _with_earlier(record: JudgeRecord, earlier: JudgeRecord | None) -> JudgeRecord:
    """Usage for judging, including earlier attempts, which cost money too."""
    total = total_judging([earlier, record])
    if total is None:
        return record
    spent = total.model_dump(exclude={"model", "cause", "message", "replayed"})
    return record.model_copy(update=spent)


def _unjudged(evaluation: FrameworkEvaluation) -> list[QuestionResult]:
    """The questions of one run that have an answer but lack some of its scores."""
    return [
        question
        for question in evaluation.questions
        if outcome(question, averaged=False) is AnswerOutcome.ANSWERED
        and question.actual_answer is not None
        and any(getattr(question, f"{score}_score") is None for score in SCORES)
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
            f"{file}: expected the files of its {evaluation.run_count} runs next to the average, "
            f"found {len(runs)}; name the files to judge"
        )
    return {run: read_evaluation(run) for run in runs}


def _average_of(run: Path) -> dict[Path, list[Path]]:
    """The average in the folder of a run's file, with the files of all its runs; or nothing."""
    named = _RUN.fullmatch(run.stem)
    file = run.with_name(f"{named[1]}.json") if named else None
    if file is None or not file.is_file():
        return {}
    runs = _runs(file)
    return {file: runs} if read_evaluation(file).run_count == len(runs) else {}


def _runs(file: Path) -> list[Path]:
    """The files of an average's runs, in order."""
    runs = {}
    for beside in file.parent.iterdir():
        named = _RUN.fullmatch(beside.stem)
        if beside.suffix == ".json" and named and named[1] == file.stem:
            runs[int(beside.stem.rpartition("_run")[2])] = beside
    return [runs[number] for number in sorted(runs)]
