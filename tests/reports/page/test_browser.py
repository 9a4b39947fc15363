"""The page of a report in headless Chromium: the table of attempts, light and dark, print."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.reports.page.reports_of_attempts import HOSTILE, few_attempts, many_attempts, report_of
from trajmeter.reports.page.attempts import AttemptTable, NumberColumn, SharedTable
from trajmeter.reports.page.rendering import html_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page

pytest.importorskip("jinja2", reason="jinja2 is not installed")
expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "few.html"
    file.write_text(html_document(report_of(few_attempts(), hostile=HOSTILE)), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "many.html"
    file.write_text(html_document(report_of(many_attempts(100_000))), encoding="utf-8")
    return file


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a page, and at the end checks that it asked for nothing and raised nothing."""
    requests: list[str] = []
    problems: list[str] = []
    pages = []

    def open_page(file: Path | None = None, address: str = "", **options: Any) -> Page:
        page = browser.new_page(**options)
        page.on("request", lambda request: requests.append(request.url))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text))
        if file is not None:
            page.goto(f"{file.as_uri()}{address}")
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert {request.partition(":")[0] for request in requests} <= {"file", "blob"}
    assert len([request for request in requests if request.startswith("file")]) == len(pages)
    assert problems == []


def column(page: Page, number: int) -> list[str]:
    cells = page.locator(f"#attempts-table tbody tr > :nth-child({number})")
    return cells.all_inner_texts()


def heading_of(page: Page, name: str) -> Locator:
    return page.locator("#attempts-table").get_by_role("columnheader", name=name)


def status(page: Page, text: str) -> None:
    expect(page.locator("#attempts-status")).to_have_text(text)


def test_values_are_shown_as_in_the_other_reports_and_missing_ones_are_not_zero(
    few: Path, opened: Callable[..., Page]
) -> None:
    page = opened(few)
    status(page, "6 rows")
    assert column(page, 4) == ["0.500", "0.250", "-", "1.000", "0.750", "4.0e-4"]
    assert column(page, 5) == ["1,000,000", "2", "3", "4", "5", "6"]
    assert column(page, 6) == ["yes", "no", "-", "yes", "no", "no"]
    assert column(page, 3)[4] == "-"


def test_search_finds_every_word_in_any_text(few: Path, opened: Callable[..., Page]) -> None:
    page = opened(few)
    search = page.get_by_role("searchbox")
    search.fill("HERON t2")
    status(page, "1 of 6 rows")
    assert column(page, 1) == ["t2"]
    search.fill("</script>")
    status(page, "2 of 6 rows")
    search.fill("nothing of the kind")
    status(page, "0 of 6 rows")
    search.fill("")
    status(page, "6 rows")


def test_any_column_sorts_both_ways_and_back_with_missing_values_last(
    few: Path, opened: Callable[..., Page]
) -> None:
    page = opened(few)
    heading = heading_of(page, "f1")
    heading.get_by_role("button").click()
    expect(heading).to_have_attribute("aria-sort", "ascending")
    assert column(page, 4) == ["4.0e-4", "0.250", "0.500", "0.750", "1.000", "-"]
    heading.get_by_role("button").click()
    expect(heading).to_have_attribute("aria-sort", "descending")
    assert column(page, 4) == ["1.000", "0.750", "0.500", "0.250", "4.0e-4", "-"]
    heading.get_by_role("button").click()
    expect(heading).not_to_have_attribute("aria-sort", re.compile("."))
    assert column(page, 4)[0] == "0.500"
    tasks = heading_of(page, "task")
    tasks.get_by_role("button").click()
    expect(tasks).to_have_attribute("aria-sort", "ascending")
    assert column(page, 1) == [HOSTILE, HOSTILE, "t2", "t2", "t10", "t10"]  # numbers as numbers


