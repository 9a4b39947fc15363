"""Loading agents, reading what they answer, and making it storable, without secrets."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.errors import ConfigurationError, InputError
from trajmeter.frameworks.harness import AgentWorkers, Answer, load_agent, read_answer
from trajmeter.frameworks.harness.agents import error_text, storable

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("tests.frameworks.harness.toys:plain", "plain"),
        ("tests.frameworks.harness.toys:Whole", "Whole Agent"),
    ],
)
def test_functions_and_classes_are_agents(reference: str, name: str) -> None:
    framework = load_agent(reference)
    assert framework.name == name
    assert isinstance(framework.agent, AgentWorkers)
    assert framework.source is not None
    assert framework.source.name == "toys.py"


@pytest.mark.parametrize(
    ("attribute", "name"),
    [
        ("NamedByProperty", "By Property"),
        ("NamedWhenMade", "When Made"),
        ("Nameless", "Nameless"),
        ("NAMELESS", "NAMELESS"),
    ],
)
def test_an_agent_is_named_by_itself_or_else_by_its_class(attribute: str, name: str) -> None:
    assert load_agent(f"tests.frameworks.harness.toys:{attribute}").name == name


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("toys", "expected module:object"),
        (":x", "expected module:object"),
        (
            "no_such_module:x",
            "cannot be imported: ModuleNotFoundError: No module named 'no_such_module'",
        ),
        ("tests.frameworks.harness.toys:absent", "has no 'absent'"),
        (
            "tests.frameworks.harness.toys:NUMBER",
            "expected a class, an object with query, or a function",
        ),
    ],
)
def test_a_wrong_reference_is_explained(reference: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        load_agent(reference)


def test_answers_are_read_from_text_mappings_and_objects() -> None:
    assert read_answer("x") == Answer(text="x")
    assert read_answer({"text": "x", "sources_used": ["a"], "more": 1}).sources_used == ("a",)
    assert read_answer(SimpleNamespace(text="x", metadata=None)) == Answer(text="x")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (None, "got NoneType"),
        (7, "got int"),
        (
            {"answer": "x", "score": 1},
            r"a mapping or object with .* 'text', got only \['answer', 's",
        ),
        ({"sources_used": []}, r"answer\.text: required, but missing"),
        ({"text": 7}, r"answer\.text: .*got 7"),
    ],
)
def test_a_wrong_answer_names_the_field(raw: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_answer(raw)


@pytest.mark.parametrize(
    ("beside", "problem"),
    [
        ({"metadata": ["sql"]}, 'answer.metadata: expected an object, got ["sql"]'),
        ({"sources_used": 7}, "answer.sources_used: expected a list, got 7"),
        ({"sources_used": [7]}, "answer.sources_used[0]: expected text, got 7"),
        ({"usage": {"prompt_tokens": -1}}, "answer.usage.prompt_tokens: "),
        ({"usage": {"prompt_tokens": "few"}}, "answer.usage.prompt_tokens: "),
        ({"usage": "12 tokens"}, "answer.usage: expected prompt_tokens, "),
        ({"usage": {"input_tokens": 3}}, "answer.usage: expected prompt_tokens, "),
    ],
)
def test_an_answer_is_kept_whatever_stands_beside_it(beside: dict[str, Any], problem: str) -> None:
    answer = read_answer({"text": "pier"} | beside)
    (message,) = answer.problems
    assert message.startswith(problem)
    assert answer.model_copy(update={"problems": ()}) == Answer(text="pier")


def test_what_can_be_read_beside_a_wrong_field_is_kept() -> None:
    usage = {"prompt_tokens": -1, "completion_tokens": 3, "model_name": 7}
    answer = read_answer({"text": "pier", "sources_used": "x.md", "usage": usage, "problems": "x"})
    assert answer.sources_used == ("x.md",)
    assert answer.usage.completion_tokens == 3
    assert [message.split(":")[0] for message in answer.problems] == [
        "answer.usage.prompt_tokens",
        "answer.usage.model_name",
    ]


def test_sources_that_contain_themselves_do_not_cost_the_answer() -> None:
    sources: list[Any] = []
    sources.append(sources)
    answer = read_answer({"text": "pier", "sources_used": sources})
    assert (answer.text, answer.sources_used) == ("pier", ())
    assert answer.problems[0].startswith("answer.sources_used: ")


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


def test_objects_keep_their_content() -> None:
    assert storable({"trace": [Call("sql")], "agents": {"b", "a"}}) == {
        "trace": [{"tool": "sql"}],
        "agents": ["a", "b"],
    }


def test_keys_of_the_environment_are_named_instead_of_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-0123456789")
    monkeypatch.setenv("SHORT_API_KEY", "no")
    monkeypatch.setenv("FILED_API_KEY", "sk-from-a-file\n")
    assert error_text(ValueError("a sk-from-a-file b")) == "ValueError: a [FILED_API_KEY] b"
    assert error_text(ValueError("no to sk-0123456789")) == "ValueError: no to [SOME_API_KEY]"
    monkeypatch.setenv("SOME_API_KEY_2", "sk-9876543210")
    assert error_text(ValueError("sk-9876543210")) == "ValueError: [SOME_API_KEY_2]"
    answer = read_answer({"text": "my key is sk-0123456789", "metadata": {"h": ["sk-0123456789"]}})
    assert answer == Answer(text="my key is [SOME_API_KEY]", metadata={"h": ["[SOME_API_KEY]"]})


def test_a_secret_that_json_escapes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = 'pass"word\\of\tthe ägir'
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", odd)
    answer = read_answer({"text": f"<{odd}>", "metadata": {odd: (odd,)}})
    assert answer == Answer(
        text="<[AWS_SECRET_ACCESS_KEY]>",
        metadata={"[AWS_SECRET_ACCESS_KEY]": ["[AWS_SECRET_ACCESS_KEY]"]},
    )
    assert error_text(ValueError(odd)) == "ValueError: [AWS_SECRET_ACCESS_KEY]"


def test_an_error_without_a_message_is_still_reported() -> None:
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
