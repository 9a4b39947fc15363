"""Tables of a dozen systems: as wide as the page, the paper, or a narrow window lets them be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import trajmeter

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytest.importorskip("jinja2", reason="jinja2 is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("scipy", reason="scipy is not installed")
expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

FIGURES = ("coverage", "precision", "f1")

# Tables that are wider than what shows them, outside of folds that are closed.
TOO_WIDE = """() => [...document.querySelectorAll(".scroll")]
  .filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth + 1)
  .map((each) => `${each.closest("section").id}: ${each.scrollWidth}`)"""


@pytest.fixture(scope="module")
def twelve(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows: list[dict[str, Any]] = [
        {
            "task_id": f"repository__repository-{task}",
            "agent": f"an-agent-{system % 4}",
            "model": f"some-model-{system // 4}-480b",
            **{
                f"context.final.{granularity}.{figure}": (system + task % 5) / 20
                for granularity in ("file", "line")
                for figure in FIGURES
            },
            "turns.run.passed": (system + task) % 3 == 0,
            "turns.cost.cost_usd": 0.1 * (system + 1),
        }
        for system in range(12)
        for task in range(12)
    ]
    for place, row in enumerate(rows):
        is_lost = place % 7 == 0
        row["context.final.line.outcome"] = "not_scored" if is_lost else "scored"
        if is_lost:
            row |= {f"context.final.line.{figure}": None for figure in FIGURES}
    file = tmp_path_factory.mktemp("wide") / "twelve.html"
    trajmeter.report(rows).write(file)
    return file


def test_tables_fit_a_page_of_the_usual_width(twelve: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.goto(twelve.as_uri())
    names = page.locator("section#systems tbody th").all_inner_texts()
    assert len(names) == 12
    found = page.evaluate(TOO_WIDE)
    page.close()
    assert [each for each in found if not each.startswith("attempts")] == []  # it scrolls alone


def test_tables_fit_paper(twelve: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 700, "height": 990})
    page.goto(twelve.as_uri())
    expect(page.locator("#attempts-table tbody tr").first).to_be_visible()
    page.emulate_media(media="print")
    found = page.evaluate(TOO_WIDE)
    height = page.locator("#attempts-table tbody tr").first.bounding_box()
    page.close()
    assert found == []
    assert height is not None
    assert height["height"] < 100  # texts break into a few lines, not letter by letter


def test_long_names_leave_room_for_figures_on_a_phone(tmp_path: Path, browser: Browser) -> None:
    rows = [
        {"task_id": f"t{task}", "agent": f"{'long-name' * 9}{system}", "turns.run.passed": True}
        for task in range(3)
        for system in range(3)
    ]
    trajmeter.report(rows).write(tmp_path / "long.html")
    page = browser.new_page(viewport={"width": 390, "height": 900})
    page.goto((tmp_path / "long.html").as_uri())
    for table in ("section#systems table", "#attempts-table"):
        name = page.locator(f"{table} tbody tr").first.locator(":scope > *").first.bounding_box()
        assert name is not None
        assert name["width"] < 390 / 2
    page.close()


@pytest.mark.parametrize("width", [390, 500])
def test_a_narrow_window_scrolls_tables_and_keeps_names_in_sight(
    twelve: Path, browser: Browser, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(twelve.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    table = page.locator("section#systems .scroll")
    table.evaluate("each => { each.scrollLeft = each.scrollWidth; }")
    name, last = table.locator("tbody th").first, table.locator("tbody tr").first.locator("td").last
    first, end = name.bounding_box(), last.bounding_box()
    page.close()
    assert first is not None
    assert end is not None
    assert first["x"] >= 0
    assert first["x"] + first["width"] <= end["x"] + 1
