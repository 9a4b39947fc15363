"""Trials that batches cut."""

from __future__ import annotations

from itertools import chain, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.errors import InputError
from trajmeter.records import Trajectory
from trajmeter.schemas import trajectory_batch
from trajmeter.scoring.rows import Rows
from trajmeter.scoring.trials import whole_trials


def _rows(ids: str, cuts: list[int]) -> list[Rows]:
    """Rows of tasks named by single letters, in batches that end at the cuts."""
    batch = trajectory_batch([Trajectory(task_id=task) for task in ids])
    bounds = [0, *sorted(min(cut, len(ids)) for cut in cuts), len(ids)]
    return [
        Rows(number, batch.slice(begin, end - begin))
        for number, (begin, end) in enumerate(pairwise(bounds))
    ]


def _ids(group: list[Rows]) -> str:
    ids = (rows.batch.column("task_id").to_pylist() for rows in group)
    return "".join(map(str, chain.from_iterable(ids)))


@given(st.lists(st.integers(1, 4), max_size=8), st.lists(st.integers(0, 30), max_size=6))
def test_groups_hold_whole_trials_in_order(lengths: list[int], cuts: list[int]) -> None:
    ids = "".join(chr(ord("a") + place) * length for place, length in enumerate(lengths))
    batches = _rows(ids, cuts)
    groups = list(whole_trials(batches, str))
    texts = [_ids(group) for group in groups]
    assert "".join(texts) == ids
    assert sum(len({*text}) for text in texts) == len({*ids})
    parts = [rows.number for group in groups for rows in group]
    assert sorted({*parts}) == [rows.number for rows in batches]


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6))
def test_batches_of_whole_trials_are_not_cut(lengths: list[int]) -> None:
    ids = "".join(chr(ord("a") + place) * length for place, length in enumerate(lengths))
    batches = _rows(ids, [sum(lengths[:place]) for place in range(1, len(lengths))])
    assert [[*map(id, group)] for group in whole_trials(batches, str)] == [
        [id(rows)] for rows in batches
    ]


def test_a_batch_is_cut_where_its_last_trial_begins() -> None:
    groups = whole_trials(_rows("aabbbcdd", [3, 4, 7]), str)
    assert [[len(rows) for rows in group] for group in groups] == [[2], [1, 1, 2], [1, 1]]


def test_a_trial_that_comes_back_is_refused() -> None:
    groups = whole_trials(_rows("aabba", [2, 4]), str)
    assert _ids(next(groups)) == "aa"
    assert _ids(next(groups)) == "bb"
    with pytest.raises(InputError, match=r"batch 2: rows of the task 'a' follow after"):
        next(groups)
