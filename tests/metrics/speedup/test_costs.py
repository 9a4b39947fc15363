"""Costs: those that count as recorded, and which price tokens have, and at which time."""

from __future__ import annotations

import math
import os
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest

import trajmeter
from tests.metrics.speedup.attempts import WORKED, attempt
from tests.metrics.speedup.attempts import score as speedup
from tests.metrics.speedup.runs import FAST, own, score, write_run
from trajmeter.records import Measurements, RunLog, Trajectory, Turn, Usage
from trajmeter.schemas import trajectory_batch
from trajmeter.scoring.batches import score_batches

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("known", ["input", "output"])
def test_tokens_of_one_kind_are_enough_for_a_cost(tmp_path: Path, known: str) -> None:
    pytest.importorskip("genai_prices")
    tokens = {FAST: {f"total_{known}_tokens": 1_000_000}}
    run = write_run(tmp_path / "r", {FAST: own(FAST, f=(4.0, 2.0))}, results=tokens)
    result = score(run)[0][FAST]
    assert (result.cost_source, result.task_cost_usd, result.priced) == ("tokens", 0.0, False)
    assert {"input": result.input_tokens, "output": result.output_tokens}[known] == 1_000_000


@pytest.mark.parametrize(
    ("started", "at"),
    [
        ("2026-01-05T10:00:00Z", datetime(2026, 1, 5, 10, tzinfo=timezone.utc)),
        ("2026-01-05T10:00:00", datetime(2026, 1, 5, 10, tzinfo=timezone.utc)),
        ("2026-01-05T12:00:00+02:00", datetime(2026, 1, 5, 10, tzinfo=timezone.utc)),
        ("yesterday", None),
        (None, None),
    ],
)
def test_tokens_have_the_price_of_the_time_of_the_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: str | None, at: datetime | None
) -> None:
    pytest.importorskip("genai_prices")
    asked: list[datetime | None] = []

    def price(_model: str, prompt: int, _completion: int, *, at: datetime | None) -> float:
        asked.append(at)
        return prompt * 0.5

    monkeypatch.setattr("trajmeter.metrics.speedup.costs.price_usd", price)
    tokens = {FAST: {"total_input_tokens": 3, "trial_started_at": started}}
    run = write_run(tmp_path / "r", {FAST: own(FAST, f=(4.0, 2.0))}, results=tokens)
    assert score(run)[0][FAST].task_cost_usd == 1.5
    assert set(asked) == {at}


@pytest.mark.parametrize(
    ("configured", "asked"),
    [(True, ["maker/large-2"]), (False, ["maker-large-2", "maker/large-2"])],
)
def test_a_price_is_that_of_the_model_as_configured_else_as_either_spelling(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, configured: bool, asked: list[str]
) -> None:
    pytest.importorskip("genai_prices")
    names: list[str] = []

    def price(model: str, *_tokens: int, at: datetime | None) -> float | None:
        assert at is None
        names.append(model)
        return 2.0 if "/" in model else None

    monkeypatch.setattr("trajmeter.metrics.speedup.costs.price_usd", price)
    key = "fixer:maker-large-2"
    tokens = {key: {"total_input_tokens": 3}}
    metrics = {**own(key, f=(4.0, 2.0)), "agent_model_key": key}
    run = write_run(tmp_path / "r", {key: metrics}, results=tokens, lock=["fixer:maker/large-2"])
    if not configured:
        (run / "fc.lock").unlink()
    result = score(run)[0][key]
    assert (result.task_cost_usd, result.priced) == (2.0, True)
    assert names == asked


REFUSED = "its recorded cost is -0.5, expected 0 or more"


def test_a_negative_cost_is_not_recorded() -> None:
    stated = attempt("fixer", WORKED, run_log=RunLog(task_cost_usd=-0.5))
    (result,) = speedup(stated)
    assert (result.task_cost_usd, result.cost_source) == (None, "none")
    assert result.costs_by_agent_model == {}
    assert REFUSED in result.warnings


