"""``trajmeter report``, and ``-o x.html`` of other commands."""

from __future__ import annotations

import json
import re
import sys
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.reports.page.reports_of_attempts import details_of_page
from tests.summaries.tables import F1, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., tuple[int, str, str]]

pytest.importorskip("pyarrow")
pytest.importorskip("scipy")

EXAMPLE = Path(__file__).parents[2] / "examples" / "context"
SCORE = [
    "score", str(EXAMPLE / "predictions.jsonl"), "-t", str(EXAMPLE / "gold.jsonl"),
    "-s", str(EXAMPLE / "snapshots.jsonl"),
]  # fmt: skip


@pytest.fixture
def tables(folder: Path) -> list[str]:
    for name, shift in {"old": 0.0, "new": 0.25}.items():
        values = {f"t{n}": [shift + n / 40] for n in range(12)}
        lines = (json.dumps(row) + "\n" for row in rows_of(values, agent=name))
        (folder / f"{name}.jsonl").write_text("".join(lines))
    return ["old.jsonl", "new.jsonl"]


def page(file: Path) -> str:
    pytest.importorskip("jinja2")
    return file.read_text("utf-8")


def said(html: str) -> str:
    """Text of a page, without scripts."""
    visible = re.sub(r"<(script|style)\b.*?</\1>", " ", html, flags=re.DOTALL).replace("<wbr>", "")
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", visible)))


def test_a_page_and_markdown_say_the_same(run: Run, folder: Path, tables: list[str]) -> None:
    pytest.importorskip("jinja2")
    code, out, err = run("report", *tables, "-o", "a/r.html", "-o", "a/r.md", "--title", "Weekly")
    wrote = ["trajmeter: wrote a/r.html", "trajmeter: wrote a/r.md"]
    assert (code, out, err.splitlines()) == (0, "", wrote)
    text, markdown = said(page(folder / "a/r.html")), (folder / "a/r.md").read_text()
    sentence = "new is better than old at context.line.f1: 0.388 against 0.138"
    assert sentence in text
    assert sentence in markdown.replace("\\", "")
    assert "Weekly" in text
    assert markdown.startswith("## Weekly")
    assert len(details_of_page(page(folder / "a/r.html"))) == 24


def test_a_terminal_shows_headlines_and_tables(run: Run, tables: list[str]) -> None:
    code, out, _ = run("report", *tables)
    assert (code, out.splitlines()[0]) == (0, "Scores of old, new")
    assert "new against old" in out
    assert "Provenance" in out
    assert run("report", *tables, "-f", "md")[1].startswith("## Scores of old, new")


def test_score_writes_rows_and_a_report_of_them(run: Run, folder: Path) -> None:
    pytest.importorskip("jinja2")
    code, _, err = run(*SCORE, "-o", "s.parquet", "-o", "s.html")
    assert code == 0
    assert "trajmeter: wrote s.html" in err
    assert "trajmeter: wrote 8 rows to s.parquet" in err
    html = page(folder / "s.html")
    text = said(html)
    assert "s.parquet" in text
    assert "predictions.jsonl" in text
    assert "--snapshots" not in text
    (first, *_) = details_of_page(html)
    titles = [block.get("title", "") for block in first]
    assert "Turn 1 of 3" in titles or any(title.startswith("Turn 1 of") for title in titles)


def test_a_parquet_file_says_how_it_was_made(run: Run, folder: Path) -> None:
    from pyarrow import parquet

    assert run(*SCORE, "-o", "s.parquet")[0] == 0
    metadata = parquet.read_metadata(folder / "s.parquet").metadata or {}
    made = json.loads(metadata[b"trajmeter.run"])
    assert [Path(each["path"]).name for each in made["inputs"]] == [
        "predictions.jsonl", "gold.jsonl", "snapshots.jsonl",
    ]  # fmt: skip
    assert all(len(each["sha256"]) == 64 for each in made["inputs"])
    assert made["judge"] is None
    out = run("report", "s.parquet")[1]
    assert made["started_at"] in out
    assert made["inputs"][0]["sha256"] in out.replace("\n", "")


def test_a_folder_of_parts_says_what_it_was_made_from(run: Run, folder: Path) -> None:
    assert run(*SCORE, "-o", "parts/")[0] == 0
    out = run("report", "parts")[1]
    assert "Inputs of parts" in out
    inputs = ["predictions.jsonl", "gold.jsonl", "snapshots.jsonl"]
    assert [name for name in inputs if name in out] == inputs
    assert "Not recorded by parts: the command, and when it ran." in out
    (folder / "parts" / "manifest.json").write_text("[]")
    assert "Not recorded by parts: the command, its inputs" in run("report", "parts")[1]


def test_what_a_table_does_not_say_is_reported_as_missing(run: Run, tables: list[str]) -> None:
    out = run("report", *tables)[1]
    assert "Not recorded by old.jsonl, new.jsonl: the command, its inputs, and when it ran" in out


