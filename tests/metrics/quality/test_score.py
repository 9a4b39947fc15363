"""Static quality of a source file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from radon.complexity import cc_rank
from radon.metrics import h_visit, mi_visit
from radon.raw import analyze
from radon.visitors import ComplexityVisitor

from trajmeter.frameworks import harness
from trajmeter.metrics.quality import (
    framework_packages,
    read_source,
    static_metrics,
    static_quality,
)

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


def test_the_complexity_of_a_function_excludes_nested_functions() -> None:
    measures = static_metrics(SOURCE, packages=framework_packages("LangGraph"))
    # sail 1, gust 1 + if + and = 3, count 1 + comprehension + its if = 3: mean 7 / 3
    assert measures.num_functions == 3
    assert measures.avg_cyclomatic_complexity == 2.33
    assert measures.max_cyclomatic_complexity == 3
    assert measures.complexity_grade == "A"
    assert measures.type_annotation_ratio == 0.33  # sail of three
    assert measures.num_classes == 1


@pytest.mark.parametrize(
    ("index", "grade"),
    [(20.0, "A"), (19.999, "B"), (10.0, "B"), (9.999, "C"), (0.0, "C")],
)
def test_maintainability_is_graded_before_it_is_rounded(
    index: float, grade: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("radon.metrics.mi_visit", lambda *_args, **_options: index)
    measures = static_metrics("x = 1\n")
    assert (measures.maintainability_grade, measures.maintainability_index) == (
        grade,
        round(index, 2),
    )


def test_imports_are_counted_by_statement_and_relative_ones_are_not_the_framework() -> None:
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


def test_a_valid_file_that_radon_cannot_measure_is_not_called_invalid(tmp_path: Path) -> None:
    (tmp_path / "page.py").write_text('SHIPS = ["brig", "\fsloop"]\n')
    measured = static_quality(tmp_path / "page.py")
    reason = "page.py: valid, but radon cannot count its lines: SyntaxError at line: 1"
    assert (measured.static_metrics, measured.error) == (None, reason)


def test_a_name_that_is_not_utf_8_is_escaped(tmp_path: Path) -> None:
    file = tmp_path / b"\xff.py".decode("utf-8", "surrogateescape")
    file.write_text("x = (")
    measured = static_quality(file)
    assert measured.source_file == str(tmp_path / r"\udcff.py")
    assert measured.error == r"\udcff.py, line 1: '(' was never closed"


def test_a_byte_order_mark_is_read_over(tmp_path: Path) -> None:
    file = tmp_path / "agent.py"
    file.write_bytes(b"\xef\xbb\xbfx = 1\n")
    quality = static_quality(file)
    assert quality.static_metrics is not None
    assert quality.source_sloc == 1


def test_a_missing_file_has_a_reason(tmp_path: Path) -> None:
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


FRAMEWORKS = ("langgraph", "LangGraph", "LangGraph 1.0.8", "Pydantic AI", "smolagents", "crewai")


def test_published_files_are_measured_as_by_the_original(reference_data: Path) -> None:
    root = reference_data / "compare/quality"
    for case in json.loads((root / "expected.json").read_text())["files"]:
        source = (root / "sources" / case["file"]).read_text(encoding="utf-8-sig")
        for framework in FRAMEWORKS:
            packages = framework_packages(framework, original=True)
            measures = static_metrics(source, packages=packages, original=True).model_dump()
            expected = dict(case["expected"]["static_metrics"])
            expected["num_framework_imports"] = case["expected"]["framework_imports"][framework]
            assert measures == pytest.approx(expected, abs=1e-9), (case["file"], framework)


def test_the_original_gives_a_file_without_functions_the_best_complexity() -> None:
    measures = static_metrics("import os, sys\n", original=True)
    assert (measures.avg_cyclomatic_complexity, measures.max_cyclomatic_complexity) == (0.0, 0)
    assert (measures.complexity_grade, measures.type_annotation_ratio) == ("A", 0.0)
    assert measures.num_imports == 2


def test_a_file_that_is_nested_too_deeply_has_a_reason(tmp_path: Path) -> None:
    file = tmp_path / "agent.py"
    file.write_text(f"x = {'+'.join(['1'] * 5_000)}\n")
    assert static_quality(file).error == "agent.py: nested too deeply to be measured"
    file.write_bytes(b"x = 1\0")
    assert "None" not in (static_quality(file).error or "None")


LATIN = "# -*- coding: latin-1 -*-\nNAME = 'caf\xe9'  # Grüße\n\ndef f(x):\n    return x\n"


def test_a_file_is_read_in_the_encoding_it_declares(tmp_path: Path) -> None:
    file = tmp_path / "agent.py"
    file.write_bytes(LATIN.encode("latin-1"))
    assert read_source(file) == LATIN
    measured = static_quality(file)
    assert measured.error is None
    assert measured.static_metrics == static_metrics(LATIN)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"# coding: klingon\n", "unknown encoding"),
        (b"# coding: rot13\n", "'rot13' is not a text encoding"),
        (b"\xef\xbb\xbf# coding: latin-1\n", "encoding problem"),
        (b"NAME = 'caf\xe9'\n", "invalid or missing encoding declaration"),
        (b"\n\n\nNAME = 'caf\xe9'\n", "can't decode byte 0xe9"),
    ],
)
def test_a_file_that_python_cannot_decode_has_a_reason(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    file = tmp_path / "agent.py"
    file.write_bytes(content)
    measured = static_quality(file)
    assert measured.static_metrics is None
    assert reason in (measured.error or "")


REAL_CODE = sorted(Path(harness.__path__[0]).glob("*.py"))


@pytest.mark.parametrize("file", REAL_CODE, ids=lambda file: file.name)
def test_real_code_is_measured_as_radon_measures_it(file: Path) -> None:
    source = file.read_text(encoding="utf-8")
    got = static_metrics(source)
    raw, halstead = analyze(source), h_visit(source).total
    assert (got.loc, got.sloc, got.comments, got.blank) == (
        raw.loc,
        raw.sloc,
        raw.comments,
        raw.blank,
    )
    assert got.maintainability_index == round(mi_visit(source, multi=True), 2)
    assert got.halstead_volume == round(halstead.volume, 2)
    assert got.halstead_bugs == round(halstead.volume / 3000, 4)
    visitor = ComplexityVisitor.from_code(source)
    methods = [method for found in visitor.classes for method in found.methods]
    top_level = [function.complexity for function in (*visitor.functions, *methods)]
    if len(top_level) == got.num_functions and top_level:  # else some are nested
        mean = sum(top_level) / len(top_level)
        assert got.avg_cyclomatic_complexity == round(mean, 2)
        assert got.max_cyclomatic_complexity == max(top_level)
        assert got.complexity_grade == cc_rank(mean)