def test_an_outcome_filters_and_is_kept_when_sorting(
    few: Path, opened: Callable[..., Page]
) -> None:
    page = opened(few)
    page.get_by_role("combobox", name="outcome").select_option("scored")
    status(page, "3 of 6 rows")
    heading_of(page, "tokens").get_by_role("button").click()
    expect(heading_of(page, "tokens")).to_have_attribute("aria-sort", "ascending")
    assert column(page, 5) == ["2", "4", "1,000,000"]
    status(page, "3 of 6 rows")


def test_an_attempt_opens_with_all_that_is_known_and_back_returns_to_the_list(
    few: Path, opened: Callable[..., Page]
) -> None:
    page = opened(few)
    page.get_by_role("searchbox").fill("t2")
    status(page, "2 of 6 rows")
    page.locator("#attempts-table").get_by_role("link").nth(1).click()
    detail = page.get_by_role("article")
    expect(detail.locator("h3")).to_have_text("t2 · magpie · scored")
    expect(detail.locator("h3")).to_be_focused()
    expect(page).to_have_url(re.compile("#attempt=3$"))
    assert detail.locator("dd").all_inner_texts() == ["missing_gold", "none of attempt 3"]
    assert detail.locator("tbody tr").first.locator("td").all_inner_texts() == [
        "1",
        "a.py of attempt 3",
    ]
    assert detail.locator("pre").first.inner_text() == "first line\nsecond line of attempt 3"
    assert not detail.locator("pre").nth(1).is_visible()
    detail.locator("summary").click()
    assert detail.locator("pre").nth(1).inner_text() == "of attempt 3"
    detail.get_by_role("link", name="Previous").click()
    expect(detail.locator("h3")).to_have_text("t2 · heron · not_scored")
    assert not detail.get_by_role("link", name="Previous").is_visible()  # the first that was found
    page.go_back()
    page.go_back()
    status(page, "2 of 6 rows")
    assert page.get_by_role("searchbox").input_value() == "t2"
    expect(page.locator("#attempts-table").get_by_role("link").nth(1)).to_be_focused()
    page.go_forward()
    expect(detail.locator("h3")).to_have_text("t2 · magpie · scored")
    detail.get_by_role("link", name="Back to the table").click()
    status(page, "2 of 6 rows")


def test_an_address_opens_an_attempt_or_a_list(few: Path, opened: Callable[..., Page]) -> None:
    page = opened(few, "#attempt=2")
    expect(page.locator("#attempts-opened")).to_have_text("t2 · heron · not_scored")
    page = opened(few, "#search=magpie&sort=-context.f1")
    status(page, "2 of 6 rows")
    assert column(page, 4) == ["1.000", "0.250"]
    page = opened(few, "#is.agent=of+another+report")
    status(page, "0 of 6 rows")
    for number in ("99", "-1", ""):
        page = opened(few, f"#attempt={number}")
        expect(page.locator("#attempts-opened")).to_contain_text("no attempt of this number")


def test_other_parts_are_reached_without_losing_the_search(
    few: Path, opened: Callable[..., Page]
) -> None:
    page = opened(few)
    page.get_by_role("searchbox").fill("t2")
    status(page, "2 of 6 rows")
    page.get_by_role("navigation", name="Parts of the report").get_by_role("link").first.click()
    expect(page).to_have_url(re.compile("#quality$"))
    status(page, "2 of 6 rows")


def test_the_keyboard_is_enough(few: Path, opened: Callable[..., Page]) -> None:
    page = opened(few)
    status(page, "6 rows")
    page.get_by_role("searchbox").focus()
    page.keyboard.type("magpie t2")
    status(page, "1 of 6 rows")
    heading_of(page, "f1").get_by_role("button").focus()
    page.keyboard.press("Enter")
    expect(heading_of(page, "f1")).to_have_attribute("aria-sort", "ascending")
    page.locator("#attempts-table").get_by_role("link").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#attempts-opened")).to_be_focused()


