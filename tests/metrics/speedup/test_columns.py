"""Flat tables: the column path says of every attempt what the records of the same rows say."""

from __future__ import annotations

import importlib
from math import inf, nan
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter import kernels
from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.metrics.speedup import SpeedupMetric
from trajmeter.readers.benchmark_rows import attempts_of
from trajmeter.records import ReadProblem, Source

pa = pytest.importorskip("pyarrow")
score_columns = importlib.import_module("trajmeter.metrics.speedup.columns").score_columns

if TYPE_CHECKING:
    from trajmeter.kernels import Kernels

SCHEMA = {
    "task_id": pa.string(),
    "agent": pa.string(),
    "model": pa.string(),
    "attempt": pa.string(),
    "benchmark": pa.string(),
    "agent_nop": pa.float64(),
    "oracle_nop": pa.float64(),
    "nop_seconds": pa.float64(),
    "agent_seconds": pa.float64(),
    "oracle_seconds": pa.float64(),
    "test_failed": pa.int64(),
    "test_error": pa.int64(),
    "snapshot_status": pa.string(),
    "snapshot_pass_to_fail": pa.int64(),
    "is_resolved": pa.bool_(),
}
FIGURES = (
    "outcome",
    "cause",
    "task_speedup",
    "agent_advantage",
    *(f"agent_advantage_level{level}" for level in range(1, 5)),
    "num_benchmarks",
    "num_valid_benchmarks",
    "pytest_failed",
    "snapshot_failed",
    "success",
    "fallback_to_baseline",
)


def table(rows: list[dict[str, Any]], *, dictionaries: bool = False) -> Any:
    columns = {
        name: pa.array([row.get(name) for row in rows], kind, from_pandas=False)
        for name, kind in SCHEMA.items()
        if any(name in row for row in rows) or name in ("task_id", "benchmark", "agent_nop")
    }
    if dictionaries:
        columns = {
            name: column.dictionary_encode() if pa.types.is_string(column.type) else column
            for name, column in columns.items()
        }
    return pa.table(columns)


def by_records(rows: Any, profile: str | None) -> dict[tuple[Any, ...], dict[str, Any]]:
    entries = [(Source(file="rows"), row) for row in rows.to_pylist()]
    attempts = list(attempts_of(entries, lambda _: None))
    tasks: dict[str, list[Any]] = {}
    for attempt in attempts:
        tasks.setdefault(attempt.task_id, []).append(attempt)
    found: dict[tuple[Any, ...], dict[str, Any]] = {
        (attempt.task_id, attempt.agent, attempt.model, attempt.attempt): {} for attempt in attempts
    }
    for members in tasks.values():
        results = SpeedupMetric(profile=profile).score_trial(None, members)
        for attempt, result in zip(members, results, strict=True):
            key = (attempt.task_id, attempt.agent, attempt.model, attempt.attempt)
            found[key] = {name: getattr(result, name) for name in FIGURES}
    return found


def by_columns(
    rows: Any, profile: str | None, backend: Kernels | None = None
) -> dict[tuple[Any, ...], dict[str, Any]]:
    scored = score_columns(rows, profile=profile, on_problem=lambda _: None, backend=backend)
    return {
        tuple(row[name] for name in ("task_id", "agent", "model", "attempt")): {
            name: row[f"speedup.{name}"] for name in FIGURES
        }
        for row in scored.to_pylist()
    }


def agree(rows: Any, profile: str | None) -> None:
    records = by_records(rows, profile)
    for backend in (kernels.load("python"), kernels.active()):
        columns = by_columns(rows, profile, backend)
        assert list(columns) == list(records)
        for key, wanted in records.items():
            for name, value in wanted.items():
                got = columns[key][name]
                if isinstance(value, float):
                    assert got == pytest.approx(value, rel=1e-12, abs=1e-9), (key, name)
                else:
                    assert got == value, (key, name)


ratios = st.one_of(
    st.none(),
    st.sampled_from([0.0, -1.0, nan, inf, 1.0]),
    st.floats(min_value=0.01, max_value=100.0),
)
rows_of_benchmarks = st.fixed_dictionaries(
    {
        "task_id": st.sampled_from(["t1", "t2"]),
        "agent": st.sampled_from(["nop", "oracle", "fixer", None]),
        "benchmark": st.sampled_from(["m.f(1)", "m.f(2)", "m.A.g", "m.Ü.h", "i", "", None]),
        "agent_nop": ratios,
        "oracle_nop": ratios,
    },
    optional={
        "model": st.sampled_from(["a/b", "a-b", None]),
        "attempt": st.sampled_from(["1", "2", None]),
        "nop_seconds": ratios,
        "agent_seconds": ratios,
        "oracle_seconds": ratios,
        "test_failed": st.one_of(st.none(), st.integers(0, 2)),
        "test_error": st.one_of(st.none(), st.integers(0, 1)),
        "snapshot_status": st.sampled_from(["passed", "failed", None]),
        "snapshot_pass_to_fail": st.one_of(st.none(), st.integers(0, 1)),
        "is_resolved": st.one_of(st.none(), st.booleans()),
    },
)


@given(
    st.lists(rows_of_benchmarks, max_size=12),
    st.sampled_from([None, "fc-eval"]),
    st.booleans(),
    st.booleans(),
)
def test_columns_and_records_agree(
    rows: list[dict[str, Any]], profile: str | None, dictionaries: bool, adjacent: bool
) -> None:
    if adjacent:
        rows = sorted(rows, key=lambda row: [str(row.get(name)) for name in list(SCHEMA)[:4]])
    agree(table(rows, dictionaries=dictionaries), profile)