@pytest.mark.parametrize("cost", [float("nan"), float("inf"), float("-inf")])
def test_a_cost_that_is_not_finite_is_not_recorded(cost: float) -> None:
    (result,) = speedup(attempt("fixer", WORKED, usage=Usage(cost_usd=cost)))
    assert (result.task_cost_usd, result.cost_source) == (None, "none")
    assert f"its recorded cost is {cost}, expected 0 or more" in result.warnings


@pytest.mark.parametrize("cost", [0.0, -0.0, 0.25])
def test_a_cost_of_nothing_is_a_cost(cost: float) -> None:
    (result,) = speedup(attempt("fixer", WORKED, usage=Usage(cost_usd=cost)))
    assert (result.task_cost_usd, result.cost_source) == (cost, "recorded")
    assert result.warnings == ()


def test_fc_eval_has_no_cost_of_minus_zero() -> None:
    batch = trajectory_batch([attempt("fixer", WORKED, usage=Usage(cost_usd=-0.0))])
    (scored,) = score_batches([batch], metrics=["speedup"], profiles=["fc-eval"])
    (cost,) = scored["speedup.task_cost_usd"].to_pylist()
    assert cost is not None
    assert math.copysign(1, cost) == 1


def test_behind_a_negative_cost_the_next_counts() -> None:
    log = RunLog(task_cost_usd=-0.5, total_cost_usd=0.75)
    (result,) = speedup(attempt("fixer", WORKED, run_log=log, usage=Usage(cost_usd=-2.0)))
    assert (result.task_cost_usd, result.cost_source) == (0.75, "recorded")
    assert result.warnings == (REFUSED,)


