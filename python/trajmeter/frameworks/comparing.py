"""Comparing frameworks from result files to a report, in one call."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trajmeter.arguments import paths_and_records
from trajmeter.errors import ConfigurationError, ReadError, UnknownNameError
from trajmeter.frameworks.comparison import compare as side_by_side
from trajmeter.frameworks.report import html_report, markdown_report
from trajmeter.readers.evaluations import check_finite, read_evaluation
from trajmeter.records import FrameworkEvaluation, ReadProblem
from trajmeter.writers import write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from trajmeter.frameworks.compared import Comparison

__all__ = ["PROFILE", "Compared", "compare", "is_original", "read_results", "report_writer"]

PROFILE = "framework-comparison"
"""The compatibility profile of comparisons: the original benchmark's numbers, quirks included."""

_REPORTS: dict[str, Callable[[Comparison], str]] = {".md": markdown_report, ".html": html_report}


@dataclass(frozen=True, slots=True)
class Compared:
    """Frameworks side by side, and the reports of them."""

    comparison: Comparison
    """Every figure; ``comparison.results`` has one entry per result file, in the order given."""

    def markdown(self) -> str:
        """The report as Markdown, with every question; text of answers is escaped."""
        return markdown_report(self.comparison)

    def html(self) -> str:
        """The report as one HTML document with charts, which opens offline.

        Raises:
            ExtraMissingError: jinja2, altair or vl-convert-python is not installed.
        """
        return html_report(self.comparison)

    def write(self, path: str | Path) -> None:
        """Write the report to a file, as its suffix says: ``.md`` or ``.html``.

        Raises:
            ConfigurationError: The file cannot be written, or its suffix is unknown.
            ExtraMissingError: The format needs an extra that is not installed.
        """
        write_text(report_writer(path)(self.comparison), Path(path))


def compare(
    results: str | Path | Iterable[str | Path | FrameworkEvaluation],
    *,
    profile: str | None = None,
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> Compared:
    """Put frameworks' results of one scenario side by side.

    Args:
        results: Result files, or results, one for each framework.
        profile: ``framework-comparison`` for the original benchmark's numbers, quirks included.
        on_problem: Called with every file that cannot be read and is left out. Without it the first
            one raises.

    Returns:
        The comparison, and reports of it.

    Raises:
        ConfigurationError: There is nothing to compare, or the results are of different scenarios,
            modes or scenario profiles; the message names them.
        InputError: Something was given that is neither a file nor a result.
        ReadError: Without ``on_problem``: a file cannot be read. With it: none can.
        UnknownNameError: There is no such profile, or no such scenario profile.

    Example:
        >>> from trajmeter.records import FrameworkEvaluation
        >>> swift = FrameworkEvaluation(framework_name="swift", scenario_name="s", avg_latency=1.0)
        >>> slow = FrameworkEvaluation(framework_name="slow", scenario_name="s", avg_latency=4.0)
        >>> compared = compare([swift, slow])
        >>> [result.scorecard.efficiency.value for result in compared.comparison.results]
        [100.0, 0.0]
    """
    named = read_results(results, on_problem=on_problem)
    return Compared(side_by_side(named, original=is_original(profile)))


def read_results(
    results: str | Path | Iterable[str | Path | FrameworkEvaluation],
    *,
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> list[tuple[str, FrameworkEvaluation]]:
    """What tells each result apart from the others, and the result.

    Args:
        results: Result files, or results.
        on_problem: Called with every file that cannot be read and is left out. Without it the first
            one raises.

    Returns:
        For a file its name, or its path where two files have one name; for a result its position.

    Raises:
        ReadError: Without ``on_problem``: a file cannot be read, or a result holds a NaN or an
            infinite number. With it: none is left.
    """
    given = list(paths_and_records(results, FrameworkEvaluation, name="results"))
    names = [Path(item).name for item in given if not isinstance(item, FrameworkEvaluation)]
    read: list[tuple[str, FrameworkEvaluation]] = []
    for position, item in enumerate(given):
        if isinstance(item, FrameworkEvaluation):
            at = name = f"results[{position}]"
        else:
            at, name = str(item), Path(item).name
            name = name if names.count(name) == 1 else at
        try:
            read.append((name, _evaluation(item, at=at)))
        except ReadError as error:
            if on_problem is None:
                raise
            on_problem(ReadProblem(file=at, message=str(error).removeprefix(f"{at}: ")))
    if given and not read:
        raise ReadError("none of the result files could be read")
    return read


def _evaluation(item: str | Path | FrameworkEvaluation, *, at: str) -> FrameworkEvaluation:
    if not isinstance(item, FrameworkEvaluation):
        return read_evaluation(item)
    check_finite(item, at=at)
    return item


def report_writer(path: str | Path) -> Callable[[Comparison], str]:
    """What makes the report that a file's suffix asks for.

    Raises:
        ConfigurationError: The suffix is unknown.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _REPORTS:
        raise ConfigurationError(f"{path}: a report is a file that ends in {', '.join(_REPORTS)}")
    return _REPORTS[suffix]


def is_original(profile: str | None) -> bool:
    """Whether the compatibility profile is asked for.

    Raises:
        UnknownNameError: Another one is.
    """
    if profile not in (None, PROFILE):
        raise UnknownNameError(f"unknown profile {profile!r}; there is: {PROFILE}")
    return profile is not None
