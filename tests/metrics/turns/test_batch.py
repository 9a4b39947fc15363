"""Turn analysis of record batches, where memory and nulls are what Arrow allows them to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.metrics.turns.strategies import runs
from tests.scoring.strategies import any_trajectories
from trajmeter.metrics.turns import TurnsMetric, score
from trajmeter.metrics.turns.columns import turn_columns
from trajmeter.records import Failure, ToolCall, Trajectory, Turn, Usage
from trajmeter.schemas import trajectory_batch

if TYPE_CHECKING:
    from collections.abc import Sequence

PARSE = Turn(success=False, error=Failure(reason="parse_error", message="m"), program="x")
EVAL = Turn(success=False, error=Failure(reason="eval_error", message="n"), program="x")
DONE = Turn(success=True, program="x")


def _figures(
    attempts: Sequence[Trajectory] | pa.RecordBatch, profile: str | None = None
) -> dict[str, list[Any]]:
    batch = attempts if isinstance(attempts, pa.RecordBatch) else trajectory_batch(attempts)
    columns = TurnsMetric(profile=profile).score_batch([None] * len(batch), batch)
    return {name: column.to_pylist() for name, column in columns.items()}


def _attempt(*turns: Turn, **fields: Any) -> Trajectory:
    return Trajectory(task_id="t", turns=turns, **fields)


@given(st.lists(runs, max_size=5), st.sampled_from([None, "ptcrunner"]))
def test_batches_and_records_give_the_same_figures(
    listed: list[tuple[Turn, ...]], profile: str | None
) -> None:
    figures = _figures([_attempt(*turns) for turns in listed], profile)

    results = [score(_attempt(*turns), profile=profile).model_dump() for turns in listed]
    for name in ("parse_failure_rate", "recovered_errors", "repeated_calls", "known_calls"):
        assert figures[name] == [result[name] for result in results]
    for name in ("error_turns", "error_breakdown"):
        assert list(map(dict, figures[name])) == [result[name] for result in results]


def _only(wanted: frozenset[str], values: Any, within: str = "") -> Any:
    """Values with null for every member that is not wanted."""
    if isinstance(values, list):
        return [_only(wanted, each, within) for each in values]
    if not isinstance(values, dict):
        return values
    return {
        name: value
        if (path := f"{within}{name}") in wanted
        else _only(wanted, value, f"{path}.")
        if any(each.startswith(f"{path}.") for each in wanted)
        else None
        for name, value in values.items()
    }


@given(st.lists(any_trajectories, max_size=4), st.sampled_from([None, "ptcrunner"]))
def test_no_other_column_is_read_than_those_it_asks_for(
    listed: list[Trajectory], profile: str | None
) -> None:
    batch = trajectory_batch(listed)
    rows = _only(TurnsMetric.batch_columns, batch.to_pylist())
    assert all(row["task_id"] is None for row in rows)
    narrow = pa.RecordBatch.from_pylist(rows, schema=batch.schema)
    assert _figures(narrow, profile) == _figures(batch, profile)


@given(st.lists(any_trajectories, max_size=4), st.sampled_from([None, "ptcrunner"]))
def test_no_text_matters_of_columns_of_which_it_sees_the_presence(
    listed: list[Trajectory], profile: str | None
) -> None:
    batch = trajectory_batch(listed)
    rows = batch.to_pylist()
    assert TurnsMetric.presence_columns == {"turns.program"}
    for turn in (turn for row in rows for turn in row["turns"] or ()):
        turn["program"] = None if turn["program"] is None else ""
    emptied = pa.RecordBatch.from_pylist(rows, schema=batch.schema)
    assert _figures(emptied, profile) == _figures(batch, profile)


def test_numbers_of_turns_and_calls_of_unknown_success() -> None:
    failed, unknown = ToolCall(name="a", error="gone"), ToolCall(name="a")
    attempt = _attempt(Turn(number=4, tool_calls=(failed,)), Turn(number=7, tool_calls=(unknown,)))

    assert _figures([attempt])["turns_to_first_tool_call"] == [7]
    assert score(attempt).turns_to_first_tool_call == 7


def test_rates_and_reasons_by_run() -> None:
    figures = _figures([_attempt(PARSE, EVAL, EVAL, DONE), _attempt(), _attempt(DONE, PARSE)])
    assert figures["recorded_turns"] == [4, 0, 2]
    assert figures["parse_failure_rate"] == [1 / 4, None, 1 / 2]
    # Three failures are followed by a turn, one of them by a success.
    assert figures["recovered_errors"] == [1 / 3, None, None]
    assert figures["repeated_failures"] == [1, 0, 0]
    assert figures["dominant_error"] == ["eval_error", None, "parse_error"]
    assert [dict(reasons) for reasons in figures["error_turns"]] == [
        {"eval_error": 2, "parse_error": 1},
        {},
        {"parse_error": 1},
    ]


def test_a_reason_alone_and_a_message_alone_are_not_the_same_failure() -> None:
    reasons = [Failure(reason="a", message="m"), Failure(reason="b"), Failure(message="m")]
    turns = [Turn(success=False, error=error) for error in reasons]
    figures = _figures([_attempt(*turns, turns[2], turns[1], turns[1])])
    assert figures["repeated_failures"] == [2]


def test_a_successful_turn_with_a_reason_is_not_a_failure() -> None:
    odd = Turn(success=True, error=Failure(reason="parse_error"))
    figures = _figures([_attempt(odd)])
    assert figures["error_turns"] == [[("parse_error", 1)]]
    assert figures["error_breakdown"] == [[]]
    assert figures["dominant_error"] == [None]


def test_turns_that_were_only_counted_are_not_scored() -> None:
    counted = Trajectory(task_id="t", turn_count=3)
    figures = _figures([counted, Trajectory(task_id="t"), _attempt()])
    assert figures["outcome"] == ["not_scored", "not_scored", "scored"]
    assert figures["cause"] == ["missing_turns", "missing_turns", None]
    assert figures["recorded_turns"] == [None, None, 0]
    assert figures["error_turns"] == figures["error_breakdown"] == [None, None, []]
    assert figures["run.outcome"] == ["scored", "not_scored", "scored"]
    assert figures["run.cause"] == [None, "missing_turns", None]
    assert figures["run.turn_count"] == [3, None, 0]
    in_profile = _figures([counted], "ptcrunner")
    assert (in_profile["outcome"], in_profile["run.turn_count"]) == (["scored"], [0])


def test_the_profile_has_zeros_where_something_is_missing() -> None:
    call = ToolCall(name="a", success=False)
    figures = _figures([_attempt(), _attempt(Turn(number=5, tool_calls=(call,)))], "ptcrunner")
    assert figures["no_code_rate"] == [0.0, 0.0]
    assert figures["recovered_errors"] == [None, None]
    assert figures["first_turn_valid"] == [False, False]
    assert figures["turns_to_first_tool_call"] == [None, 5]
    assert figures["tokens.total_tokens"] == [0, 0]


def test_tokens_are_added_up_where_both_are_known() -> None:
    usages = [None, Usage(), Usage(input_tokens=3), Usage(input_tokens=3, output_tokens=4)]
    figures = _figures([_attempt(usage=usage) for usage in usages])
    assert figures["tokens.outcome"] == ["not_scored", "not_scored", "scored", "scored"]
    assert figures["tokens.cause"] == ["missing_usage", "missing_usage", None, None]
    assert figures["tokens.total_tokens"] == [None, None, None, 7]


def test_calls_are_equal_as_json() -> None:
    arguments: list[Any] = [{"a": 1, "b": 2}, '{"b": 2.0, "a": 1}', {"a": 1}, "{", "{", None, {}]
    calls = tuple(ToolCall(name="f", arguments=each) for each in arguments)
    figures = _figures([_attempt(Turn(tool_calls=calls))])
    # The second repeats the first, the last the one without arguments; two equal none.
    assert (figures["recorded_calls"], figures["repeated_calls"]) == ([7], [2])


def test_repeated_calls_do_not_depend_on_the_block_size(monkeypatch: pytest.MonkeyPatch) -> None:
    def attempt(*queries: int) -> Trajectory:
        calls = tuple(ToolCall(name="f", arguments={"q": query}) for query in queries)
        return _attempt(Turn(tool_calls=calls))

    attempts = [attempt(1, 2, 1), attempt(1, 1, 1, 1), attempt(), attempt(2), attempt(2, 2)]
    for block in (1, 2, 3, 2_048):
        monkeypatch.setattr("trajmeter.metrics.turns.columns._BLOCK", block)
        assert _figures(attempts)["repeated_calls"] == [1, 3, 0, 0, 1]


def test_a_slice_scores_only_its_rows() -> None:
    attempts = [
        _attempt(PARSE, DONE),
        Trajectory(task_id="t"),
        _attempt(EVAL, Turn(tool_calls=(ToolCall(name="a"), ToolCall(name="a")))),
        _attempt(DONE),
    ]
    whole = _figures(attempts)
    sliced = _figures(trajectory_batch(attempts).slice(1, 2))
    assert sliced == {name: values[1:3] for name, values in whole.items()}
    assert sliced["repeated_calls"] == [None, 1]


def test_values_behind_a_null_are_ignored() -> None:
    turns = trajectory_batch([_attempt(PARSE, DONE, EVAL)]).column("turns")
    assert isinstance(turns, pa.ListArray)
    hidden = pa.ListArray.from_arrays(
        pa.array([0, 2, 3], pa.int32()), turns.flatten(), mask=pa.array([True, False])
    )
    columns = turn_columns(hidden)
    assert columns.run_offsets.tolist() == [0, 0, 1]
    assert columns.reasons == ("eval_error",)


def test_a_total_beyond_64_bits_leaves_the_other_counts() -> None:
    attempt = _attempt(usage=Usage(input_tokens=2**63 - 1, output_tokens=1))
    figures = _figures([attempt])
    assert figures["tokens.input_tokens"] == [2**63 - 1]
    assert figures["tokens.total_tokens"] == [None]
    assert figures["tokens.reason"] == ["total_tokens add up to more than 64 bits can hold"]
    assert score(attempt).tokens.model_dump(mode="json") == _tokens(figures, 0)


def _tokens(figures: dict[str, list[Any]], row: int) -> dict[str, Any]:
    names = [name for name in figures if name.startswith("tokens.")]
    return {name.removeprefix("tokens."): figures[name][row] for name in names}


_TURN = Turn(usage=Usage(input_tokens=3, output_tokens=1))


@pytest.mark.parametrize(
    ("usage", "turns", "counts", "source"),
    [
        (None, [_TURN, _TURN], (6, 2, 8), "turns"),
        (Usage(cost_usd=0.5), [_TURN], (3, 1, 4), "turns"),
        (Usage(input_tokens=9, output_tokens=1), [_TURN, _TURN], (9, 1, 10), "run"),
        (Usage(total_tokens=9), [_TURN], (3, 1, 9), "both"),
        (None, [_TURN, Turn(usage=Usage(total_tokens=5))], (None, None, 9), "turns"),
        (None, [_TURN, Turn()], (None, None, None), None),
        (None, [], (None, None, None), None),
    ],
)
def test_tokens_recorded_turn_by_turn_are_added_up_and_the_source_says_so(
    usage: Usage | None,
    turns: list[Turn],
    counts: tuple[int | None, ...],
    source: str | None,
) -> None:
    attempt = _attempt(*turns, usage=usage)
    figures = _figures([_attempt(_TURN), attempt])
    tokens = score(attempt).tokens
    assert (tokens.input_tokens, tokens.output_tokens, tokens.total_tokens) == counts
    assert tokens.source == source
    assert tokens.cause == (None if source else "missing_usage")
    assert tokens.model_dump(mode="json") == _tokens(figures, 1)


@pytest.mark.parametrize(
    ("usage", "turn", "total", "cause", "reason"),
    [
        (Usage(total_tokens=-1), None, None, "invalid_input", "usage.total_tokens is -1"),
        (Usage(input_tokens=-1, total_tokens=7), None, 7, None, "usage.input_tokens is -1"),
        (Usage(total_tokens=-5), _TURN.usage, 4, None, "usage.total_tokens is -5"),
        (
            None,
            Usage(input_tokens=2, output_tokens=-2),
            None,
            None,
            "turns[0].usage.output_tokens is -2",
        ),
    ],
)
def test_a_negative_count_gives_no_figure_and_is_reported(
    usage: Usage | None, turn: Usage | None, total: int | None, cause: str | None, reason: str
) -> None:
    attempt = _attempt(Turn(usage=turn), usage=usage)
    figures = _figures([attempt])
    tokens = score(attempt).tokens
    assert (tokens.total_tokens, tokens.cause) == (total, cause)
    assert tokens.reason == f"{reason}, expected a number of 0 or more"
    assert tokens.model_dump(mode="json") == _tokens(figures, 0)


def test_dropped_calls_have_a_column_whether_turns_were_recorded_or_not() -> None:
    attempts = [_attempt(DONE, dropped_calls=2), Trajectory(task_id="t", dropped_calls=3)]
    assert _figures(attempts)["dropped_calls"] == [2, 3]
    assert [score(attempt).dropped_calls for attempt in attempts] == [2, 3]


def test_an_unusable_count_is_named() -> None:
    unusable = {"usage.total_tokens": "token_usage.total_tokens is 'x', expected a whole number"}
    attempt = _attempt(unusable=unusable)
    tokens = score(attempt).tokens
    assert (tokens.cause, tokens.reason) == ("invalid_input", unusable["usage.total_tokens"])
    assert tokens.model_dump(mode="json") == _tokens(_figures([attempt]), 0)
