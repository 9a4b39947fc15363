"""Agreement of judges, from results tables, result files or recordings."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajmeter import json_input
from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.frameworks.result_files import read_evaluation
from trajmeter.judges.recording import is_recording, read_exchanges
from trajmeter.readers.results import is_results_table
from trajmeter.records import ReadProblem
from trajmeter.statistics.draws import DEFAULT_RESAMPLES
from trajmeter.summaries.agreeing import agreement_of_ratings, agreement_of_tables
from trajmeter.summaries.ratings import Ratings

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from trajmeter.frameworks.results import FrameworkEvaluation
    from trajmeter.statistics.agreement import Scale
    from trajmeter.summaries.agreement import JudgeAgreement
    from trajmeter.summaries.result_tables import Tables

__all__ = ["agreement"]

_SCORES = ("correctness_score", "completeness_score", "faithfulness_score")
_LEAST_SCORE = 1.0
"""Lowest score that a judge gives; a question without an answer has 0 by rule."""


def agreement(
    tables: Tables,
    *,
    figures: str | Sequence[str] | None = None,
    scale: Scale | None = None,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> JudgeAgreement:
    """Measure how far judges agree: Krippendorff's alpha, quadratic kappa, exact agreement.

    Args:
        tables: The judges' ratings, all of one kind: results tables, which are joined by task,
            agent, model and attempt, and which a mapping names; result files of frameworks, by
            question; or recordings of judges, by prompt.
        figures: Names and patterns of figures; by default all that two judges rated; in results
            tables, those with a direction, if any.
        scale: ``ordinal`` (the default for integers and for scores from 1 to 5), ``interval`` (for
            other numbers) or ``nominal`` (for texts and booleans).
        level: Confidence level of the intervals.
        seed: Seed of the random draws.
        resamples: Number of bootstrap replicates to draw.
        on_problem: Called with everything that cannot be read and is skipped. Without it, the first
            problem raises.

    Returns:
        Every figure with its agreement.

    Raises:
        ConfigurationError: There is only one judge, the files are of different kinds or
            frameworks, an attempt occurs twice in a table, or an option is wrong.
        UnknownNameError: No two judges have a requested figure.
        ReadError: A file cannot be read.
        ExtraMissingError: pyarrow is not installed.

    Example:
        >>> import trajmeter
        >>> def rows(ratings):
        ...     return [{"task_id": f"t{i}", "judge.score": r} for i, r in enumerate(ratings)]
        >>> agreed = trajmeter.agreement(
        ...     [rows([1, 2, 3, 4]), rows([1, 3, 3, 5])], figures=["judge.score"], scale="interval"
        ... )
        >>> round(agreed.figures[0].alpha, 3), round(agreed.figures[0].kappa, 3)
        (0.87, 0.857)
    """
    options: dict[str, Any] = {
        "figures": figures,
        "scale": scale,
        "level": level,
        "seed": seed,
        "resamples": resamples,
    }
    paths = _paths(tables)
    if paths is None or all(map(is_results_table, paths)):
        return agreement_of_tables(
            tables if paths is None else [*paths], on_problem=on_problem, **options
        )
    kinds = {is_results_table(path): path for path in paths}
    if len(kinds) > 1:
        raise ConfigurationError(
            f"{kinds[True]} is a results table and {kinds[False]} is not; give judges of one kind"
        )
    recordings = {is_recording(path): path for path in paths}
    if len(recordings) > 1:
        raise ConfigurationError(
            f"{recordings[True]} is a recording and {recordings[False]} is not; give judges of one "
            "kind"
        )
    frameworks: dict[str, Path] = {}

    def scored(path: Path) -> Ratings:
        evaluation = read_evaluation(path)
        frameworks.setdefault(evaluation.framework_name, path)
        return _scored(evaluation, path)

    read = _recorded if recordings.get(True) else scored
    judges = []
    for path in paths:
        try:
            judges.append(read(path))
        except ReadError as error:
            if on_problem is None:
                raise
            message = str(error).removeprefix(f"{path}: ")
            on_problem(ReadProblem(file=str(path), message=message))
    if len(judges) < min(len(paths), 2):
        raise ReadError(
            f"agreement needs at least two judges, but only {len(judges)} of {len(paths)} files "
            "could be read"
        )
    if len(frameworks) > 1:
        listed = ", ".join(f"{name!r} ({path})" for name, path in frameworks.items())
        raise ConfigurationError(
            f"judges must have rated the same answers, but the files are of {listed}"
        )
    return agreement_of_ratings(judges, default_scale="ordinal", **options)


def _paths(tables: Any) -> list[Path] | None:  # noqa: ANN401 - tables in any form
    """The tables as paths, if all of them are."""
    if isinstance(tables, (str, PathLike)):
        return [Path(tables)]
    if not isinstance(tables, (list, tuple)) or not tables:
        return None
    if all(isinstance(each, (str, PathLike)) for each in tables):
        return [Path(each) for each in tables]
    return None


def _scored(evaluation: FrameworkEvaluation, path: Path) -> Ratings:
    """The scores in a framework's result file, by question."""
    figures: dict[str, dict[Hashable, Any]] = {name: {} for name in _SCORES}
    task_of: dict[Hashable, str] = {}
    for question in evaluation.questions:
        task_of[question.question_id] = question.question_id
        for name, scores in figures.items():
            score = getattr(question, name)
            if score is not None and score >= _LEAST_SCORE:
                scores[question.question_id] = score
    return Ratings(str(path), figures, task_of)


def _recorded(path: Path) -> Ratings:
    """The integers in the replies of a recording, by prompt."""
    figures: dict[str, dict[Hashable, Any]] = {}
    task_of: dict[Hashable, str] = {}
    for exchange in read_exchanges(path):
        if exchange.reply is None:
            continue
        try:
            reply = json_input.parse(exchange.reply.text.encode())
        except ReadError:
            continue
        if not isinstance(reply, dict):
            continue
        item = (exchange.prompt.instructions, exchange.prompt.text)
        task_of[item] = exchange.prompt.text
        for name, value in reply.items():
            if isinstance(value, int) and not isinstance(value, bool):
                figures.setdefault(name, {})[item] = value
    return Ratings(str(path), figures, task_of)
