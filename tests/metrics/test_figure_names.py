"""Figures by name: short names and patterns."""

from __future__ import annotations

import pytest

from trajmeter.errors import UnknownNameError
from trajmeter.metrics.figure_names import (
    full_name,
    matching_figures,
    principal_figures,
    short_name,
)
from trajmeter.metrics.figures import registered_figures

LINES = ["context.final.line.f1", "context.final.line.coverage", "context.final.file.f1"]


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("tools.f1", "tools.any_order_grades.f1"),
        ("tools.recall", "tools.any_order_grades.recall"),
        ("context.line.coverage", "context.final.line.coverage"),
        ("context.symbol.f1", "context.final.symbol.f1"),
        ("context.auc_coverage", "context.trajectory.line.auc_coverage"),
        ("context.redundancy", "context.trajectory.line.redundancy"),
        ("rules.tool_usage", "rules.tool_usage.score"),
        ("turns.turn_count", "turns.run.turn_count"),
        ("speedup.task_speedup", "speedup.task_speedup"),
    ],
)
def test_every_short_name_is_a_figure(short: str, full: str) -> None:
    assert full_name(short, registered_figures(short.partition(".")[0])) == full


def test_a_metric_made_of_a_function_names_its_figure() -> None:
    known = ["mine.value", "mine.passed", "tools.exact"]
    assert full_name("mine", known) == "mine.value"
    assert short_name("mine.value") == "mine"
    assert matching_figures(["mine"], known) == ["mine.value"]
    assert full_name("tools", known) is None


def test_a_column_of_that_name_goes_first() -> None:
    assert full_name("tools.f1", ["tools.f1", "tools.any_order_grades.f1"]) == "tools.f1"
    assert full_name("context.line.f1", LINES[1:]) is None


def test_names_and_patterns_in_the_order_of_the_columns() -> None:
    patterns = ["context.final.file.*", "context.line.f1", "*.f1"]
    assert matching_figures(patterns, LINES) == [LINES[0], LINES[2]]


def test_patterns_may_be_of_short_names() -> None:
    known = ["context.final.file.f1", "context.final.line.f1", "context.trajectory.line.redundancy"]
    assert matching_figures(["context.line.*"], known) == known[1:2]
    assert matching_figures(["context.red*"], known) == known[2:]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("context.final.line.f2", "did you mean 'context.final.line.f1'?"),
        ("zzz", "there are: context.final.line.f1, "),
        ("zzz*", "no figure matches 'zzz*'"),
        ("context.line.f2", "did you mean 'context.line.f1'?"),
    ],
)
def test_unknown_names(name: str, message: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        matching_figures([name], LINES)
    assert message in str(caught.value)


@pytest.mark.parametrize("family", ["context", "turns", "rules", "tools", "speedup", "answers"])
def test_a_short_name_leads_back_to_its_column(family: str) -> None:
    known = registered_figures(family)
    assert [full_name(short_name(name), known) for name in known] == [*known]


@pytest.mark.parametrize("family", ["context", "turns", "rules", "tools", "speedup", "answers"])
def test_every_family_has_a_principal_figure(family: str) -> None:
    known = registered_figures(family)
    (leading,) = principal_figures(known)
    assert known[leading].higher_is_better is not None


def test_a_family_without_its_principal_figure_has_none_among_others() -> None:
    assert principal_figures(["turns.first_turn_valid", "mine.b", "mine.a"]) == ["mine.b"]
    assert principal_figures(["turns.first_turn_valid", "turns.x"]) == ["turns.first_turn_valid"]
    assert principal_figures([]) == []