@pytest.mark.parametrize("profile", [None, "fc-eval"])
def test_columns_and_records_revert_alike_whatever_the_oracle_has(profile: str | None) -> None:
    ratios_of_oracle = (2.0, None, nan, inf, -inf, 0.0, -1.0)
    rows = [
        {"task_id": "t", "agent": agent, "benchmark": f"m.f{number}", "agent_nop": 4.0}
        | {"oracle_nop": ratio, "test_failed": failed, "snapshot_status": "passed"}
        for agent, failed in (("fixer", 1), ("other", 0))
        for number, ratio in enumerate(ratios_of_oracle)
    ]
    agree(table(rows), profile)
    reverted = by_columns(table(rows), profile)["t", "fixer", None, None]
    # fc-eval takes 1 for a ratio that is missing or no finite number.
    assert reverted["num_valid_benchmarks"] == (1 if profile is None else 5)


@pytest.mark.parametrize("about", [{}, {"is_resolved": True}])
@pytest.mark.parametrize("profile", [None, "fc-eval"])
def test_two_attempts_of_one_name(profile: str | None, about: dict[str, Any]) -> None:
    rows = [
        {"task_id": "t", "agent": "fixer", "model": model, "benchmark": "m.f"}
        | {"agent_nop": ratio, "oracle_nop": 2.0, **about}
        for model, ratio in ((None, 4.0), ("unknown", 3.0))
    ]
    agree(table(rows), profile)
    found = by_columns(table(rows), profile)
    speedups = [each["task_speedup"] for each in found.values()]
    # fc-eval keeps one record of a name, the later one; and a snapshot that is not there failed.
    kept = 1.0 if about else 3.0
    assert speedups == ([4.0, 3.0] if profile is None else [None, kept])


def test_tables_of_several_chunks_and_of_none() -> None:
    rows = [
        {"task_id": "t", "agent": agent, "benchmark": name, "agent_nop": ratio, "oracle_nop": 2.0}
        for agent, ratio in (("nop", 1.0), ("fixer", 4.0))
        for name in ("m.f", "n.g")
    ]
    whole = table(rows, dictionaries=True)
    pieces = pa.concat_tables(
        [table(rows[:1], dictionaries=True), whole.slice(1, 2), whole.slice(3)]
    )
    found = by_columns(pieces, None)
    assert found == by_columns(whole, None)
    assert found["t", "fixer", None, None]["task_speedup"] == 4.0
    assert by_columns(whole.slice(0, 0), None) == {}


def test_numbers_written_as_text_are_no_numbers() -> None:
    rows = pa.table(
        {"task_id": ["t"], "benchmark": ["m.f"], "agent_nop": ["4.0"], "oracle_nop": [2]}
    )
    assert by_columns(rows, None)["t", None, None, None]["num_valid_benchmarks"] == 0


@pytest.mark.parametrize("profile", [None, "fc-eval"])
def test_nan_about_an_attempt_is_no_value(profile: str | None) -> None:
    frame = pa.table(
        {
            "task_id": ["t"] * 4,
            "agent": ["fixer", "fixer", "other", "other"],
            "benchmark": ["m.f", "m.g"] * 2,
            "agent_nop": [4.0] * 4,
            "oracle_nop": [2.0] * 4,
            "test_failed": pa.array([nan, nan, nan, 1.0]),
        }
    )
    agree(frame, profile)
    found = by_columns(frame, profile)
    assert found["t", "fixer", None, None]["pytest_failed"] is None
    assert found["t", "other", None, None]["pytest_failed"] is True


@pytest.mark.parametrize("profile", [None, "fc-eval"])
@pytest.mark.parametrize("second", ["m.g", None])  # None has the task scored as records
def test_decimals_and_numbered_attempts(profile: str | None, second: str | None) -> None:
    frame = pa.table(
        {
            "task_id": ["t", "t", "t"],
            "agent": ["oracle", "fixer", "fixer"],
            "attempt": pa.array([None, 1.0, 1.0]),
            "benchmark": ["m.f", "m.f", second],
            "agent_nop": pa.array([2.0, 4.0, 1.5]).cast(pa.decimal128(10, 3)),
            "oracle_nop": [2, 2, 2],
        }
    )
    agree(frame, profile)
    found = by_columns(frame, profile)["t", "fixer", None, "1"]
    assert found["task_speedup"] == pytest.approx(4.0 if second is None else 6**0.5)


def test_rows_of_one_benchmark_are_refused_but_for_the_first() -> None:
    rows = table([{"task_id": "t", "benchmark": "m.f", "agent_nop": ratio} for ratio in (2.0, 3.0)])
    with pytest.raises(ReadError, match=r"rows: \[1\]: a second row of the benchmark 'm.f'"):
        score_columns(rows)
    problems: list[ReadProblem] = []
    scored = score_columns(rows, on_problem=problems.append)
    assert scored["speedup.task_speedup"].to_pylist() == [2.0]
    assert len(problems) == 1


def test_rows_of_no_task_are_left_out() -> None:
    rows = table([{"task_id": task, "benchmark": "m.f", "agent_nop": 2.0} for task in ("t", None)])
    problems: list[ReadProblem] = []
    scored = score_columns(rows, on_problem=problems.append)
    assert scored["task_id"].to_pylist() == ["t"]
    assert str(problems[0]) == "rows: [1]: task_id is missing"


@pytest.mark.parametrize("absent", ["task_id", "benchmark", "agent_nop"])
def test_columns_that_have_to_be_there(absent: str) -> None:
    rows = table([{"task_id": "t", "benchmark": "m.f", "agent_nop": 2.0}])
    with pytest.raises(ConfigurationError, match="expected the columns task_id, agent, model"):
        score_columns(rows.drop_columns([absent]))
