"""Batches are counted in a thread while others are scored, which nobody may notice."""

from __future__ import annotations

import pytest

from trajmeter.metrics import create
from trajmeter.records import Trajectory, Turn
from trajmeter.schemas import trajectory_batch
from trajmeter.scoring.stream import StreamScorer
from trajmeter.summaries.summarizer import Summarizer

BATCHES = [
    trajectory_batch([Trajectory(task_id=f"{batch}-{row}", turns=(Turn(),)) for row in range(rows)])
    for batch, rows in enumerate((3, 1, 2))
]


def test_a_summary_includes_every_batch_yielded_so_far() -> None:
    scorer = StreamScorer(create("turns"))
    counted = [scorer.summary().overall.attempts for _ in scorer.score(BATCHES)]
    assert counted == [3, 3 + 1, 3 + 1 + 2]


def test_a_summary_of_a_stream_that_was_left_early_includes_what_it_yielded() -> None:
    scorer = StreamScorer(create("turns"))
    stream = scorer.score(BATCHES)
    next(stream)
    stream.close()  # type: ignore[attr-defined]  # of a generator
    assert scorer.summary().overall.attempts == 3


@pytest.mark.parametrize("failing", range(len(BATCHES)))
def test_an_error_while_counting_ends_the_stream(
    monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    add = Summarizer.add_batch
    sizes = [batch.num_rows for batch in BATCHES]

    def fail(self: Summarizer, rows: object, *others: object, **named: object) -> None:
        if rows.num_rows == sizes[failing]:  # type: ignore[attr-defined]  # a batch
            raise ArithmeticError("out of numbers")
        add(self, rows, *others, **named)  # type: ignore[arg-type]  # as given

    monkeypatch.setattr(Summarizer, "add_batch", fail)
    scorer = StreamScorer(create("turns"))
    with pytest.raises(ArithmeticError, match="out of numbers"):
        list(scorer.score(BATCHES))
