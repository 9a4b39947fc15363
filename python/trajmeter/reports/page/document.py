"""The model of a report: its parts in the order a reader needs them.

Commands fill the model, :mod:`trajmeter.reports.page.rendering` renders it with ``page.html.j2``,
and

- ``trajmeter.reports.charts.draw(chart) -> str`` returns the markup of a chart: a ``<figure>`` with
  its heading, an ``<svg>`` coloured by the page's custom properties, and a text alternative;
- ``trajmeter.reports.page.attempt_markup.attempt_markup(table) -> Iterator[str]`` yields the markup
  of the attempt table with its compressed columns;
- ``page.css`` and ``page.js`` next to this file are embedded in the page.

Markup they rely on: ``<main>``, ``<nav class="parts">`` with a link to each part,
``<section class="part" id="...">`` with an ``<h2>``, ``<div class="charts">`` around charts,
``<div class="scroll"><table class="figures">`` where ``td.number`` holds a number, ``td.best`` the
best of its row or column, and ``data-value`` the exact number, ``<ul class="notes">``,
``<p class="headline">``, ``<dl class="facts">`` and ``<details class="fold">``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from trajmeter.reports.charts import Chart
    from trajmeter.reports.page.attempts import AttemptTable
    from trajmeter.reports.tables import Table

__all__ = ["Document", "Fold", "Headline", "Part", "PartTable"]

Headline: TypeAlias = tuple[Literal["good", "bad", "neutral", "warning"], str]
"""A key finding as a sentence, and its tone."""


@dataclass(frozen=True, slots=True)
class PartTable:
    """A table of a part, with its best values marked."""

    table: Table
    """The table; a title is shown above it."""
    best: frozenset[tuple[int, int]] = frozenset()
    """Row and column of the cells with the best of the compared values."""


@dataclass(frozen=True, slots=True)
class Fold:
    """Content that is initially closed."""

    title: str
    """Heading that opens it."""
    tables: tuple[PartTable, ...] = ()
    """Tables in it."""
    lines: tuple[str, ...] = ()
    """Lines below them."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a report: its statements, then the evidence."""

    id: str
    """Name in URL fragments, such as ``quality``."""
    title: str
    """Heading."""
    lines: tuple[str, ...] = ()
    """Sentences at the top of the part."""
    charts: tuple[Chart, ...] = ()
    """Charts."""
    tables: tuple[PartTable, ...] = ()
    """Tables."""
    folds: tuple[Fold, ...] = ()
    """Content that is initially closed."""
    notes: tuple[str, ...] = ()
    """Remarks in small print."""


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report."""

    title: str
    """Heading of the page."""
    headlines: tuple[Headline, ...]
    """Key findings, most important first."""
    parts: tuple[Part, ...]
    """Parts in order, without empty ones."""
    provenance: Part
    """Inputs of the report and how it was made; comes last."""
    attempts: AttemptTable | None = None
    """Attempt table, shown before the provenance; ``None`` if no attempts are known."""
