"""Reports of results, as Python shows them."""

from __future__ import annotations

import trajmeter
from tests.summaries.tables import F1, rows_of


def test_a_notebook_displays_the_tables_of_a_report() -> None:
    tables = [rows_of({f"t{n}": [0.5] for n in range(3)}, agent=name) for name in ("<b>", "c")]
    made = trajmeter.report(tables, figures=F1, title="Two <agents>")
    assert repr(made) == "<Report: Two <agents>>"
    shown = made._repr_markdown_()
    assert shown == made.markdown()
    assert "## Two &lt;agents>" in shown
    assert "| figure | " in shown
