"""Costs that are computed from tokens: which price they have, and at which time."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING

import pytest

from tests.metrics.speedup.runs import FAST, own, score, write_run

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
