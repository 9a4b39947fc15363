"""Parser of charts: elements, positions and texts of the SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from trajmeter.reports.charts import draw

if TYPE_CHECKING:
    from trajmeter.reports.charts import Chart

__all__ = ["Drawn"]

_NAMESPACE = "{http://www.w3.org/2000/svg}"


class Drawn:
    """A chart that was drawn, as a tree of elements."""

    def __init__(self, chart: Chart) -> None:
        self.markup = draw(chart)
        figure = ET.fromstring(self.markup)  # noqa: S314 - our own markup
        self.caption = "".join(figure[0].itertext())
        self.svg = figure[1]

    def all(self, name: str, class_: str = "") -> list[ET.Element]:
        """Return the elements with a name and a class, in order."""
        return [
            each
            for each in self.svg.iter(f"{_NAMESPACE}{name}")
            if not class_ or class_ in each.get("class", "").split()
        ]

    def numbers(self, name: str, attribute: str, class_: str = "") -> list[float]:
        """Return an attribute of these elements."""
        return [float(each.get(attribute, "nan")) for each in self.all(name, class_)]

    def texts(self, class_: str = "") -> list[str]:
        """Return the visible text, without tooltips."""
        return [each.text or "" for each in self.all("text", class_)]

    def tooltips(self) -> list[str]:
        """Titles of marks; the first title is the chart's."""
        return [each.text or "" for each in self.all("title")][1:]

    @property
    def title(self) -> str:
        """What a screen reader announces."""
        return self.all("title")[0].text or ""

    @property
    def description(self) -> str:
        """What a screen reader reads out."""
        return self.all("desc")[0].text or ""
