"""Whatever an agent hands out can be written, and holds nobody's keys."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from trajmeter.frameworks.harness import Answer, read_answer
from trajmeter.frameworks.harness.outputs import error_text, storable

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

ODD = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.binary() | st.complex_numbers(),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner)
        | st.dictionaries(st.text() | st.integers() | st.tuples(st.integers()), inner)
    ),
    max_leaves=8,
) | st.text(alphabet=st.characters(categories=("Cs", "Cc", "Lu")))


def numbers(value: object) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    for item in value.values() if isinstance(value, dict) else value if type(value) is list else ():
        yield from numbers(item)


@given(ODD)
def test_every_value_becomes_json_of_finite_numbers(value: object) -> None:
    kept = storable(value)
    assert json.loads(json.dumps(kept)) == kept
    assert all(map(math.isfinite, numbers(kept)))
    json.dumps(kept, ensure_ascii=False).encode()  # no half of a surrogate pair is left


@dataclass
class Call:
    tool: str


class Silent(Exception):  # noqa: N818 - as agents name theirs
    def __str__(self) -> str:
        raise ValueError("no text")


def test_objects_keep_what_they_hold() -> None:
    assert storable({"trace": [Call("sql")], "agents": {"b", "a"}}) == {
        "trace": [{"tool": "sql"}],
        "agents": ["a", "b"],
    }


def test_keys_of_the_environment_are_named_instead_of_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-0123456789")
    monkeypatch.setenv("SHORT_API_KEY", "no")
    assert error_text(ValueError("no to sk-0123456789")) == "ValueError: no to [SOME_API_KEY]"
    told = read_answer({"text": "my key is sk-0123456789", "metadata": {"h": ["sk-0123456789"]}})
    assert told == Answer(text="my key is [SOME_API_KEY]", metadata={"h": ["[SOME_API_KEY]"]})


def test_a_secret_that_json_escapes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = 'pass"word\\of\tthe ägir'
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", odd)
    told = read_answer({"text": f"<{odd}>", "metadata": {odd: (odd,)}})
    assert told == Answer(
        text="<[AWS_SECRET_ACCESS_KEY]>",
        metadata={"[AWS_SECRET_ACCESS_KEY]": ["[AWS_SECRET_ACCESS_KEY]"]},
    )
    assert error_text(ValueError(odd)) == "ValueError: [AWS_SECRET_ACCESS_KEY]"


def test_an_error_without_a_message_is_still_told() -> None:
    assert error_text(Silent()) == "Silent: (its message cannot be shown)"


def test_metadata_that_contains_itself_does_not_cost_the_answer() -> None:
    metadata: dict[str, Any] = {}
    metadata["itself"] = metadata
    got = read_answer({"text": "pier", "metadata": metadata})
    assert (got.text, list(got.metadata)) == ("pier", ["unreadable"])


@dataclass
class Reply:
    __slots__ = ("text", "usage")
    text: str
    usage: object


def test_unknown_and_absent_figures_of_the_usage_are_passed_over() -> None:
    usage = {"prompt_tokens": None, "completion_tokens": 3, "reasoning_tokens": 2}
    got = read_answer(Reply("pier", usage))
    assert (got.usage.prompt_tokens, got.usage.completion_tokens) == (0, 3)
    assert read_answer(
        {"text": "", "usage": {"latency_seconds": math.nan}}
    ).usage == got.usage.model_copy(update={"completion_tokens": 0})
