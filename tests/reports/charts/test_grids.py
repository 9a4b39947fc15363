"""A value for each system and question."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.reports.charts.drawn import Drawn
from trajmeter.reports.charts import Grid


def test_a_cell_has_its_shade_and_number_and_a_missing_value_no_cell() -> None:
    grid = Grid("Correctness", ("a", "b"), ("q1", "q2"), ((0.0, 5.0), (None, 2.5)), 0.0, 5.0)
    drawn = Drawn(grid)
    shades = [cell.get("class") for cell in drawn.all("rect", "cell")]
    assert shades == ["cell g0", "cell g5", "cell g2"]
    assert drawn.texts("on") == ["0", "5", "2.5"]
    assert drawn.description == "a: q1 0.000, q2 5.000; b: q1 no value, q2 2.500"


def test_values_beyond_the_ends_have_the_shades_of_the_ends() -> None:
    drawn = Drawn(Grid("x", ("a",), ("q1", "q2"), ((-1.0, 9.0),), 0.0, 5.0))
    assert [cell.get("class") for cell in drawn.all("rect", "cell")] == ["cell g0", "cell g5"]


def test_many_columns_keep_their_cells_and_only_some_names() -> None:
    columns = tuple(f"question-{i}" for i in range(200))
    drawn = Drawn(Grid("x", ("a",), columns, (tuple(float(i % 6) for i in range(200)),), 0.0, 5.0))
    assert len(drawn.all("rect", "cell")) == 200
    assert drawn.texts("on") == []
    assert 2 <= len(drawn.texts("quiet")) < 20


def test_names_of_columns_do_not_overlap_at_the_right_edge() -> None:
    for count in range(90, 400, 7):
        columns = tuple(f"question-{i}" for i in range(count))
        drawn = Drawn(Grid("x", ("a framework",), columns, ((1.0,) * count,), 0.0, 5.0))
        places = [float(name.get("x") or 0.0) for name in drawn.all("text", "quiet")]
        gaps = [after - before for before, after in pairwise(places)]
        assert min(gaps) == pytest.approx(max(gaps), abs=0.2), count
