"""Tasks are found by id or alias, and two different tasks of one id are refused."""

from __future__ import annotations

import pytest

from trajmeter.errors import ConfigurationError
from trajmeter.metrics import TaskIndex
from trajmeter.records import Source, Task


def test_two_different_tasks_of_one_id_are_refused() -> None:
    first = Task(id="one", question="a", source=Source(file="gold.jsonl", line=1))
    second = Task(id="one", question="b", source=Source(file="gold.jsonl", line=9))
    with pytest.raises(ConfigurationError, match=r"'one': gold\.jsonl:1 and gold\.jsonl:9"):
        TaskIndex([first, second])


def test_two_different_tasks_of_one_document_are_both_named() -> None:
    first = Task(id="one", question="a", source=Source(file="gold.json", record="[0]"))
    second = Task(id="one", question="b", source=Source(file="gold.json", record="[4]"))
    with pytest.raises(ConfigurationError, match=r"'one': gold\.json: \[0\] and gold\.json: \[4\]"):
        TaskIndex([first, second])


def test_a_task_may_be_repeated() -> None:
    first = Task(id="one", source=Source(file="a.jsonl", line=1))
    second = Task(id="one", source=Source(file="b.jsonl", line=1))
    assert len(TaskIndex([first, second])) == 1


def test_an_id_goes_before_an_alias_and_a_shared_alias_leads_nowhere() -> None:
    index = TaskIndex(
        [Task(id="a", aliases=("b", "x")), Task(id="b"), Task(id="c", aliases=("x", "y"))]
    )
    found = {key: index.find(key) for key in "abcxyz"}
    ids = {key: task.id if task else None for key, task in found.items()}
    assert ids == {"a": "a", "b": "b", "c": "c", "x": None, "y": "c", "z": None}
