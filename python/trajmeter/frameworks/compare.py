"""Compares frameworks from their result files, and writes reports, in one call."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from trajmeter.arguments import paths_and_records
from trajmeter.errors import ConfigurationError, UnknownNameError
from trajmeter.frameworks.comparison import build_comparison
from trajmeter.frameworks.report import markdown_report
from trajmeter.frameworks.report.page import comparison_document
from trajmeter.frameworks.result_files import read_results
from trajmeter.frameworks.results import FrameworkEvaluation
from trajmeter.writers import write_text
from trajmeter.writers.provenance import Provenance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from trajmeter.frameworks.comparison import Comparison
    from trajmeter.records import ReadProblem
    from trajmeter.reports.page.document import Document

__all__ = ["PROFILE", "Compared", "compare", "is_original", "report_writer"]

PROFILE = "framework-comparison"
"""The compatibility profile of comparisons: the original benchmark's numbers, quirks included."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison, and reports of it."""

    comparison: Comparison
    """Every figure; ``comparison.results`` has one entry per result, in their order."""
    files: tuple[Path, ...] = ()
    """The result files."""
    made: Provenance = field(default_factory=Provenance.now)
    """How and when the comparison was made, stated in its report."""

    def document(self, *, title: str | None = None, made: Provenance | None = None) -> Document:
        """The model of the report: headlines, parts, answers, provenance.

        Args:
            title: Heading of the report.
            made: How the report is made; by default like the comparison.
        """
        return comparison_document(
            self.comparison, title=title, files=self.files, made=made or self.made
        )

    def markdown(self) -> str:
        """The report as Markdown, with every question; answers are escaped."""
        return markdown_report(self.comparison)

    def html(self) -> str:
        """The report as one HTML document with charts that opens offline.

        Raises:
            ExtraMissingError: jinja2 is not installed.
        """
        from trajmeter.reports.page.rendering import html_document

        return html_document(self.document())

    def write(self, path: str | Path) -> None:
        """Write the report to a file, in the format of its suffix: ``.md`` or ``.html``.

        Raises:
            ConfigurationError: The file cannot be written, or its suffix is unknown.
            ExtraMissingError: The format needs an extra that is not installed.
        """
        write_text(report_writer(path)(self), Path(path))


def compare(
    results: str | Path | Iterable[str | Path | FrameworkEvaluation],
    *,
    profile: str | None = None,
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> Compared:
    """Compare frameworks by their results of one scenario.

    Args:
        results: Result files, or results, one for each framework.
        profile: ``framework-comparison`` for the original benchmark's numbers, quirks included.
        on_problem: Called with every file that cannot be read and is skipped. Without it, the first
            one raises.

    Returns:
        The comparison, and reports of it.

    Raises:
        ConfigurationError: There is nothing to compare, or the results are of different scenarios,
            modes or scenario profiles; the message names them.
        InputError: An item is neither a file nor a result.
        ReadError: Without ``on_problem``: a file cannot be read. With it: no file can be read.
        UnknownNameError: The profile, or the scenario profile, is unknown.

    Example:
        >>> from trajmeter.frameworks.results import FrameworkEvaluation
        >>> swift = FrameworkEvaluation(framework_name="swift", scenario_name="s", avg_latency=1.0)
        >>> slow = FrameworkEvaluation(framework_name="slow", scenario_name="s", avg_latency=4.0)
        >>> compared = compare([swift, slow])
        >>> [result.scorecard.efficiency.value for result in compared.comparison.results]
        [100.0, 0.0]
    """
    sources = [*paths_and_records(results, FrameworkEvaluation, name="results")]
    read = read_results(sources, on_problem=on_problem)
    files = tuple(Path(each) for each in sources if isinstance(each, (str, PathLike)))
    return Compared(build_comparison(read, original=is_original(profile)), files)


def report_writer(path: str | Path) -> Callable[[Compared], str]:
    """The function that makes the report for a file's suffix.

    Raises:
        ConfigurationError: The suffix is unknown.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _REPORTS:
        raise ConfigurationError(f"{path}: a report file must end in {' or '.join(_REPORTS)}")
    return _REPORTS[suffix]


_REPORTS: dict[str, Callable[[Compared], str]] = {
    ".md": Compared.markdown,
    ".html": Compared.html,
}


def is_original(profile: str | None) -> bool:
    """Whether the compatibility profile is requested.

    Raises:
        UnknownNameError: The profile is unknown.
    """
    if profile not in (None, PROFILE):
        raise UnknownNameError(f"unknown profile {profile!r}; profiles: {PROFILE}")
    return profile is not None
