"""The comparison as one HTML file that opens offline: tables that sort, and charts."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING

from trajmeter.errors import ExtraMissingError
from trajmeter.frameworks.report.charts import comparison_charts
from trajmeter.frameworks.report.notes import heading, notes
from trajmeter.frameworks.report.tables import comparison_tables, labels, question_table

if TYPE_CHECKING:
    from trajmeter.frameworks.compared import Comparison

__all__ = ["html_report"]

_EMBED = "window.trajmeterEmbed = vegaEmbed;"


def html_report(comparison: Comparison) -> str:
    """The comparison as one self-contained HTML document.

    Scripts, styles and data are inlined, and the page's policy forbids every request, so it opens
    offline and nothing leaves it. Text of answers is escaped.

    Args:
        comparison: What to show.

    Returns:
        The document.

    Raises:
        ExtraMissingError: jinja2, altair or vl-convert-python is not installed.
    """
    try:
        import jinja2
        import vl_convert
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            f"HTML reports need {error.name}; install trajmeter[report]"
        ) from error
    charts = comparison_charts(comparison)
    here = resources.files("trajmeter.frameworks.report")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(here.joinpath("report.html.j2").read_text("utf-8")).render(
        comparison=comparison,
        columns=labels(comparison),
        heading=heading(comparison),
        tables=list(comparison_tables(comparison)),
        notes=notes(comparison),
        questions=[
            (question_id, text, question_table(comparison, question_id))
            for question_id, text in comparison.question_texts().items()
        ],
        charts=charts,
        specifications=_script_json([chart.specification for chart in charts]),
        runtime=vl_convert.javascript_bundle(_EMBED) if charts else "",
        style=here.joinpath("report.css").read_text("utf-8"),
        script=here.joinpath("report.js").read_text("utf-8"),
    )


def _script_json(value: object) -> str:
    """JSON that no text inside can lead out of its script element."""
    return (
        json.dumps(value, ensure_ascii=True, allow_nan=False)
        .replace("<", "\\u003c")
        .replace(">", "\\u003e")
        .replace("&", "\\u0026")
    )
