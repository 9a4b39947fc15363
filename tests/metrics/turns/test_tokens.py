"""Total tokens where the run or its turns recorded only some counts, the same on both paths."""

from __future__ import annotations

import pytest

from trajmeter.metrics.turns import TurnsMetric, score
from trajmeter.records import Trajectory, Turn, Usage
from trajmeter.schemas import trajectory_batch

_INPUT_ALONE = Usage(input_tokens=90)


@pytest.mark.parametrize(
    ("run", "turns", "counts", "source"),
    [
        # No total was recorded: the run's own input and the sum of the outputs, 90 + (5 + 7).
        (_INPUT_ALONE, [(10, 5, None), (20, 7, None)], (90, 12, 102), "both"),
        (_INPUT_ALONE, [(10, 5, None), (None, 7, None)], (90, 12, 102), "both"),
        # Every turn recorded a total, 16 + 28.
        (_INPUT_ALONE, [(10, 5, 16), (20, 7, 28)], (90, 12, 44), "both"),
        (None, [(10, 5, 16), (20, 7, 28)], (30, 12, 44), "turns"),
        # One turn recorded none: 30 + 12.
        (None, [(10, 5, 16), (20, 7, None)], (30, 12, 42), "turns"),
        # The parts are not known for every turn, but each has a total or both: 16 + (20 + 7).
        (None, [(None, None, 16), (20, 7, None)], (None, None, 43), "turns"),
        (None, [(10, 5, None), (20, None, None)], (30, None, None), "turns"),
    ],
)
def test_totals(
    run: Usage | None,
    turns: list[tuple[int | None, int | None, int | None]],
    counts: tuple[int | None, int | None, int | None],
    source: str,
) -> None:
    usages = [Usage(input_tokens=i, output_tokens=o, total_tokens=t) for i, o, t in turns]
    attempt = Trajectory(task_id="t", usage=run, turns=tuple(Turn(usage=each) for each in usages))
    tokens = score(attempt).tokens
    assert (tokens.input_tokens, tokens.output_tokens, tokens.total_tokens) == counts
    assert tokens.source == source
    columns = TurnsMetric().score_batch([None], trajectory_batch([attempt]))
    names = ("input_tokens", "output_tokens", "total_tokens")
    assert tuple(columns[f"tokens.{name}"][0].as_py() for name in names) == counts
    assert columns["tokens.source"][0].as_py() == source
