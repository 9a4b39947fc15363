"""Reports held against the rules of axe-core: nothing serious may be found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pytest

from tests.reports.page.reports_of_attempts import few_attempts, report_of
from trajmeter.reports.page.rendering import html_document

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytest.importorskip("jinja2", reason="jinja2 is not installed")
expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
)

_SERIOUS = {"serious", "critical"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", ["#attempts", "#attempt=2"])
@pytest.mark.parametrize("width", [500, 1200])
def test_nothing_serious_is_found(
    tmp_path: Path, browser: Browser, scheme: Literal["light", "dark"], address: str, width: int
) -> None:
    file = tmp_path / "report.html"
    file.write_text(html_document(report_of(few_attempts())), encoding="utf-8")
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    page.goto(f"{file.as_uri()}{address}")
    shown = page.locator("#attempts-list, #attempts-detail").locator("visible=true")
    expect(shown).to_have_count(1)
    page.locator("details.fold").first.locator("summary").click()
    found = axe.Axe().run(page).response
    assert len(found["passes"]) > 15  # the rules did run
    faults = [
        (fault["id"], node["html"])
        for fault in found["violations"]
        if fault["impact"] in _SERIOUS
        for node in fault["nodes"]
    ]
    page.close()
    assert faults == []
