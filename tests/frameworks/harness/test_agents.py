"""Loading agents, and reading what they answer."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from trajmeter.errors import ConfigurationError, InputError
from trajmeter.frameworks.harness import Answer, load_agent, read_answer


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("tests.frameworks.harness.toys:plain", "plain"),
        ("tests.frameworks.harness.toys:Whole", "Whole Agent"),
    ],
)
def test_functions_and_classes_are_agents(reference: str, name: str) -> None:
    found, agent, file = load_agent(reference)
    assert found == name
    assert callable(agent.query)
    assert file is not None
    assert file.name == "toys.py"


@pytest.mark.parametrize(
    ("attribute", "name"),
    [
        ("NamedByProperty", "By Property"),
        ("NamedWhenMade", "When Made"),
        ("Nameless", "Nameless"),
        ("NAMELESS", "NAMELESS"),
    ],
)
def test_an_agent_is_called_what_the_made_one_says_else_like_its_class(
    attribute: str, name: str
) -> None:
    assert load_agent(f"tests.frameworks.harness.toys:{attribute}")[0] == name


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
def test_a_wrong_reference_says_what_is_wrong(reference: str, message: str) -> None:
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
        ({"answer": "x", "score": 1}, r"a mapping with a text, or text, got one of \['answer', 's"),
        ({"sources_used": []}, r"answer\.text: Field required"),
        ({"text": 7}, r"answer\.text: .*got 7"),
        ({"text": "x", "usage": {"prompt_tokens": -1}}, r"answer\.usage\.prompt_tokens: .*got -1"),
    ],
)
def test_a_wrong_answer_names_the_field(raw: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_answer(raw)