@pytest.mark.parametrize("rows", ["rows.jsonl", "rows.csv", None])
def test_rows_of_other_formats_make_the_same_report(
    run: Run, folder: Path, rows: str | None
) -> None:
    pytest.importorskip("jinja2")
    options = ["-o", rows] if rows is not None else []
    assert run(*SCORE, *options, "-o", "s.html")[0] == 0
    html = page(folder / "s.html")
    assert "Gold lines seen by step" in said(html)  # which CSV has no column for
    assert "rows.parquet" not in said(html)
    assert sorted(each.name for each in folder.glob("s.*")) == ["s.html"]


def test_turns_are_shown_from_logs(run: Run, folder: Path) -> None:
    pytest.importorskip("jinja2")
    assert run(*SCORE, "-o", "s.parquet")[0] == 0
    logs = ["--trajectories", SCORE[1], "-t", SCORE[3]]
    assert run("report", "s.parquet", *logs, "-o", "r.html")[0] == 0
    blocks = [block for own in details_of_page(page(folder / "r.html")) for block in own]
    facts = [value for block in blocks for _, value in block.get("facts", ())]
    assert any("gold seen:" in fact for fact in facts)


def test_gates_head_the_report_of_score(run: Run, folder: Path) -> None:
    pytest.importorskip("jinja2")
    code, _, _ = run(*SCORE, "-o", "s.html", "--fail-under", "context.line.f1=0.9")
    assert code == 1
    first = re.findall(r'<p class="headline (\w+)">([^<]*)', page(folder / "s.html"))[0]
    assert first[0] == "bad"
    assert first[1].startswith("Gate failed")


@pytest.mark.parametrize(
    ("command", "first"),
    [
        (["compare"], "new is better than old at"),
        (["summarize", "--by", "file"], "new is better than old at"),
        (["summarize"], "old is worse than new at"),  # agents by their names
    ],
)
def test_other_commands_write_the_page_too(
    run: Run, folder: Path, tables: list[str], command: list[str], first: str
) -> None:
    pytest.importorskip("jinja2")
    code, _, err = run(*command, *tables, "-o", "r.html")
    assert (code, err.strip().removeprefix("trajmeter: ")) == (0, "wrote r.html")
    assert f"{first} context.line.f1" in said(page(folder / "r.html"))


def test_a_row_that_cannot_be_read_is_reported_once(
    run: Run, folder: Path, tables: list[str]
) -> None:
    with (folder / "old.jsonl").open("a") as file:
        file.write(json.dumps({"task_id": "t99", "agent": "old", F1: "many"}) + "\n")
    code, out, err = run("report", *tables)
    assert (code, err.count("unreadable:")) == (4, 1)
    assert "new is better than old" in out


@pytest.mark.parametrize("command", ["report", "summarize"])
@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_a_page_counts_the_same_attempts_everywhere(
    run: Run, folder: Path, command: str, suffix: str
) -> None:
    pytest.importorskip("jinja2")
    rows = [row | {"x.size": 1.0} for row in rows_of({f"t{n:03}": [n / 200] for n in range(120)})]
    rows[110] |= {"x.size": "large"}
    rows[115] |= {F1: "many"}
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if suffix == "csv":
        cells = [[*rows[0]], *([*row.values()] for row in rows)]
        text = "".join(
            ",".join("" if each is None else str(each) for each in row) + "\n" for row in cells
        )
    (folder / f"t.{suffix}").write_text(text)
    code, _, err = run(command, f"t.{suffix}", "-o", "r.html")
    assert (code, err.count("unreadable:")) == (4, 2)
    html = page(folder / "r.html")
    assert "119 of 119 attempts scored, 119 tasks" in said(html)
    assert "attempts 119 tasks 119" in said(html)
    assert len(details_of_page(html)) == 119
    assert "119/119" in run("summarize", f"t.{suffix}")[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["report", "old.jsonl", "-o", "r.pdf"], "must end in .md or .html"),
        (["report", "old.jsonl", "-o", "folder.html"], "is a folder"),
        (["report", "old.jsonl", "-p", "framework-comparison"], "for results of frameworks"),
        (["report", "old.jsonl", "--trajectories", "absent"], "Path 'absent' does not exist"),
        (["report", "old.jsonl", "other.json"], "report files of one kind"),
        (["report", "old.jsonl", "--figure", "nothing"], "no figure 'nothing'"),
        (["report", "other.json", "--success", "x"], "success: for results tables"),
        ([*SCORE, "-o", "a.html", "-o", "b.html"], "one file of rows and one .html file"),
        ([*SCORE, "-o", "a.csv", "-o", "b.jsonl"], "one file of rows and one .html file"),
    ],
)
def test_refusals(
    run: Run, folder: Path, tables: list[str], words: list[str], message: str
) -> None:
    pytest.importorskip("jinja2")
    assert tables
    (folder / "folder.html").mkdir()
    (folder / "other.json").write_text('{"framework_name": "a"}')
    code, out, err = run(*words)
    assert (code, out, message in err) == (2, "", True)


