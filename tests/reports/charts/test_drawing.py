"""Every kind of chart: well-formed and readable whatever it is made of."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reports.charts.drawn import Drawn
from trajmeter.reports.charts import (
    Chart,
    Curve,
    CurveChart,
    DistributionChart,
    Grid,
    Interval,
    IntervalChart,
    IntervalGroup,
    Point,
    ScatterChart,
    Series,
    Stack,
    StackChart,
    standalone,
    stylesheet,
)

HOSTILE = "</svg><script>alert(1)</script>\u202e\x00&\"'"

EMPTY: tuple[Chart, ...] = (
    IntervalChart("t", (), "x"),
    ScatterChart("t", (), "x", "y"),
    DistributionChart("t", (), "x"),
    CurveChart("t", (), "x", "y"),
    StackChart("t", (), "x"),
    Grid("t", (), (), (), 0.0, 1.0),
)

texts = st.text(max_size=40) | st.just(HOSTILE)
values = st.floats(width=64)  # NaN, infinities and the greatest included
maybe = st.none() | values
bools = st.booleans()
intervals = st.builds(Interval, texts, maybe, maybe, maybe, texts, bools, st.integers(0, 20))
groups = st.builds(IntervalGroup, texts, st.lists(intervals, max_size=3).map(tuple))


@st.composite
def curves(draw: st.DrawFn) -> Curve:
    count = draw(st.integers(0, 4))
    several = st.lists(values, min_size=count, max_size=count).map(tuple)
    edges = several if draw(bools) else st.just(())
    return Curve(
        draw(texts), tuple(map(float, range(count))), draw(several), draw(edges), draw(edges)
    )


@st.composite
def series(draw: st.DrawFn) -> Series:
    found = draw(st.lists(values, max_size=90))
    names = tuple(draw(texts) for _ in found[:90]) if len(found) < 5 else ()
    return Series(draw(texts), tuple(found), names)


charts: st.SearchStrategy[Chart] = st.one_of(
    st.builds(
        IntervalChart,
        texts,
        st.lists(groups, max_size=2).map(tuple),
        texts,
        maybe,
        bools,
        maybe,
        maybe,
    ),
    st.builds(
        ScatterChart,
        texts,
        st.lists(st.builds(Point, texts, values, values, maybe, maybe), max_size=4).map(tuple),
        texts,
        texts,
        bools,
    ),
    st.builds(
        DistributionChart, texts, st.lists(series(), max_size=2).map(tuple), texts, texts, maybe
    ),
    st.builds(
        CurveChart, texts, st.lists(curves(), max_size=3).map(tuple), texts, texts, bools, maybe
    ),
    st.builds(
        StackChart,
        texts,
        st.lists(
            st.builds(Stack, texts, st.dictionaries(texts, st.integers(0, 10**12), max_size=10)),
            max_size=3,
        ).map(tuple),
        texts,
    ),
)


@given(charts)
def test_any_chart_is_well_formed_with_finite_places(chart: Chart) -> None:
    drawn = Drawn(chart)
    assert not re.search(
        r'="[^"]*\b(nan|inf)', re.sub(r"<(title|desc|text).*?</\1>", "", drawn.markup)
    )
    assert "<script" not in drawn.markup
    _, _, width, height = map(float, drawn.svg.get("viewBox", "").split())
    for name, attribute, end in (
        ("circle", "cx", width),
        ("circle", "cy", height),
        ("rect", "x", width),
        ("line", "x2", width),
        ("line", "y2", height),
    ):
        assert all(-8 <= place <= end + 8 for place in drawn.numbers(name, attribute))


@pytest.mark.parametrize("chart", EMPTY)
def test_a_chart_of_nothing_says_so(chart: Chart) -> None:
    drawn = Drawn(chart)
    assert drawn.description == "no values"
    assert drawn.all("circle") == []
    assert drawn.all("rect") == []


def test_the_same_chart_has_the_same_bytes() -> None:
    chart = DistributionChart("t", (Series("a", (0.1, 0.2)),), "x")
    assert Drawn(chart).markup == Drawn(chart).markup


def test_text_stays_text_and_its_controls_are_shown_as_such() -> None:
    drawn = Drawn(StackChart(HOSTILE, (Stack(HOSTILE, {HOSTILE: 1}),), HOSTILE))
    assert drawn.title == "</svg><script>alert(1)</script>\\u202e\\x00&\"'"
    assert "\u202e" not in drawn.markup


def test_a_chart_of_its_own_file_brings_its_colours() -> None:
    file = standalone(StackChart("t", (Stack("a", {"x": 1}),), "attempts"))
    root = ET.fromstring(file)  # noqa: S314 - our own markup
    assert root[0].text == stylesheet()
    assert "prefers-color-scheme: dark" in stylesheet()


def colours(scheme: str) -> dict[str, str]:
    light, dark = re.findall(r":root \{(.*?)\}", stylesheet(), re.DOTALL)
    return dict(re.findall(r"--([\w-]+): (#\w{6});", light if scheme == "light" else dark))


def luminance(colour: str) -> float:
    """Relative luminance as WCAG defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_told_from_their_ground(scheme: str) -> None:
    found = colours(scheme)
    assert colours("light").keys() == colours("dark").keys()
    series_colours = [colour for name, colour in found.items() if name.startswith("series-")]
    assert len(set(series_colours)) == 8
    for colour in series_colours:
        assert contrast(colour, found["ground"]) >= 3.0  # marks, by WCAG 1.4.11
        assert contrast(colour, found["on-series"]) >= 4.5  # counts inside bars, by WCAG 1.4.3
    for name in ("text", "quiet", "accent", "good", "bad", "warning"):
        assert contrast(found[name], found["ground"]) >= 4.5
        assert contrast(found[name], found["raised"]) >= 4.5


def test_a_chart_of_its_own_file_has_a_margin() -> None:
    file = standalone(Grid("t", ("a",), ("q1",), ((1.0,),), 0.0, 1.0))
    left, top, width, height = map(float, re.findall(r'viewBox="(.+?)"', file)[0].split())
    assert (left, top, width) == (-12, -12, 544)
    assert height > 24
