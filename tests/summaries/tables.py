"""Small results tables to summarize: rows of attempts with one figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hypothesis.strategies import SearchStrategy

F1, PASSED = "context.final.line.f1", "turns.run.passed"

Row = dict[str, Any]


def attempt(
    task: str | None,
    value: float | bool | str | None,
    *,
    agent: str = "a",
    number: int = 0,
    figure: str = F1,
) -> Row:
    """One row: a value, the cause of its absence, or ``None`` if it abstained."""
    group = figure.rpartition(".")[0]
    outcome = "abstained" if value is None else "not_scored" if isinstance(value, str) else "scored"
    return {
        "task_id": task,
        "agent": agent,
        "model": "m",
        "attempt": str(number),
        f"{group}.outcome": outcome,
        f"{group}.cause": value if isinstance(value, str) else None,
        figure: None if isinstance(value, str) else value,
    }


def rows_of(
    tasks: Mapping[str, Sequence[float | bool | str | None]], *, agent: str = "a", figure: str = F1
) -> list[Row]:
    """Attempts at each task."""
    return [
        attempt(task, value, agent=agent, number=number, figure=figure)
        for task, values in tasks.items()
        for number, value in enumerate(values)
    ]


Tasks = dict[str, list[float | str | None]]


def tasks(*, max_tasks: int = 8) -> SearchStrategy[Tasks]:
    """Attempts at some tasks: values, causes, and abstentions."""
    value = st.integers(0, 8).map(lambda eighths: eighths / 8) | st.floats(0.0, 1.0)
    usual = st.one_of(value, value, value, st.sampled_from(["missing_gold", None]))
    names = st.sampled_from([f"t{number}" for number in range(max_tasks)])
    return st.dictionaries(names, st.lists(usual, min_size=1, max_size=4), min_size=1)
