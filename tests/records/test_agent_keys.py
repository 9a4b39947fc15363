"""Names of agents with their models."""

from __future__ import annotations

import pytest

from trajmeter.records.agent_keys import agent_key, is_same_agent, normalise_model, split_key


@pytest.mark.parametrize(
    ("key", "agent", "model"),
    [("a:m", "a", "m"), ("a:m:v2", "a", "m:v2"), ("a", "a", ""), ("", "", ""), (":m", "", "m")],
)
def test_the_first_colon_separates(key: str, agent: str, model: str) -> None:
    assert split_key(key) == (agent, model)


def test_names_are_put_together() -> None:
    assert agent_key("a", "m") == "a:m"
    assert agent_key("a", None) == "a:unknown"
    assert agent_key(None, "m") == "unknown:m"
    assert agent_key(None, None) == ""


def test_models_are_the_same_in_either_spelling() -> None:
    assert normalise_model("maker/large/v1") == "maker-large-v1"
    assert is_same_agent("a:maker/large", "a:maker-large")
    assert not is_same_agent("a:maker/large", "b:maker/large")
    assert not is_same_agent("a:large", "a:small")
