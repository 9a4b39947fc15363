from __future__ import annotations

import json

import pytest

from trajmeter.bench import BenchReport, Timing, chart, tables


def _timing(name: str, rust: float | None, python: float | None) -> Timing:
    return Timing(name=name, work="work", rust_seconds=rust, python_seconds=python)


REPORT = BenchReport.of(
    (_timing("union", 0.00025, 0.025), _timing("gmean", 3e-8, 3e-6)),
    (_timing("a\x1b[31m.jsonl", 1.5, None), _timing("b.jsonl", 1.2345, 2469.0)),
)


def test_a_table_shows_times_in_fitting_units_and_their_ratio() -> None:
    kernels, files = tables(REPORT)
    assert kernels.rows == (
        ("union", "work", "250 µs", "25 ms", "100x"),
        ("gmean", "work", "0.03 µs", "3 µs", "100x"),
    )
    assert files.rows == (
        (r"a\x1b[31m.jsonl", "work", "1.5 s", "> 20 s", "-"),
        ("b.jsonl", "work", "1.23 s", "2.47e+03 s", "2,000x"),
    )


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_chart_fits_the_line_and_leaves_out_what_has_no_ratio(width: int) -> None:
    lines = list(chart(REPORT, width=width, block="#"))
    assert [line.split()[0] for line in lines] == ["union", "gmean", "b.jsonl"]
    assert max(map(len, lines)) == width
    union, _, slow = (line.count("#") for line in lines)
    assert union == pytest.approx(slow * 2 / 3.301, abs=1)


def test_a_chart_of_nothing_is_empty() -> None:
    report = BenchReport.of((), (_timing("a", None, None),))
    assert list(chart(report, width=80, block="#")) == []
    assert [table.title for table in tables(report)] == ["trajmeter score, from file to file"]


def test_a_long_name_is_cut_at_its_beginning() -> None:
    report = BenchReport.of((), (_timing("folder/" * 20 + "end.jsonl", 1.0, 2.0),))
    (line,) = chart(report, width=60, block="#")
    assert line.startswith("...")
    assert "end.jsonl #" in line
    assert len(line) <= 60


def test_the_document_holds_ratios() -> None:
    document = json.loads(REPORT.model_dump_json())
    assert document["kernels"][0]["ratio"] == 100.0
    assert document["files"][0]["ratio"] is None
    assert document["machine"]["cores"] >= 1