def test_no_text_becomes_markup(few: Path, opened: Callable[..., Page]) -> None:
    page = opened(few, "#attempt=5")
    detail = page.get_by_role("article")
    expect(detail.locator("h3")).to_have_text(" · ".join([HOSTILE] * 3))
    assert detail.locator("pre").first.inner_text() == f"first line\nsecond line {HOSTILE}"
    assert detail.locator("th").nth(1).inner_text() == f"views {HOSTILE}"
    assert detail.locator("summary").inner_text() == f"Reasoning {HOSTILE}"
    page.get_by_role("link", name="Back to the table").click()
    assert column(page, 2)[5] == HOSTILE
    page.get_by_role("combobox", name="outcome").select_option(HOSTILE)
    status(page, "1 of 6 rows")
    assert page.title() == f"Report {HOSTILE}"
    assert page.evaluate("document.images.length") == 0


def test_tables_of_the_page_sort(few: Path, opened: Callable[..., Page]) -> None:
    page = opened(few)
    table = page.locator("section#quality > .scroll > table")
    table.get_by_role("columnheader", name="precision").get_by_role("button").click()
    assert table.locator("tbody th").all_inner_texts() == ["heron", "magpie"]
    table.get_by_role("columnheader", name="agent").get_by_role("button").click()
    table.get_by_role("columnheader", name="agent").get_by_role("button").click()
    assert table.locator("tbody th").all_inner_texts() == ["magpie", "heron"]


def test_light_and_dark_differ_in_page_and_charts(few: Path, opened: Callable[..., Page]) -> None:
    colours = {}
    for scheme in ("light", "dark"):
        page = opened(few, color_scheme=scheme)
        style = "(element, name) => getComputedStyle(element)[name]"
        ground = page.locator("body").evaluate(style, "backgroundColor")
        text = page.locator(".chart text:not(.quiet)").first.evaluate(style, "fill")
        dot = page.locator(".chart circle").first.evaluate(style, "fill")
        colours[scheme] = (ground, text, dot)
    assert colours["light"] == ("rgb(255, 255, 255)", "rgb(28, 33, 40)", "rgb(31, 111, 197)")
    assert colours["dark"] == ("rgb(13, 17, 23)", "rgb(230, 237, 243)", "rgb(108, 178, 255)")


def test_values_of_a_shared_table_stand_beside_their_labels(
    tmp_path: Path, opened: Callable[..., Page]
) -> None:
    """A row for each value that there is, whatever its label says; no table without any."""
    table = SharedTable(f"family {HOSTILE}", ("figure", "value"), ("a", HOSTILE, "c"), (1,))
    folded = SharedTable("counts", ("column", "value"), ("only",), folded=True)
    details = [
        '[{"table":0,"values":["0.25",null,"3"]},{"table":1,"values":["7"]}]',
        '[{"table":0,"facts":[["final","not scored"]]}]',
        '[{"table":0,"values":[null,"5 (outside the mean)",null]}]',
    ]
    column = NumberColumn("a", "a", np.array([0.25, np.nan, np.nan]))
    file = tmp_path / "shared.html"
    shared = AttemptTable("Attempts", (column,), details, (table, folded))
    file.write_text(html_document(report_of(shared, hostile=HOSTILE)), encoding="utf-8")
    page = opened(file, "#attempt=0")
    blocks = page.locator("#attempts-blocks")
    expect(blocks.locator("h4")).to_have_text(f"family {HOSTILE}")
    expect(blocks.locator("section tbody tr")).to_have_text(["a0.25", "c3"])
    expect(blocks.locator("section tbody td.number")).to_have_text(["0.25", "3"])
    expect(blocks.locator("summary")).to_have_text("counts")
    expect(blocks.locator("details tbody tr")).to_have_text(["only7"])
    page.get_by_role("link", name="Next").click()
    expect(blocks.locator("dd")).to_have_text("not scored")
    expect(blocks.locator("table")).to_have_count(0)
    page.get_by_role("link", name="Next").click()
    expect(blocks.locator("tbody tr")).to_have_text([f"{HOSTILE}5 (outside the mean)"])


