"""A trajectory as an HTML page."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from tests.reports.trajectory.attempts import ATTEMPT, beside
from trajmeter.records import ToolCall, Trajectory, Turn, View
from trajmeter.reports.trajectory import Search, Surroundings, html_page, sections, terminal_lines


class Page(HTMLParser):
    """Elements and text of a page; unclosed elements fail."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.text += "" if tag in {"mark", "i"} else "\n"
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


def page(trajectory: Trajectory, around: Surroundings, pattern: str | None = None) -> str:
    search = None if pattern is None else Search(pattern)
    return "".join(html_page("a page", sections(trajectory, around), search=search))


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def test_the_page_holds_what_the_terminal_shows() -> None:
    lines = terminal_lines(sections(ATTEMPT, beside()), styled=False, full=True)
    shown = Page(page(ATTEMPT, beside()))
    page_text = re.sub(r"\d+ lines?$", "", shown.text, flags=re.MULTILINE)
    assert set(words("\n".join(lines))) <= set(words(page_text))


def test_the_page_runs_nothing_and_fetches_nothing() -> None:
    hostile = "<script>alert(1)</script>&amp;\"'\x1b[2J\u202e"
    attempt = Trajectory(
        task_id=hostile,
        agent=hostile,
        turns=(
            Turn(
                text=hostile,
                program=hostile,
                tool_calls=(ToolCall(name=hostile, arguments=hostile, result=hostile * 20),),
                views=(View(path=hostile, symbols=(hostile,)),),
            ),
        ),
        final_patch=f"{hostile}\n" * 20,
    )
    for pattern in (None, "alert", "script>"):
        text = page(attempt, Surroundings(), pattern)
        shown = Page(text)
        names = {tag for tag, _ in shown.elements}
        assert names <= {
            "html", "head", "meta", "title", "style", "body", "main", "section", "h1", "h2", "ul",
            "li", "p", "pre", "details", "summary", "small", "i", "mark",
        }  # fmt: skip
        allowed = {"lang", "charset", "http-equiv", "content", "name", "class", "open"}
        assert {key for _, values in shown.elements for key in values} <= allowed
        policies = [values["content"] for _, values in shown.elements if "http-equiv" in values]
        assert policies == [
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
        ]
        assert "<script>alert(1)</script>&amp;\"'\\x1b[2J\\u202e" in shown.text
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "http://" not in text
        assert "https://" not in text


def test_long_blocks_are_folded_and_opened_by_a_search() -> None:
    lines = "\n".join(f"line {number}" for number in range(100))
    attempt = Trajectory(task_id="t", final_output=lines, final_patch="short")

    def details(text: str) -> list[bool]:
        return ["open" in values for tag, values in Page(text).elements if tag == "details"]

    assert details(page(attempt, Surroundings())) == [False, True]
    searched = page(attempt, Surroundings(), "line 50")
    assert details(searched) == [True, True]
    assert "<mark>line 50</mark>" in searched
    found = sections(attempt, Surroundings())
    assert details("".join(html_page("t", found, full=True))) == [True, True]


def test_lines_of_a_repository_are_numbered() -> None:
    text = page(ATTEMPT, beside())
    assert "<pre><i>2</i>  two\n<i>3</i>  three</pre>" in text
