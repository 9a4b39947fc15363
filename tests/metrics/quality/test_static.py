"""Static quality of a source file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from trajmeter.metrics.quality import framework_packages, static_metrics, static_quality

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = '''\
"""Docstring."""

import os, sys
from langgraph.graph import Graph
from .langgraph import local


class Fleet:
    def sail(self, wind: float) -> float:
        def gust(speed):
            if speed > 3 and wind:
                return speed
            return 0
        return gust(wind)  # one call


def count(ships):
    return [ship for ship in ships if ship]
'''


def test_every_function_has_one_complexity_without_what_is_nested_in_it() -> None:
    measures = static_metrics(SOURCE, packages=framework_packages("LangGraph"))
    # sail 1, gust 1 + if + and = 3, count 1 + comprehension + its if = 3: mean 7 / 3
    assert measures.num_functions == 3
    assert measures.avg_cyclomatic_complexity == 2.33
    assert measures.max_cyclomatic_complexity == 3
    assert measures.complexity_grade == "A"
    assert measures.type_annotation_ratio == 0.33  # sail of three
    assert measures.num_classes == 1


def test_imports_are_statements_and_relative_ones_are_no_framework() -> None:
    measures = static_metrics(SOURCE, packages=["langgraph"])
    assert (measures.num_imports, measures.num_framework_imports) == (3, 1)


def test_without_functions_complexity_and_annotations_are_missing() -> None:
    measures = static_metrics("x = 1\n")
    assert measures.avg_cyclomatic_complexity is None
    assert measures.max_cyclomatic_complexity is None
    assert measures.complexity_grade is None
    assert measures.type_annotation_ratio is None
    assert measures.comment_ratio == 0.0


def test_a_file_that_does_not_parse_says_where(tmp_path: Path) -> None:
    file = tmp_path / "agent.py"
    file.write_text("x = 1\ndef broken(:\n")
    quality = static_quality(file)
    assert quality.static_metrics is None
    assert quality.error is not None
    assert quality.error.startswith("agent.py, line 2: ")


def test_a_byte_order_mark_is_read_over(tmp_path: Path) -> None:
    file = tmp_path / "agent.py"
    file.write_bytes(b"\xef\xbb\xbfx = 1\n")
    quality = static_quality(file)
    assert quality.static_metrics is not None
    assert quality.source_sloc == 1


def test_a_missing_file_is_no_crash(tmp_path: Path) -> None:
    assert "cannot be read" in (static_quality(tmp_path / "absent.py").error or "")


COMPLEXITY = {"avg_cyclomatic_complexity", "max_cyclomatic_complexity", "complexity_grade"}
PER_STATEMENT = {"num_imports", "num_framework_imports"}


def test_published_files(reference_data: Path) -> None:
    root = reference_data / "compare/quality"
    for case in json.loads((root / "expected.json").read_text())["files"]:
        source = (root / "sources" / case["file"]).read_text(encoding="utf-8-sig")
        measures = static_metrics(source, packages=framework_packages("langgraph")).model_dump()
        expected = case["expected"]["static_metrics"]
        for key in expected.keys() - COMPLEXITY - PER_STATEMENT - {"type_annotation_ratio"}:
            assert measures[key] == pytest.approx(expected[key], abs=1e-9), (case["file"], key)
        assert measures["num_imports"] == case["by_the_seeds_words"]["import_statements"]
        if expected["num_functions"]:
            assert measures["type_annotation_ratio"] == expected["type_annotation_ratio"]


def test_a_file_that_is_nested_too_deeply_is_no_crash(tmp_path: Path) -> None:
    file = tmp_path / "agent.py"
    file.write_text(f"x = {'+'.join(['1'] * 5_000)}\n")
    assert static_quality(file).error == "agent.py: nested too deeply to be measured"
    file.write_bytes(b"x = 1\0")
    assert "None" not in (static_quality(file).error or "None")
