"""The model of a report: its parts in the order a reader needs them.

Commands fill the model, :mod:`trajmeter.reports.page.rendering` lays it out with ``page.html.j2``,
and

- ``trajmeter.reports.charts.draw(chart) -> str`` gives the markup of any chart: a ``<figure>`` with
  its heading and an ``<svg>`` coloured by the page's custom properties, and a text alternative;
- ``trajmeter.reports.page.attempt_markup.attempt_markup(table) -> Iterator[str]`` gives the markup
  of the table of attempts with its compressed columns;
- ``page.css`` and ``page.js`` beside this file are put into the page whole.

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
"""A sentence one has to know, and its tone."""


@dataclass(frozen=True, slots=True)
class PartTable:
    """A table of a part, with its best values marked."""

    table: Table
    """The table; a title is shown above it."""
    best: frozenset[tuple[int, int]] = frozenset()
    """Row and column of the cells that are best of what they are compared with."""


@dataclass(frozen=True, slots=True)
class Fold:
    """What is closed until a reader asks for it."""

    title: str
    """What a reader opens."""
    tables: tuple[PartTable, ...] = ()
    """Tables in it."""
    lines: tuple[str, ...] = ()
    """Lines below them."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a report: what it says, then what shows it."""

    id: str
    """Name in addresses: ``quality``."""
    title: str
    """Heading."""
    lines: tuple[str, ...] = ()
    """Sentences above everything else of the part."""
    charts: tuple[Chart, ...] = ()
    """Charts."""
    tables: tuple[PartTable, ...] = ()
    """Tables."""
    folds: tuple[Fold, ...] = ()
    """What is closed at first."""
    notes: tuple[str, ...] = ()
    """What to bear in mind, in small print."""


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report."""

    title: str
    """Heading of the page."""
    headlines: tuple[Headline, ...]
    """What one has to know, most important first."""
    parts: tuple[Part, ...]
    """Parts in their order; one that shows nothing is left out."""
    provenance: Part
    """What the report was made of, and by what; comes last."""
    attempts: AttemptTable | None = None
    """Attempt table, before the provenance; ``None`` if no attempts are known."""
