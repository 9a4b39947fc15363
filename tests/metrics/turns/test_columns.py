from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.metrics.turns.strategies import runs
from trajmeter.errors import InputError
from trajmeter.metrics.turns import TurnColumns, analyse, analyse_columns
from trajmeter.records import Failure, ToolCall, Trajectory, Turn


def by_objects(turns: tuple[Turn, ...]) -> dict[str, object]:
    result = analyse(Trajectory(task_id="t", turns=turns))
    return result.model_dump(exclude={"outcome", "cause", "run", "tokens"})


@given(st.lists(runs, max_size=5))
def test_columns_and_objects_give_the_same_figures(listed: list[tuple[Turn, ...]]) -> None:
    table = analyse_columns(TurnColumns.of(listed))

    assert len(table) == len(listed)
    assert [table.figures(at) for at in range(len(table))] == [by_objects(run) for run in listed]


def test_numbers_of_turns_and_calls_of_unknown_success() -> None:
    run = (
        Turn(number=4, tool_calls=(ToolCall(name="a", error="gone"),)),
        Turn(number=7, tool_calls=(ToolCall(name="a"),)),
    )

    assert analyse_columns(TurnColumns.of([run])).figures(0) == by_objects(run)
    assert by_objects(run)["turns_to_first_tool_call"] == 7


def test_rates_are_columns_without_a_value_where_there_is_nothing_to_divide_by() -> None:
    failed = Turn(success=False, error=Failure(reason="no_code_found"))
    table = analyse_columns(TurnColumns.of([(failed, Turn(success=True)), ()]))

    np.testing.assert_array_equal(table.rates["no_code_rate"], [1 / 2, np.nan])
    np.testing.assert_array_equal(table.rates["recovered_errors"], [1.0, np.nan])
    assert table.counts["turns"].tolist() == [2, 0]


def test_a_value_that_is_no_choice_is_named() -> None:
    columns = TurnColumns.of([(Turn(),)])
    columns.success[0] = 3

    with pytest.raises(InputError, match="success 0 is 3, expected -1 to 1"):
        analyse_columns(columns)