def test_a_page_needs_jinja(
    run: Run, folder: Path, tables: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    for command in (["report", *tables], ["summarize", *tables], ["compare", *tables], SCORE):
        code, _, err = run(*command, "-o", "r.html")
        assert (code, "pip install 'trajmeter[report]'" in err) == (2, True)
    assert not (folder / "r.html").exists()
    assert run("report", *tables, "-o", "r.md")[0] == 0


def test_results_of_frameworks_are_reported_by_their_content(run: Run, folder: Path) -> None:
    pytest.importorskip("jinja2")
    answer = "The bridge opens at noon. " * 40
    for name in ("swift", "tern"):
        asked = {
            "question_id": "q1", "question_text": "When?", "actual_answer": answer,
            "judge_reasoning": "It names the hour.", "correctness_score": 4.0,
        }  # fmt: skip
        result = {"framework_name": name, "scenario_name": "harbour", "questions": [asked]}
        (folder / f"{name}.json").write_text(json.dumps(result))
    code, out, err = run("report", "swift.json", "tern.json", "-o", "r.html", "-o", "r.md")
    assert (code, out, err.count("wrote")) == (0, "", 2)
    blocks = [block for own in details_of_page(page(folder / "r.html")) for block in own]
    assert [block["text"] for block in blocks if block.get("title") == "Answer"] == [answer] * 2
    assert "It names the hour." in {block.get("text") for block in blocks}
    assert "swift.json" in said(page(folder / "r.html"))
    assert run("report", "swift.json")[1].startswith("Framework comparison: harbour")


def test_hostile_names_stay_text(run: Run, folder: Path) -> None:
    pytest.importorskip("jinja2")
    name = "</script><img src=x onerror=alert(1)>\u202e"
    rows = rows_of({name: [0.5], "b": [0.25], "c": ["<b>cause</b>"]}, agent=name)
    rows[0] |= {"context.error": name, "context.final.line.reason": name}
    (folder / "h.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run("report", "h.jsonl", "-o", "r.html", "--title", name)[0] == 0
    html = page(folder / "r.html")
    assert "<img" not in html
    assert "<b>cause" not in html
    assert "\u202e" not in html
    assert html.count("</script>") == html.count("<script")


@pytest.mark.parametrize("more", [[], ["--trajectories", str(EXAMPLE / "predictions.jsonl")]])
def test_snapshots_need_what_they_are_for(run: Run, tables: list[str], more: list[str]) -> None:
    snapshots = str(EXAMPLE / "snapshots.jsonl")
    code, _, err = run("report", *tables, "--snapshots", snapshots, *more)
    assert code == 2
    assert "pass trajectories and tasks too" in err
    code, _, err = run("report", *tables, "-s", snapshots, "--repos", ".", *more, *SCORE[2:4], *(
        [] if more else ["--trajectories", SCORE[1]]
    ))  # fmt: skip
    assert code == 2
    assert "snapshots and repos cannot be used together" in err


def test_a_table_without_a_readable_attempt_does_not_end_the_report(
    run: Run, folder: Path, tables: list[str]
) -> None:
    outcome = "context.final.line.outcome"
    rows = [json.loads(line) for line in (folder / tables[1]).read_text().splitlines()]
    lines = (json.dumps(row | {outcome: [1]}) + "\n" for row in rows)
    (folder / tables[1]).write_text("".join(lines))
    code, _, err = run("report", *tables, "-o", "r.md")
    assert (code, "trajmeter: wrote r.md" in err) == (4, True)
    assert f"new.jsonl:1: {outcome} is [1], expected text" in err
    assert "0.138" in (folder / "r.md").read_text()  # the mean of old: 0, 1, … 11 over 40


def test_a_figure_that_is_text_in_one_table_is_read_as_numbers(
    run: Run, folder: Path, tables: list[str]
) -> None:
    rows = [json.loads(line) for line in (folder / tables[1]).read_text().splitlines()]
    lines = (json.dumps(row | {F1: str(row[F1])}) + "\n" for row in rows)
    (folder / tables[1]).write_text("".join(lines))
    code, _, err = run("report", *tables, "-o", "r.md")
    assert (code, err) == (0, "trajmeter: wrote r.md\n")
    assert "0.388 against 0.138" in (folder / "r.md").read_text()


def test_a_figure_that_no_readable_attempt_has_is_not_charted(
    run: Run, folder: Path, tables: list[str]
) -> None:
    row = {"task_id": "t0", "agent": "c", "context.final.file.f1": []}
    (folder / "unread.jsonl").write_text(json.dumps(row) + "\n")
    code, _, err = run("report", "unread.jsonl", *tables, "-o", "r.md", "--by", "agent,file")
    assert (code, "trajmeter: wrote r.md" in err) == (4, True)
    assert "0.388 against 0.138" in (folder / "r.md").read_text()
