"""Files of frameworks' results: their names, and reading and writing them."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError

from trajmeter.arguments import paths_and_records
from trajmeter.errors import ReadError
from trajmeter.frameworks.results import FrameworkEvaluation
from trajmeter.records import ReadProblem
from trajmeter.validation_errors import describe_error
from trajmeter.writers import write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

__all__ = [
    "STAMP",
    "NamedResult",
    "evaluation_file_name",
    "evaluation_stem",
    "read_evaluation",
    "read_results",
    "write_evaluation",
]

STAMP = "%Y%m%d_%H%M%S"
"""Format of the time in the names of result files."""

_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
"""Names that Windows treats as devices, whatever follows the first dot."""


class NamedResult(NamedTuple):
    """A result with a name that is unique in its comparison."""

    name: str
    """Name of the result file, or position of a result without a file."""
    evaluation: FrameworkEvaluation
    """The result."""


def evaluation_file_name(
    framework: str, scenario: str, *, at: datetime, run: int | None = None
) -> str:
    """Name of a result file.

    Args:
        framework: Name of the framework.
        scenario: Name of the scenario.
        at: When the run began, in UTC.
        run: Number of the run, from 1, if there are several; ``None`` for a single run or the
            average.

    Returns:
        ``<framework>_<scenario>_<YYYYMMDD_HHMMSS>[_runN].json``.

    Example:
        >>> from datetime import datetime
        >>> evaluation_file_name("Pydantic AI", "rag_qa", at=datetime(2026, 2, 9, 17, 43), run=2)
        'pydantic_ai_rag_qa_20260209_174300_run2.json'
    """
    suffix = "" if run is None else f"_run{run}"
    return f"{evaluation_stem(framework, scenario)}_{at:{STAMP}}{suffix}.json"


def evaluation_stem(framework: str, scenario: str) -> str:
    """The start of the names of all result files of a framework and a scenario."""
    stem = f"{_safe('_'.join(framework.lower().split()))}_{_safe(scenario)}"
    is_hidden = stem.startswith((".", "-"))  # from patterns such as *.json, or taken for an option
    return f"_{stem}" if is_hidden or _DEVICE.match(stem) else stem


def write_evaluation(evaluation: FrameworkEvaluation, file: Path) -> None:
    """Write one result file atomically.

    Raises:
        ConfigurationError: The file cannot be written.
    """
    write_text(evaluation.model_dump_json(indent=2) + "\n", file)


def read_evaluation(file: str | Path) -> FrameworkEvaluation:
    """Read one result file; unknown keys are ignored, absent ones are ``None``.

    NaN and infinite numbers, which some JSON writers produce, are errors: no mean may include them.

    Raises:
        ReadError: The file cannot be read; the message names file, field and value.
    """
    try:
        content = Path(file).read_bytes()
    except OSError as error:
        if Path(file).is_dir():
            raise ReadError(
                f"{file}: a folder, expected a result file, such as {Path(file, '*.json')}"
            ) from error
        raise ReadError(f"{file}: cannot be read: {error.strerror or error}") from error
    try:
        evaluation = FrameworkEvaluation.model_validate_json(content.removeprefix(b"\xef\xbb\xbf"))
    except ValidationError as error:
        if Path(file).suffix == ".jsonl":  # a result file is one document, and logs are often lines
            raise ReadError(
                f"{file}: neither a result file of trajmeter run nor a results table; logs are "
                "scored first, with trajmeter score LOGS --output FILE"
            ) from error
        raise ReadError(f"{file}: {describe_error(error)}") from error
    _check_finite(evaluation, at=str(file))
    return evaluation


def read_results(
    results: str | Path | Iterable[str | Path | FrameworkEvaluation],
    *,
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> list[NamedResult]:
    """Read results to compare or average.

    Args:
        results: Result files, or results.
        on_problem: Called with every file that cannot be read and is skipped. Without it, the first
            one raises.

    Returns:
        The results. A file is named by its name, or by its path if two files share a name; a result
        by its position.

    Raises:
        ReadError: Without ``on_problem``: a file cannot be read, or a result contains a NaN or an
            infinite number. With it: no file can be read.
    """
    sources = list(paths_and_records(results, FrameworkEvaluation, name="results"))
    names = [Path(item).name for item in sources if not isinstance(item, FrameworkEvaluation)]
    read: list[NamedResult] = []
    for position, item in enumerate(sources):
        if isinstance(item, FrameworkEvaluation):
            at = name = f"results[{position}]"
        else:
            at, name = str(item), Path(item).name
            name = name if names.count(name) == 1 else at
        try:
            read.append(NamedResult(name, _evaluation(item, at=at)))
        except ReadError as error:
            if on_problem is None:
                raise
            on_problem(ReadProblem(file=at, message=str(error).removeprefix(f"{at}: ")))
    if sources and not read:
        raise ReadError("none of the result files could be read")
    return read


def _evaluation(item: str | Path | FrameworkEvaluation, *, at: str) -> FrameworkEvaluation:
    if not isinstance(item, FrameworkEvaluation):
        return read_evaluation(item)
    _check_finite(item, at=at)
    return item


def _check_finite(evaluation: FrameworkEvaluation, *, at: str) -> None:
    for place, number in _not_finite(evaluation.model_dump(), ""):
        raise ReadError(f"{at}: {place}: expected a finite number, got {number}")


def _not_finite(value: object, place: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, float) and not math.isfinite(value):
        yield place, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _not_finite(item, f"{place}.{key}" if place else str(key))
    elif isinstance(value, (list, tuple)):
        for position, item in enumerate(value):
            yield from _not_finite(item, f"{place}[{position}]")


def _safe(name: str) -> str:
    """The name without characters that are invalid or change the folder in a file name."""
    return "".join("-" if character in '/\\:*?"<>|\0' else character for character in name)