def test_behind_a_negative_cost_tokens_have_a_price(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("genai_prices")
    monkeypatch.setattr(
        "trajmeter.metrics.speedup.costs.price_usd", lambda _model, prompt, _completion, **_: prompt
    )
    used = Usage(cost_usd=-0.5, input_tokens=3)
    (result,) = speedup(attempt("fixer", WORKED, usage=used))
    assert (result.task_cost_usd, result.cost_source) == (3.0, "tokens")
    assert result.warnings == (REFUSED,)


def test_negative_tokens_are_not_recorded_and_cost_no_other_attempt_its_score() -> None:
    log, usage = RunLog(input_tokens=-1, output_tokens=-1), Usage(input_tokens=7, output_tokens=-1)
    first, second, third = speedup(
        attempt("fixer", WORKED, run_log=log),
        attempt("other", WORKED, run_log=log, usage=usage),
        attempt("third", WORKED),
    )
    assert (first.input_tokens, first.output_tokens, first.task_cost_usd) == (None, None, None)
    assert (second.input_tokens, second.output_tokens) == (7, 0)
    prompt = "its recorded number of prompt tokens is -1, expected 0 or more"
    completion = "its recorded number of completion tokens is -1, expected 0 or more"
    assert first.warnings == (prompt, completion)
    assert second.warnings == (prompt, completion, completion)
    assert third.task_speedup is not None


def test_the_profile_keeps_a_negative_cost() -> None:
    stated = attempt("fixer", WORKED, run_log=RunLog(task_cost_usd=-0.5, total_cost_usd=-0.5))
    (result,) = speedup(stated, profile="fc-eval")
    assert (result.task_cost_usd, result.cost_source) == (-0.5, "recorded")
    assert result.costs_by_agent_model == {"fixer:m": -0.5}
    payload = Measurements(payload={"task_speedup": 2.0})
    merged = stated.model_copy(update={"measurements": payload})
    assert speedup(merged, profile="fc-eval")[0].task_cost_usd == -0.5
    (result,) = speedup(merged)
    assert result.task_cost_usd is None
    assert REFUSED in result.warnings


def test_a_negative_cost_is_in_no_mean() -> None:
    scores = trajmeter.score(
        [
            attempt("fixer", WORKED, run_log=RunLog(task_cost_usd=-0.5)),
            attempt("fixer", WORKED, run_log=RunLog(task_cost_usd=0.5), attempt="2"),
        ],
        metrics=["speedup"],
    )
    figure = scores.summary.overall.figures["speedup.task_cost_usd"]
    assert (figure.macro, figure.scored) == (0.5, 1)


def turns(*usages: Usage | None) -> tuple[Turn, ...]:
    return tuple(Turn(usage=usage) for usage in usages)


PART = Usage(input_tokens=3, output_tokens=1, cost_usd=0.25)
BACKENDS = (
    ("python",) if os.environ.get("TRAJMETER_TEST_BACKEND") == "python" else ("rust", "python")
)
SPENT = ("task_cost_usd", "cost_source", "input_tokens", "output_tokens", "tokens_source")


def spent(each: Trajectory, monkeypatch: pytest.MonkeyPatch, profile: str | None = None) -> Any:
    """Cost, tokens, where they come from and warnings: the same of a record and of its columns."""
    (result,) = speedup(each, profile=profile)
    found = (*(getattr(result, name) for name in SPENT), list(result.warnings))
    for backend in BACKENDS:
        monkeypatch.setattr("trajmeter.metrics.speedup.batch.backend", lambda own=backend: own)
        (table,) = trajmeter.score_batches(
            [trajectory_batch([attempt("other", WORKED, usage=PART), each])],
            metrics=["speedup"],
            profiles=[] if profile is None else [profile],
        )
        row = table.to_pylist()[1]
        assert tuple(row[f"speedup.{name}"] for name in (*SPENT, "warnings")) == found
    return found


@pytest.mark.parametrize(
    ("run", "parts", "expected"),
    [
        ({}, [PART, PART], (0.5, "turns", 6, 2, "turns", [])),
        ({"usage": Usage(cost_usd=2.0)}, [PART], (2.0, "recorded", 3, 1, "turns", [])),
        ({"run_log": RunLog(input_tokens=9)}, [PART], (0.25, "turns", 9, 0, "run", [])),
        ({}, [PART, None], (None, "none", None, None, None, [])),
        ({}, [PART, Usage(cost_usd=0.5)], (0.75, "turns", None, None, None, [])),
        (
            {"usage": Usage(cost_usd=-1.0, input_tokens=-1)},
            [PART, Usage(input_tokens=1, output_tokens=-2, cost_usd=-0.5)],
            (
                None,
                "none",
                None,
                None,
                None,
                [
                    "its recorded cost is -1.0, expected 0 or more",
                    "turns[1].usage.cost_usd is -0.5, expected a number of 0 or more",
                    "its recorded number of prompt tokens is -1, expected 0 or more",
                    "turns[1].usage.output_tokens is -2, expected a number of 0 or more",
                ],
            ),
        ),
    ],
)
def test_tokens_and_costs_of_turns_are_added_up_where_the_run_recorded_none(
    run: dict[str, Any],
    parts: list[Usage | None],
    expected: tuple[Any, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    each = attempt("fixer", WORKED, turns=turns(*parts), **run)
    assert spent(each, monkeypatch) == expected


def test_tokens_of_turns_have_a_price(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("genai_prices")
    monkeypatch.setattr(
        "trajmeter.metrics.speedup.costs.price_usd", lambda _model, prompt, _completion, **_: prompt
    )
    each = attempt("fixer", WORKED, turns=turns(*[Usage(input_tokens=3, output_tokens=1)] * 2))
    assert spent(each, monkeypatch) == (6.0, "tokens", 6, 2, "turns", [])


def test_the_profile_adds_no_turns_up(monkeypatch: pytest.MonkeyPatch) -> None:
    each = attempt("fixer", WORKED, turns=turns(PART))
    found = spent(each, monkeypatch, "fc-eval")
    assert found[:5] == (0.0, "none", 0, 0, None)
    payload = each.model_copy(update={"measurements": Measurements(payload={"task_speedup": 2.0})})
    assert spent(payload, monkeypatch, "fc-eval")[:5] == (None, "none", None, None, None)
