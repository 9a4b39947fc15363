"""Markdown that no answer can break."""

from __future__ import annotations

import pytest

from trajmeter.frameworks.comparison import compare
from trajmeter.frameworks.report import markdown_report
from trajmeter.records import FrameworkEvaluation, QuestionResult
from trajmeter.reports.markdown import escape


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# heading", r"\# heading"),
        ("a | b", r"a \| b"),
        ("`code` **bold**", r"\`code\` \*\*bold\*\*"),
        ("- item\n- item", r"\- item - item"),
        ("2. second", r"2\. second"),
        ("4.5 and snake_case", "4.5 and snake_case"),
        ("_em_", r"\_em\_"),
        ("<script>&", "&lt;script>&amp;"),
        ("[x](http://a.b)", r"\[x\](http\://a.b)"),
        ("WWW.a.b and www.c.d", r"WWW\.a.b and www\.c.d"),
        ("---", r"\---"),
        ("\x1b[31mred\x07", r"\\x1b\[31mred\\x07"),
        ("a\u202eb", r"a\\u202eb"),
    ],
)
def test_markup_is_escaped(text: str, expected: str) -> None:
    assert escape(text) == expected


def test_an_answer_cannot_leave_its_cell() -> None:
    hostile = "| a |\n# Heading\n```\n<script>alert(1)</script>"
    question = QuestionResult(question_id="q|1", question_text="# What?", actual_answer=hostile)
    result = FrameworkEvaluation(framework_name="An|chor", scenario_name="s", questions=(question,))
    report = markdown_report(compare([("a.json", result)]))
    headings = [line for line in report.splitlines() if line.startswith("#")]
    assert headings[-1] == r"### q\|1"
    assert "<script>" not in report
    assert "```" not in report
    table = [line for line in report.splitlines() if line.startswith("| An")]
    assert len(table) == 1
    assert table[0].count(" | ") == 1


def test_repeated_runs_show_their_deviation() -> None:
    averaged = FrameworkEvaluation(
        framework_name="A",
        scenario_name="s",
        avg_correctness=4.25,
        run_count=3,
        extra_aggregates={"correctness_run_stddev": 0.5},
    )
    assert "| 4.2 ±0.50 |" in markdown_report(compare([("a.json", averaged)]))


def test_a_file_given_twice_has_two_columns() -> None:
    result = FrameworkEvaluation(framework_name="Anchor", scenario_name="s", avg_latency=1.0)
    report = markdown_report(compare([("a.json", result), ("a.json", result), ("b.json", result)]))
    assert "| Metric | Anchor (a.json) | Anchor (a.json) #2 | Anchor (b.json) |" in report
