from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from trajmeter.errors import InputError
from trajmeter.metrics.turns.columns import analyse_columns, turn_columns
from trajmeter.records import Failure, Trajectory, Turn
from trajmeter.schemas import trajectory_batch

if TYPE_CHECKING:
    from trajmeter.metrics.turns.columns import TurnColumns


def _columns(*runs: tuple[Turn, ...]) -> TurnColumns:
    batch = trajectory_batch(Trajectory(task_id="t", turns=turns) for turns in runs)
    return turn_columns(batch.column("turns"))


def test_rates_are_columns_without_a_value_where_there_is_nothing_to_divide_by() -> None:
    failed = Turn(success=False, error=Failure(reason="no_code_found"))
    table = analyse_columns(_columns((failed, Turn(success=True)), ()))

    np.testing.assert_array_equal(table.rates["no_code_rate"], [1 / 2, np.nan])
    np.testing.assert_array_equal(table.rates["recovered_errors"], [1.0, np.nan])
    assert table.counts["turns"].tolist() == [2, 0]


def test_an_unknown_code_is_named() -> None:
    columns = _columns((Turn(success=True),))
    columns.program[0] = 3

    with pytest.raises(InputError, match="program 0 is 3, expected 0 to 1"):
        analyse_columns(columns)
