"""From result files to a comparison and its reports, in one call."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trajmeter.errors import ConfigurationError, UnknownNameError
from trajmeter.frameworks.comparison import build_comparison
from trajmeter.frameworks.report import html_report, markdown_report
from trajmeter.frameworks.results import read_results
from trajmeter.writers import write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from trajmeter.frameworks.comparison import Comparison
    from trajmeter.frameworks.results import FrameworkEvaluation
    from trajmeter.records import ReadProblem

__all__ = ["PROFILE", "Compared", "compare", "is_original", "report_writer"]

PROFILE = "framework-comparison"
"""The compatibility profile of comparisons: the original benchmark's numbers, quirks included."""

_REPORTS: dict[str, Callable[[Comparison], str]] = {".md": markdown_report, ".html": html_report}


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison, and reports of it."""

    comparison: Comparison
    """Every figure; ``comparison.results`` has one entry per result, in their order."""

    def markdown(self) -> str:
        """The report as Markdown, with every question; answers are escaped."""
        return markdown_report(self.comparison)

    def html(self) -> str:
        """The report as one HTML document with charts that opens offline.

        Raises:
            ExtraMissingError: jinja2 is not installed.
        """
        return html_report(self.comparison)

    def write(self, path: str | Path) -> None:
        """Write the report to a file, in the format of its suffix: ``.md`` or ``.html``.

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
        InputError: An item is neither a file nor a result.
        ReadError: Without ``on_problem``: a file cannot be read. With it: none can.
        UnknownNameError: The profile, or the scenario profile, is unknown.

    Example:
        >>> from trajmeter.frameworks.results import FrameworkEvaluation
        >>> swift = FrameworkEvaluation(framework_name="swift", scenario_name="s", avg_latency=1.0)
        >>> slow = FrameworkEvaluation(framework_name="slow", scenario_name="s", avg_latency=4.0)
        >>> compared = compare([swift, slow])
        >>> [result.scorecard.efficiency.value for result in compared.comparison.results]
        [100.0, 0.0]
    """
    read = read_results(results, on_problem=on_problem)
    return Compared(build_comparison(read, original=is_original(profile)))


def report_writer(path: str | Path) -> Callable[[Comparison], str]:
    """The function that makes the report for a file's suffix.

    Raises:
        ConfigurationError: The suffix is unknown.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _REPORTS:
        raise ConfigurationError(f"{path}: a report file must end in {' or '.join(_REPORTS)}")
    return _REPORTS[suffix]


def is_original(profile: str | None) -> bool:
    """Whether the compatibility profile is requested.

    Raises:
        UnknownNameError: The profile is unknown.
    """
    if profile not in (None, PROFILE):
        raise UnknownNameError(f"unknown profile {profile!r}; profiles: {PROFILE}")
    return profile is not None
