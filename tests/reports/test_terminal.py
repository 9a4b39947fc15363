"""The comparison on a terminal: tables that fit it, and answers that stay text."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from trajmeter.frameworks.comparison import compare
from trajmeter.frameworks.report import print_comparison
from trajmeter.records import FrameworkEvaluation, QuestionResult

NAMES = ("LangGraph", "Pydantic AI", "smolagents", "CrewAI", "AutoGen", "Haystack", "\x1b[31mDSPy")


def printed(width: int) -> str:
    results = []
    for name in NAMES:
        question = QuestionResult(
            question_id="q", question_text="?", latency_seconds=1.0, correctness_score=4.0
        )
        results.append(
            FrameworkEvaluation(framework_name=name, scenario_name="s", questions=(question,))
        )
    stream = io.StringIO()
    compared = compare([(f"{i}.json", result) for i, result in enumerate(results)])
    print_comparison(compared, Console(file=stream, width=width))
    return stream.getvalue()


@pytest.mark.parametrize("width", [60, 80])
def test_frameworks_that_do_not_fit_go_on_in_another_table_and_no_word_is_broken(
    width: int,
) -> None:
    lines = printed(width).splitlines()
    assert "Summary (continued)" in lines
    tables = lines[1:]
    assert all(len(line) <= width for line in tables)
    shown = " ".join(tables).replace("(continued)", "")
    for word in ("LangGraph", "smolagents", r"\x1b[31mDSPy", "Correctness", "Efficiency"):
        assert word in shown


def test_one_table_holds_them_all_where_there_is_room() -> None:
    assert "(continued)" not in printed(200)
