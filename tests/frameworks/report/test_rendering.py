"""The report as Markdown, on a terminal, and as HTML, opened in headless Chromium."""

from __future__ import annotations

import io
import re
from html import unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from trajmeter.frameworks.comparison import build_comparison
from trajmeter.frameworks.report import html_report, markdown_report, print_comparison
from trajmeter.frameworks.result_files import NamedResult
from trajmeter.frameworks.results import FrameworkEvaluation, QuestionResult

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

HOSTILE = "</script><script>document.title = 'broken'</script><img src=x onerror=alert(1)>"


def report() -> str:
    evaluations = []
    for i, name in enumerate(("Anchor", f"Buoy {HOSTILE}")):
        question = QuestionResult(
            question_id="q1",
            question_text=f"What? {HOSTILE}",
            actual_answer=HOSTILE,
            latency_seconds=1.5 + i,
            total_tokens=1_000,
            estimated_cost_usd=0.01,
            correctness_score=4.0 - i,
            completeness_score=3.0,
            faithfulness_score=5.0,
        )
        evaluations.append(
            FrameworkEvaluation(
                framework_name=name, scenario_name=f"harbour {HOSTILE}", questions=(question,)
            )
        )
    return html_report(
        build_comparison([NamedResult(f"{i}.json", e) for i, e in enumerate(evaluations)])
    )


class Markup(HTMLParser):
    """Collects every tag, and every attribute that could load something."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        loading = {"src", "href", "srcset"}
        self.addresses += [value or "" for name, value in attrs if name in loading]


def test_no_markup_of_an_answer_survives_and_nothing_is_loaded_from_elsewhere() -> None:
    html = report()
    markup = Markup()
    markup.feed(html)
    executed = re.findall(r'<script type="(?!application/json|text/plain)', html)
    assert len(executed) == 1  # the page's own
    assert not {"img", "link", "iframe"} & set(markup.tags)
    assert [each for each in markup.addresses if not each.startswith("#")] == []
    assert "default-src 'none'" in unescape(html)


def test_what_reverses_or_hides_text_is_shown_as_such_in_html_and_markdown() -> None:
    hostile = "a\u202eb\u2066c\u200fd\u061ce\x1b[31m\nsecond line"
    question = QuestionResult(
        question_id=hostile, question_text=hostile, actual_answer=hostile, latency_seconds=1.0
    )
    evaluation = FrameworkEvaluation(
        framework_name=hostile, scenario_name=hostile, questions=(question,)
    )
    comparison = build_comparison([NamedResult("a.json", evaluation)])
    html, markdown = html_report(comparison), markdown_report(comparison)
    own = html.partition('<script type="module">')[0]
    for document in (own, markdown):
        assert not re.search("[\x1b\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", document)
    assert r"a\u202eb\u2066c\u200fd\u061ce\x1b[31m" in own
    (chart,) = re.findall("<svg.*?</svg>", own, re.DOTALL)
    assert r"a\u202eb" in chart


@pytest.mark.parametrize("width", [1200, 500])
def test_a_browser_draws_sorts_and_asks_for_nothing(
    tmp_path: Path, browser: Browser, width: int
) -> None:
    file = tmp_path / "report.html"
    file.write_text(report(), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 900})
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(file.as_uri())
    assert page.locator("figure svg").count() == 5
    assert page.title().startswith("Framework comparison: harbour </script>")
    table = page.locator("table.sortable").first
    heading = table.locator("th").nth(1)
    heading.get_by_role("button").click()
    column = "rows => rows.map(row => row.cells[1].dataset.value).filter(v => v).map(Number)"
    ascending = table.locator("tbody tr").evaluate_all(column)
    assert heading.get_attribute("aria-sort") == "ascending"
    assert len(ascending) > 1
    assert ascending == sorted(ascending)
    heading.get_by_role("button").click()
    assert table.locator("tbody tr").evaluate_all(column) == ascending[::-1]
    assert page.evaluate("document.images.length") == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert requests == [file.as_uri()]


def test_an_answer_cannot_leave_its_cell() -> None:
    hostile = "| a |\n# Heading\n```\n<script>alert(1)</script>"
    question = QuestionResult(question_id="q|1", question_text="# What?", actual_answer=hostile)
    result = FrameworkEvaluation(framework_name="An|chor", scenario_name="s", questions=(question,))
    report = markdown_report(build_comparison([NamedResult("a.json", result)]))
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
    assert "| 4.2 ±0.50 |" in markdown_report(build_comparison([NamedResult("a.json", averaged)]))


def test_a_file_listed_twice_has_two_columns() -> None:
    result = FrameworkEvaluation(framework_name="Anchor", scenario_name="s", avg_latency=1.0)
    report = markdown_report(
        build_comparison(
            [
                NamedResult("a.json", result),
                NamedResult("a.json", result),
                NamedResult("b.json", result),
            ]
        )
    )
    assert "| Metric | Anchor (a) | Anchor (a) #2 | Anchor (b) |" in report


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
    compared = build_comparison(
        [NamedResult(f"{i}.json", result) for i, result in enumerate(results)]
    )
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
