"""Turns of attempts in a report, found by what their rows are known by."""

from __future__ import annotations

import pytest

from trajmeter.metrics import TaskIndex
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
