"""Comparing from Python: files and results in, figures and reports out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import trajmeter
from trajmeter.errors import ConfigurationError, ReadError, UnknownNameError
from trajmeter.frameworks.result_files import write_evaluation
from trajmeter.frameworks.results import FrameworkEvaluation, QuestionResult

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import ReadProblem


def evaluation(name: str, latency: float, **fields: object) -> FrameworkEvaluation:
    question = QuestionResult(question_id="q", question_text="?", latency_seconds=latency)
    given = {"framework_name": name, "scenario_name": "s", "questions": (question,)}
    return FrameworkEvaluation.model_validate(given | fields)


def test_files_and_results_are_compared_in_their_order(tmp_path: Path) -> None:
    file = tmp_path / "anchor.json"
    write_evaluation(evaluation("Anchor", 2.0), file)
    compared = trajmeter.compare([evaluation("Buoy", 6.0), file, str(file)])
    assert [result.framework for result in compared.comparison.results] == [
        "Buoy",
        "Anchor",
        "Anchor",
    ]
    assert [result.file for result in compared.comparison.results] == [
        "results[0]",
        str(file),
        str(file),
    ]
    efficiency = [result.scorecard.efficiency.value for result in compared.comparison.results]
    assert efficiency == [0.0, 100.0, 100.0]
    (alone,) = trajmeter.compare(file).comparison.results
    assert alone.file == "anchor.json"


def test_reports_are_returned_and_written(tmp_path: Path) -> None:
    compared = trajmeter.compare([evaluation("Anchor", 2.0)])
    for name, text in (("a.md", compared.markdown()), ("b/a.HTML", compared.html())):
        compared.write(tmp_path / name)
        assert (tmp_path / name).read_text() == text
        assert "Anchor" in text
    with pytest.raises(ConfigurationError, match=r"a\.pdf: a report file must end in \.md"):
        compared.write(tmp_path / "a.pdf")


def test_a_file_that_cannot_be_read_raises_or_is_reported(tmp_path: Path) -> None:
    good, broken = tmp_path / "good.json", tmp_path / "broken.json"
    write_evaluation(evaluation("Anchor", 2.0), good)
    broken.write_text("{}")
    with pytest.raises(ReadError, match=r"broken\.json: framework_name: required, but missing"):
        trajmeter.compare([good, broken])
    problems: list[ReadProblem] = []
    compared = trajmeter.compare([broken, good], on_problem=problems.append)
    assert [result.framework for result in compared.comparison.results] == ["Anchor"]
    assert [problem.file for problem in problems] == [str(broken)]
    with pytest.raises(ReadError, match="none of the result files could be read"):
        trajmeter.compare(broken, on_problem=problems.append)
    log = broken.rename(tmp_path / "log.jsonl")
    with pytest.raises(ReadError, match=r"log\.jsonl: neither a result file .* scored first"):
        trajmeter.compare([log])
    write_evaluation(evaluation("Anchor", 2.0), log)
    assert trajmeter.compare([log]).comparison.results[0].framework == "Anchor"


def test_a_result_that_holds_no_number_is_refused_with_its_place() -> None:
    nan = evaluation("Anchor", float("nan"))
    place = r"results\[1\]: questions\[0\]\.latency_seconds: expected a finite number, got nan"
    with pytest.raises(ReadError, match=place):
        trajmeter.compare([evaluation("Buoy", 6.0), nan])
    problems: list[ReadProblem] = []
    compared = trajmeter.compare([evaluation("Buoy", 6.0), nan], on_problem=problems.append)
    assert [result.framework for result in compared.comparison.results] == ["Buoy"]
    assert [problem.file for problem in problems] == ["results[1]"]


def test_nothing_and_an_unknown_profile_are_errors() -> None:
    with pytest.raises(ConfigurationError, match="nothing to compare"):
        trajmeter.compare([])
    with pytest.raises(UnknownNameError, match="profiles: framework-comparison"):
        trajmeter.compare([evaluation("Anchor", 2.0)], profile="contextbench")


def test_the_original_gives_a_third_of_the_efficiency() -> None:
    (result,) = trajmeter.compare(
        [evaluation("Anchor", 2.0)], profile="framework-comparison"
    ).comparison.results
    assert result.scorecard.efficiency.value == pytest.approx(100 / 3)
