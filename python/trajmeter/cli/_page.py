"""Pages with reports of results tables, written by several commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from trajmeter.records import ReadProblem

__all__ = ["write_page"]


def write_page(
    path: Path,
    tables: Sequence[Path],
    options: Mapping[str, Any],
    *,
    on_problem: Callable[[ReadProblem], None],
    **known: Any,  # noqa: ANN401 - passed to results_document
) -> None:
    """Write the report of results tables as a page.

    Args:
        path: The file.
        tables: The tables.
        options: Options of the report, by name.
        on_problem: Called with every row that cannot be read.
        known: Results already computed, such as the estimates.

    Raises:
        ConfigurationError: The file cannot be written.
        ExtraMissingError: jinja2 is not installed.
    """
    from trajmeter.reports.page.rendering import html_document
    from trajmeter.reports.results import ReportOptions, results_document
    from trajmeter.writers import write_text

    chosen = {name: value for name, value in options.items() if name in ReportOptions._fields}
    document = results_document(tables, ReportOptions(**chosen), on_problem=on_problem, **known)
    write_text(html_document(document), path)
