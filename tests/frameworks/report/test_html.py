"""The HTML report, opened in headless Chromium: charts, sorting, escaping, and no request."""

from __future__ import annotations

import json
import shutil
import subprocess
from html import unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from trajmeter.frameworks.comparison import compare
from trajmeter.frameworks.report import html_report
from trajmeter.records import FrameworkEvaluation, QuestionResult

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "</script><script>document.title = 'broken'</script><img src=x onerror=alert(1)>"

# Runs in the page once it is drawn, and leaves what it saw where the dump shows it.
PROBE = """
<script type="module">
setTimeout(() => {
  const table = document.querySelector("table.sortable");
  const button = table.tHead.rows[0].cells[1].querySelector("button");
  const column = () => [...table.tBodies[0].rows]
    .map((row) => row.cells[1].dataset.value).filter((value) => value !== undefined).map(Number);
  button.click();
  const ascending = column();
  button.click();
  const descending = column();
  const seen = {
    charts: document.querySelectorAll(".chart svg").length,
    title: document.title,
    ascending, descending,
    requests: performance.getEntriesByType("resource").length,
    images: document.images.length,
    wide: document.documentElement.scrollWidth > window.innerWidth,
  };
  const found = document.createElement("pre");
  found.id = "seen";
  found.textContent = JSON.stringify(seen);
  document.body.append(found);
}, 1500);
</script>
"""


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
    return html_report(compare([(f"{i}.json", e) for i, e in enumerate(evaluations)]))


class Markup(HTMLParser):
    """Collects every tag, and every attribute that could load something."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [name for name, _ in attrs if name in {"src", "href", "srcset"}]


def test_no_markup_of_an_answer_survives_and_nothing_is_loaded_from_elsewhere() -> None:
    html = report()
    markup = Markup()
    markup.feed(html)
    assert markup.tags.count("script") == 3  # data, chart runtime, the page's own
    assert not {"img", "link", "iframe"} & set(markup.tags)
    assert markup.addresses == []
    assert "default-src 'none'" in html


def test_nothing_in_the_data_of_charts_can_end_their_script_or_begin_a_comment() -> None:
    name = "</script x='<!-- <script "
    question = QuestionResult(question_id="q1", question_text="?", latency_seconds=1.0)
    evaluation = FrameworkEvaluation(framework_name=name, scenario_name="s", questions=(question,))
    html = html_report(compare([("a.json", evaluation)]))
    data = html.partition('id="specifications">')[2].partition("</script>")[0]
    assert "<" not in data
    (rows,) = json.loads(data)[0]["datasets"].values()
    assert rows[0]["framework"] == name


def browser() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if not found:
        pytest.skip("chromium is not installed")
    return found


@pytest.mark.parametrize("width", [1200, 500])
def test_a_browser_draws_sorts_and_asks_for_nothing(tmp_path: Path, width: int) -> None:
    page = tmp_path / "report.html"
    before, end, after = report().rpartition("</body>")
    page.write_text(before + PROBE + end + after, encoding="utf-8")
    dump = subprocess.run(
        [
            browser(),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            f"--user-data-dir={tmp_path / 'profile'}",
            f"--window-size={width},900",
            "--virtual-time-budget=8000",
            "--dump-dom",
            page.as_uri(),
        ],
        capture_output=True,
        check=True,
        text=True,
        timeout=120,
    ).stdout
    seen = json.loads(unescape(dump.split('<pre id="seen">', 1)[1].split("</pre>", 1)[0]))
    assert seen["charts"] == 4
    assert seen["title"].startswith("Framework comparison: harbour </script>")
    assert seen["ascending"] == sorted(seen["ascending"])
    assert seen["descending"] == seen["ascending"][::-1]
    assert (seen["requests"], seen["images"]) == (0, 0)
    assert not seen["wide"]
