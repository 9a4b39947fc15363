"""Turns of attempts in a report, found by what their rows are known by."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trajmeter.errors import InputError
from trajmeter.frameworks.report_turns import report_turns
from trajmeter.metrics import TaskIndex
from trajmeter.readers import read_tasks, read_trajectories
from trajmeter.records import Extent, GoldRange, Source, Task, Trajectory, Turn, View
from trajmeter.reports.results.turns import read_turns


def trajectory(task: str, *, line: int = 1, text: str = "looked") -> Trajectory:
    view = View(path="a.py", extent=Extent.LINES, start=1, end=2)
    return Trajectory(
        task_id=task,
        agent="wren",
        source=Source(file="runs.jsonl", line=line),
        turns=(Turn(text=text, views=(view,)),),
        final_output="done",
    )


def identity(task: str, source: str = "runs.jsonl:1") -> dict[str, str | None]:
    return {"task_id": task, "agent": "wren", "model": None, "attempt": None, "source": source}


def test_views_stand_against_gold() -> None:
    gold = (GoldRange(path="a.py", first_line=1, last_line=4),)
    turns = read_turns([trajectory("t1")], TaskIndex([Task(id="t1", gold_ranges=gold)]))
    blocks = turns.of(identity("t1"))
    facts = [value for block in blocks for _, value in block.facts]
    assert any("gold seen: 100% of files, 50% of lines" in fact for fact in facts)
    shown = [cell for block in blocks for row in block.rows for cell in row]
    assert "view a.py:1-2" in shown
    assert any(block.text == "looked" for block in blocks)
    assert (turns.found, turns.missed) == (1, 0)


def test_each_range_of_gold_has_the_turns_at_which_it_was_seen() -> None:
    def lines(start: int, end: int, path: str = "a.py") -> Turn:
        return Turn(views=(View(path=path, extent=Extent.LINES, start=start, end=end),))

    gold = tuple(
        GoldRange(path=path, first_line=first, last_line=last)
        for path, first, last in (("a.py", 1, 4), ("a.py", 11, 14), ("b.py", 1, 2))
    )
    turns = (lines(9, 9), Turn(views=()), Turn(text="thinks"), lines(3, 11), lines(1, 2))
    read = Trajectory(task_id="t1", turns=turns)
    found = read_turns([read], TaskIndex([Task(id="t1", gold_ranges=gold)]))
    identity = {"task_id": "t1", "agent": None, "model": None, "attempt": None, "source": None}
    (block,) = (each for each in found.of(identity) if each.title == "gold")
    assert block.header == ("gold", "file seen at", "first lines at", "all lines at", "lines seen")
    assert block.rows == (
        ("a.py:1-4", "turn 1", "turn 4", "turn 5", "100%"),  # lines 3 and 4, then 1 and 2
        ("a.py:11-14", "turn 1", "turn 4", "never", "25%"),
        ("b.py:1-2", "never", "never", "never", "0%"),
    )


def test_without_views_nothing_is_said_of_gold() -> None:
    gold = (GoldRange(path="a.py", first_line=1, last_line=4),)
    silent = Trajectory(task_id="t1", agent="wren", turns=(Turn(text="looked"),))
    turns = read_turns([silent], TaskIndex([Task(id="t1", gold_ranges=gold)]))
    assert "gold" not in {block.title for block in turns.of(identity("t1"))}


def test_with_snapshots_gold_is_counted_in_definitions_and_bytes() -> None:
    example = Path(__file__).parents[3] / "examples" / "context"
    found = report_turns(
        example / "predictions.jsonl",
        [*read_tasks(example / "gold.jsonl")],
        snapshots=example / "snapshots.jsonl",
    )
    (first, *_) = read_trajectories(example / "predictions.jsonl")
    names = ("task_id", "agent", "model", "attempt")
    identity = {name: getattr(first, name) for name in names} | {"source": str(first.source)}
    facts = [value for block in found.of(identity) for _, value in block.facts]
    pattern = r"gold seen: \d+% of files, \d+% of definitions, \d+% of bytes"
    assert any(re.search(pattern, fact) for fact in facts)


def test_more_tasks_than_are_kept_are_read_again() -> None:
    gold = (GoldRange(path="a.py", first_line=1, last_line=4),)
    tasks = TaskIndex([Task(id=f"t{n}", gold_ranges=gold) for n in range(70)])
    names = [*(f"t{n}" for n in range(70)), "t0"]
    found = read_turns([trajectory(name, line=n) for n, name in enumerate(names, 1)], tasks)
    for name, line in (("t0", 71), ("t69", 70)):
        blocks = found.of(identity(name, f"runs.jsonl:{line}"))
        assert "50%" in {cell for block in blocks for row in block.rows for cell in row}


def test_a_log_at_another_path_is_found_by_its_names() -> None:
    turns = read_turns([trajectory("t1")])
    assert turns.of(identity("t1", "elsewhere/runs.jsonl:9"))[0].title == "run"


def test_the_source_tells_attempts_of_equal_names_apart() -> None:
    turns = read_turns([trajectory("t1", text="one"), trajectory("t1", line=2, text="two")])
    texts = [block.text for block in turns.of(identity("t1", "runs.jsonl:2"))]
    assert "two" in texts
    (block,) = turns.of(identity("t1", "other.jsonl:1"))
    assert block.facts == (("not shown", "several trajectories have its names"),)
    (block,) = turns.of(identity("t9"))
    assert block.facts == (("not shown", "no trajectory has its names"),)
    assert (turns.found, turns.missed) == (1, 2)


def test_of_more_than_the_limit_it_says_so() -> None:
    turns = read_turns([trajectory("t1"), trajectory("t2")], limit=1)
    (block,) = turns.of(identity("t2"))
    assert block.facts[0][1].startswith("not among the first 1;")


@pytest.mark.parametrize("text", ["x" * 5000, "line\n" * 100])
def test_long_texts_are_cut_and_say_so(text: str) -> None:
    blocks = read_turns([trajectory("t1", text=text)]).of(identity("t1"))
    shown = max((block.text for block in blocks), key=len)
    assert len(shown) < 3100
    assert "trajmeter view shows all" in shown


def test_trajectories_and_logs_are_not_read_together() -> None:
    mixed: list[object] = [trajectory("t1"), "runs.jsonl"]
    with pytest.raises(InputError, match=r"trajectories\[1\] is 'runs.jsonl' \(str\)"):
        report_turns(mixed)  # type: ignore[arg-type]  # on purpose
