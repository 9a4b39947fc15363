"""Batches are counted in a thread while others are scored, which nobody may notice."""

from __future__ import annotations

import subprocess
import sys
from threading import Event, Thread

import pytest

from trajmeter.metrics import create
from trajmeter.records import Trajectory, Turn
from trajmeter.schemas import trajectory_batch
from trajmeter.scoring.stream import StreamScorer
from trajmeter.summaries.summarizer import Summarizer
from trajmeter.system.background import Background

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


def test_threads_score_on_while_the_program_ends() -> None:
    program = (
        "import threading, pyarrow, trajmeter\n"
        "def work():\n"
        "    threading.main_thread().join()\n"
        "    found = trajmeter.score(pyarrow.table({'task_id': ['a']}), metrics=['turns'])\n"
        "    print(found.summary.overall.attempts)\n"
        "threading.Thread(target=work).start()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert (ended.stdout, ended.stderr) == ("1\n", "")


def test_batches_are_counted_where_no_thread_can_be_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", refuse)
    scorer = StreamScorer(create("turns"))
    counted = [scorer.summary().overall.attempts for _ in scorer.score(BATCHES)]
    assert counted == [3, 3 + 1, 3 + 1 + 2]


def test_a_summary_waits_for_a_batch_although_the_stream_was_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add, is_free = Summarizer.add_batch, Event()

    def wait(self: Summarizer, *others: object, **named: object) -> None:
        is_free.wait()
        add(self, *others, **named)  # type: ignore[arg-type]  # as given

    def interrupt(_: object) -> None:
        is_free.set()
        raise KeyboardInterrupt

    monkeypatch.setattr(Summarizer, "add_batch", wait)
    scorer = StreamScorer(create("turns"))
    stream = iter(scorer.score(BATCHES))
    next(stream)
    with monkeypatch.context() as patched:
        patched.setattr(Background, "result", interrupt)
        with pytest.raises(KeyboardInterrupt):
            next(stream)
    assert scorer.summary().overall.attempts == 3
