"""Secrets in configurations: found by name, wherever they lie; nothing else is touched."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.readers.redaction import REDACTED, redacted

if TYPE_CHECKING:
    from pydantic import JsonValue

SECRET_NAMES = (
    "api_key",
    "apikey",
    "apiKey",
    "API_KEY",
    "openai-api-key",
    "AWS_SECRET_ACCESS_KEY",
    "token",
    "access_token",
    "accessToken",
    "GITHUB_TOKEN",
    "hf_token2_secret",
    "password",
    "dbPassword",
    "client_secret",
    "Authorization",
    "Proxy-Authorization",
    "cookie",
    "credentials",
    "private_key",
    "PGPASSWORD",
    "accesskey",
    "OPENAI_API_KEY_2",
    "token1",
)
PLAIN_NAMES = (
    "key",
    "keyboard",
    "max_tokens",
    "tokenizer",
    "monkey",
    "name",
    "secretary",
    "author",
    "model_name",
    "",
    "…",
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*PLAIN_NAMES, *SECRET_NAMES]), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("name", SECRET_NAMES)
@pytest.mark.parametrize("value", ["s3cr3t", {"a": "s3cr3t"}, ["s3cr3t", 1, 2]])
def test_a_secret_is_known_by_its_name(name: str, value: JsonValue) -> None:
    assert redacted({"model": [{"kwargs": {name: value}}]}) == {
        "model": [{"kwargs": {name: REDACTED}}]
    }


@pytest.mark.parametrize("name", PLAIN_NAMES)
@pytest.mark.parametrize("value", [7, None, True, {"a": 1}, [1, "b", 2.5]])
def test_other_names_keep_their_values(name: str, value: JsonValue) -> None:
    assert redacted({name: value}) == {name: value}


@pytest.mark.parametrize("value", [None, False, "", [], {}])
def test_an_empty_secret_is_none(value: JsonValue) -> None:
    assert redacted({"api_key": value}) == {"api_key": value}


def test_counts_of_tokens_are_kept_and_numbers_that_are_secrets_are_not() -> None:
    counts: JsonValue = {"token": 5, "max_tokens": 9, "tokens": {"input": 1}, "num_key": 3}
    assert redacted(counts) == counts
    assert redacted({"password": 1234}) == {"password": REDACTED}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"name": "Authorization", "value": "x"}, {"name": "Authorization", "value": REDACTED}),
        (
            [{"key": "api.key", "value": {"stringValue": "x"}}],
            [{"key": "api.key", "value": REDACTED}],
        ),
        ([["Cookie", "x"], ["Accept", "y"]], [["Cookie", REDACTED], ["Accept", "y"]]),
    ],
)
def test_names_and_values_next_to_each_other(value: JsonValue, expected: JsonValue) -> None:
    assert redacted(value) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("OPENAI_API_KEY=s3cr3t", f"OPENAI_API_KEY={REDACTED}"),
        ("--hf-token=s3cr3t=", f"--hf-token={REDACTED}"),
        ("PATH=/usr/bin", "PATH=/usr/bin"),
        ("--max-tokens=9", "--max-tokens=9"),
        ("PASSWORD=9", f"PASSWORD={REDACTED}"),
        ("the key=s3cr3t of the map", "the key=s3cr3t of the map"),
        ("Authorization: Bearer s3cr3t-t0ken==", f"Authorization: Bearer {REDACTED}"),
        ("curl -H 'bearer abc.123/xyz' u", f"curl -H 'bearer {REDACTED}' u"),
        ("HEADER=Bearer 0123456789", f"HEADER=Bearer {REDACTED}"),
        ("the bearer instruments of 2026", "the bearer instruments of 2026"),
        ("API_KEY=", "API_KEY="),
    ],
)
def test_names_and_values_in_one_text(text: str, expected: str) -> None:
    assert redacted({"env": [text]}) == {"env": [expected]}


@given(json_values)
def test_redacting_keeps_the_shape_and_does_it_once(value: JsonValue) -> None:
    once = redacted(value)
    assert redacted(once) == once
    json.dumps(once)
    if isinstance(value, dict):
        assert isinstance(once, dict)
        assert once.keys() == value.keys()
