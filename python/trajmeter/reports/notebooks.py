"""What notebooks show of summaries, comparisons and agreement: the tables of the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.reports.differences import comparison_sections
from trajmeter.reports.estimates import agreement_sections, summary_sections
from trajmeter.reports.sections import to_fragment

if TYPE_CHECKING:
    from trajmeter.summaries.agreement import JudgeAgreement
    from trajmeter.summaries.comparing import ComparedScores
    from trajmeter.summaries.table_estimates import Estimates

__all__ = ["agreement_html", "comparison_html", "summary_html"]


def summary_html(estimates: Estimates) -> str:
    """A summary as an HTML fragment."""
    return to_fragment(summary_sections(estimates))


def comparison_html(compared: ComparedScores) -> str:
    """A comparison as an HTML fragment, without its tasks."""
    return to_fragment(comparison_sections(compared))


def agreement_html(agreement: JudgeAgreement) -> str:
    """The agreement of judges as an HTML fragment."""
    return to_fragment(agreement_sections(agreement))
