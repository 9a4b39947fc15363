"""Summaries of very many groups are made when they are looked at, and are no others."""

from __future__ import annotations

import json
import pickle
from copy import copy
from typing import TYPE_CHECKING

import pytest

from tests.metrics.fakes import AnswerMetric
from tests.summaries.batches import by_record, scored_attempts
from trajmeter.metrics import create
from trajmeter.records import Task, Trajectory
from trajmeter.reports.scores import score_report, to_markdown
from trajmeter.summaries import summarizer
from trajmeter.summaries.groups import LazyGroups, largest_groups
from trajmeter.summaries.summary import Summary
from trajmeter.writers import json_document, json_pieces

if TYPE_CHECKING:
    from trajmeter.metrics import AnyMetric, Scored
    from trajmeter.summaries.summarizer import Summarizer

TASKS = (Task(id="one", expected_answer="a b"),)


def _metrics() -> list[AnyMetric]:
    return [*create(["turns", "rules", "speedup"]), AnswerMetric()]


def _scored(agents: int) -> list[Scored]:
    attempts = [
        Trajectory(task_id="one", agent=f"agent-{number}", final_output="a", passed=True)
        for number in (*range(agents), 1)
    ]
    return scored_attempts(_metrics(), attempts, TASKS)


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any group is one too many to be made at once."""
    monkeypatch.setattr(summarizer, "_MADE_AT_ONCE", 0)


def _summarizer(agents: int = 3) -> Summarizer:
    return by_record(_metrics(), _scored(agents))


@pytest.mark.usefixtures("many")
def test_lazy_groups_are_the_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    lazy = _summarizer().summary()
    monkeypatch.undo()
    made = _summarizer().summary()
    assert isinstance(lazy.groups, LazyGroups)
    assert isinstance(made.groups, tuple)
    assert lazy == made
    assert made == lazy
    assert lazy.groups[1:] == made.groups[1:]
    assert lazy.groups[-1] == made.groups[-1]
    assert len(lazy.groups) == 3
    assert repr(lazy.groups) == "<LazyGroups: 3>"
    assert lazy.groups != made.groups[:2]
    assert lazy.groups != 3
    with pytest.raises(IndexError):
        lazy.groups[3]


@pytest.mark.usefixtures("many")
def test_lazy_groups_stay_what_they_were() -> None:
    counting = _summarizer()
    summary = counting.summary()
    before = tuple(summary.groups)
    counting.merge(_summarizer())
    assert tuple(summary.groups) == before
    assert [group.attempts for group in counting.summary().groups] == [2, 4, 2]


@pytest.mark.usefixtures("many")
def test_copies_hold_all_groups() -> None:
    summary = _summarizer().summary()
    groups = pickle.loads(pickle.dumps(summary)).groups  # noqa: S301 - our own bytes
    assert isinstance(groups, tuple)
    assert groups == tuple(summary.groups)
    assert copy(summary.groups) == groups


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("agents", [0, 1, 3])
def test_pieces_of_json_are_the_document(agents: int) -> None:
    summary = _summarizer(agents).summary() if agents else by_record(_metrics(), []).summary()
    text = "".join(json_pieces(summary))
    assert text == json_document(summary)
    assert json.loads(text) == summary.model_dump(mode="json")
    assert Summary.model_validate_json(text) == summary


def test_reports_show_the_largest_groups() -> None:
    summary = _summarizer(60).summary()
    largest = largest_groups(summary.groups, 3)
    assert [group.agent for group in largest] == ["agent-0", "agent-1", "agent-2"]
    report = to_markdown(score_report(summary))
    assert "the 50 largest of 60 groups" in report
    assert "agent-49" in report
    assert "agent-50" not in report
