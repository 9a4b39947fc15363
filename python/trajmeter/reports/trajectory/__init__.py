"""Readable views of one trajectory, for terminals and as an HTML page."""

from __future__ import annotations

from trajmeter.reports.trajectory.html import html_page
from trajmeter.reports.trajectory.search import Search
from trajmeter.reports.trajectory.sections import Block, Section, sections
from trajmeter.reports.trajectory.surroundings import Surroundings
from trajmeter.reports.trajectory.terminal import terminal_lines
from trajmeter.reports.trajectory.totals import tokens_of

__all__ = [
    "Block",
    "Search",
    "Section",
    "Surroundings",
    "html_page",
    "sections",
    "terminal_lines",
    "tokens_of",
]