@pytest.mark.parametrize("width", [390, 500])
@pytest.mark.parametrize("address", ["", "#attempt=5"])
def test_a_narrow_page_scrolls_its_tables_and_not_itself(
    few: Path, opened: Callable[..., Page], address: str, width: int
) -> None:
    page = opened(few, address, viewport={"width": width, "height": 900})
    expect(page.locator("#attempts-list, #attempts-detail").locator("visible=true")).to_have_count(
        1
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    size = "text => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a"
    assert page.locator(".chart text").first.evaluate(size) >= 9.5  # pixels
    edges = "charts => charts.map(chart => chart.getBoundingClientRect().right)"
    assert max(page.locator(".chart").evaluate_all(edges)) <= width


def test_print_is_light_fits_its_sheet_and_leaves_controls_out(
    few: Path, opened: Callable[..., Page]
) -> None:
    page = opened(few, color_scheme="dark", viewport={"width": 700, "height": 990})
    status(page, "6 rows")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("document.documentElement.scrollWidth") <= 700
    assert not page.get_by_role("searchbox").is_visible()
    assert page.locator("#attempts-table tbody tr").count() == 6
    assert page.locator(".chart").first.is_visible()


def test_without_scripts_everything_but_the_attempts_reads(
    few: Path, opened: Callable[..., Page]
) -> None:
    page = opened(few, java_script_enabled=False)
    expect(page.locator("noscript p")).to_contain_text("needs JavaScript")
    assert page.locator(".chart").first.is_visible()
    assert page.locator("section#quality > .scroll tbody td").first.is_visible()
    assert not page.locator("#attempts-list").is_visible()


@pytest.mark.parametrize(
    ("part", "place", "said"),
    [
        ("column-3", "#attempts-status", "The table cannot be shown: "),
        ("details-0", "#attempts-blocks", "It cannot be shown: "),
    ],
)
def test_a_damaged_file_says_so(
    tmp_path: Path, few: Path, browser: Browser, part: str, place: str, said: str
) -> None:
    damaged = tmp_path / "damaged.html"
    text = few.read_text(encoding="utf-8")
    damaged.write_text(re.sub(f'(id="attempts-{part}">)....', r"\1AAAA", text), encoding="utf-8")
    page = browser.new_page()
    page.goto(f"{damaged.as_uri()}#attempt=0")
    expect(page.locator(place)).to_contain_text(said)
    page.close()


def test_a_hundred_thousand_attempts_open_within_two_seconds(
    many: Path, opened: Callable[..., Page]
) -> None:
    page = opened()
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(many.as_uri())
    status(page, "100,000 rows")
    metrics = session.send("Performance.getMetrics")["metrics"]
    (seconds,) = (each["value"] for each in metrics if each["name"] == "TaskDuration")
    assert 0.05 < seconds < 2.0  # of the page's thread, whatever else runs
    assert page.locator("#attempts-table tbody tr").count() == 50
    assert page.locator("#attempts-page").inner_text() == "Page 1 of 2,000"
    page.get_by_role("button", name="Next page").click()
    expect(page.locator("#attempts-page")).to_have_text("Page 2 of 2,000")
    page.get_by_role("searchbox").fill("task-9999 magpie")
    status(page, "10 of 100,000 rows")
    heading_of(page, "source").get_by_role("button").click()
    expect(heading_of(page, "source")).to_have_attribute("aria-sort", "ascending")
    assert column(page, 3)[:2] == ["log.jsonl:9999", "log.jsonl:19999"]
    page.locator("#attempts-table").get_by_role("link").first.click()
    expect(page.locator("#attempts-blocks dd").nth(1)).to_have_text("none of attempt 9999")
