"""Prices of tokens, by model names as logs write them."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import pytest

from trajmeter.errors import InputError
from trajmeter.prices import million_token_prices_usd, price_table, price_usd

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "name",
    [
        "gpt-5-mini",
        " openai/gpt-5-mini ",
        "openai:gpt-5-mini",
        "openai/azure:gpt-5-mini",
        "GPT-5-mini-2025-08-07",
        "nobody/gpt-5-mini",
    ],
)
def test_spellings_of_one_model_cost_the_same(name: str) -> None:
    # $0.25 and $2.00 a million: 1,000 * 0.25e-6 + 1,000 * 2e-6
    assert price_usd(name, 1_000, 1_000) == pytest.approx(0.00225, rel=1e-12)


def test_a_bedrock_version_is_part_of_the_name() -> None:
    name = "anthropic.claude-3-5-haiku-20241022-v1:0"
    assert price_usd(name, 1_000, 0) == price_usd(f"bedrock/{name}", 1_000, 0) is not None


@pytest.mark.parametrize("name", ["", "  ", "openai:", "timeout", "a/b:c"])
def test_an_unknown_model_has_no_price(name: str) -> None:
    assert price_usd(name, 1, 1) is None


def test_prices_of_a_million_tokens() -> None:
    assert million_token_prices_usd("openai/gpt-5-mini") == (0.25, 2.0)
    assert million_token_prices_usd("a-model-nobody-sells") is None


def test_negative_tokens_are_refused() -> None:
    with pytest.raises(InputError, match="got -1 input and 2 output"):
        price_usd("gpt-5-mini", -1, 2)


def test_the_price_table_has_a_version() -> None:
    assert price_table().split()[1][0].isdigit()


def test_published_costs(reference_data: Path) -> None:
    data = json.loads((reference_data / "compare/cost/cases.json").read_text())
    at = datetime.fromisoformat(data["priced_at"]).replace(tzinfo=timezone.utc)
    for case in data["cases"]:
        expected = case["genai_prices"][1].get("cost_usd", [None] * len(data["usages"]))
        for usage, cost in zip(data["usages"], expected, strict=True):
            tokens = (usage["prompt_tokens"], usage["completion_tokens"])
            got = price_usd(case["model_name"], *tokens, at=at)
            assert got == (None if cost is None else pytest.approx(cost, rel=1e-9))
