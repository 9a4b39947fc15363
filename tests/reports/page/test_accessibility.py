"""Reports held against the rules of axe-core: they may find nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from tests.reports.page.reports_of_attempts import few_attempts, report_of
from trajmeter.cli import main
from trajmeter.reports.page.rendering import html_document

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytest.importorskip("jinja2", reason="jinja2 is not installed")
expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
)

EXAMPLES = Path(__file__).parents[3] / "examples"


def faults_of(page: Page) -> list[tuple[str, str]]:
    found = axe.Axe().run(page).response
    assert len(found["passes"]) > 15  # the rules did run
    return [(fault["id"], node["html"]) for fault in found["violations"] for node in fault["nodes"]]


def shown(page: Page) -> None:
    """Wait until the table, or one attempt, is there."""
    part = page.locator("#attempts-list, #attempts-detail").locator("visible=true")
    expect(part).to_have_count(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", ["#attempts", "#attempt=2"])
@pytest.mark.parametrize("width", [500, 1200])
def test_no_fault_is_found(
    tmp_path: Path, browser: Browser, scheme: Literal["light", "dark"], address: str, width: int
) -> None:
    file = tmp_path / "report.html"
    file.write_text(html_document(report_of(few_attempts())), encoding="utf-8")
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    page.goto(f"{file.as_uri()}{address}")
    shown(page)
    page.locator("details.fold").first.locator("summary").click()
    found = faults_of(page)
    page.close()
    assert found == []


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the bundled context example, which opens to turns against gold."""
    folder = tmp_path_factory.mktemp("example")
    log, gold, snapshots = (
        os.fspath(EXAMPLES / "context" / name)
        for name in ("predictions.jsonl", "gold.jsonl", "snapshots.jsonl")
    )
    rows, file = os.fspath(folder / "context.jsonl"), folder / "report.html"
    assert main(["score", log, "-t", gold, "--snapshots", snapshots, "-o", rows]) == 0
    assert main(["report", rows, "-t", gold, "--trajectories", log, "-o", os.fspath(file)]) == 0
    return file


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", ["", "#attempt=0"])
def test_no_fault_is_found_in_the_report_of_an_example(
    example: Path, browser: Browser, scheme: Literal["light", "dark"], address: str
) -> None:
    page = browser.new_page(color_scheme=scheme, viewport={"width": 500, "height": 900})
    page.goto(f"{example.as_uri()}{address}")
    shown(page)
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    found = faults_of(page)
    is_wide = page.evaluate("document.documentElement.scrollWidth") > 500
    page.close()
    assert (found, is_wide) == ([], False)
