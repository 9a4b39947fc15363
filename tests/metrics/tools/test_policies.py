from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.errors import ConfigurationError
from trajmeter.metrics.tools import ArgumentPolicies, Fold, Tolerance
from trajmeter.metrics.tools.arguments import Malformed, json_key, keyed_arguments, read_arguments
from trajmeter.metrics.tools.comparison import compare_arguments

if TYPE_CHECKING:
    from pydantic import JsonValue

    from trajmeter.metrics.tools.comparison import Comparison


def compared(
    expected: dict[str, JsonValue],
    got: dict[str, JsonValue],
    default: object = "exact",
    **paths: object,
) -> Comparison:
    """Compare under a default policy and policies of paths, ``__`` standing for a dot."""
    by_path = {path.replace("__", "."): policy for path, policy in paths.items()}
    policies = ArgumentPolicies(default, paths={"a": by_path})
    return compare_arguments(expected, got, policies.tree_of("a"))


@pytest.mark.parametrize(
    ("expected", "got", "alike"),
    [
        ({"n": 1}, {"n": 1.0}, True),
        ({"n": 1}, {"n": True}, False),
        ({"n": 0}, {"n": False}, False),
        ({"n": 2**53 + 1}, {"n": float(2**53)}, False),
        ({"n": 10**40}, {"n": 10**40}, True),
        ({"n": 10**40}, {"n": 10**40 + 1}, False),
        ({"n": None}, {}, False),
        ({}, {"n": None}, False),
        ({"n": None}, {"n": None}, True),
        ({"n": None}, {"n": False}, False),
        ({"s": "a"}, {"s": "A"}, False),
        ({"s": "\u00e9"}, {"s": "e\u0301"}, False),
        ({"o": {"p": [1, {"q": None}]}}, {"o": {"p": [1, {"q": None}]}}, True),
        ({"a": [1, 2]}, {"a": [2, 1]}, False),
        ({"a": [1]}, {"a": [1, 1]}, False),
        ({"a": []}, {"a": {}}, False),
        ({"a": "1"}, {"a": 1}, False),
    ],
)
def test_exact_is_equality_of_json(
    expected: dict[str, JsonValue], got: dict[str, JsonValue], alike: bool
) -> None:
    assert compared(expected, got).matches is alike
    assert (json_key(expected) == json_key(got)) is alike


@pytest.mark.parametrize(
    ("expected", "got", "alike"),
    [
        ({"q": 1}, {"q": 1, "z": 2}, True),
        ({"q": 1, "z": 2}, {"q": 1}, False),
        ({"o": {"p": 1}}, {"o": {"p": 1, "r": 2}}, True),
        ({"o": [{"p": 1}]}, {"o": [{"p": 1, "r": 2}]}, True),
        ({"o": [{"p": 1}]}, {"o": [{"p": 1}, {"p": 1}]}, False),
        ({"o": {}}, {"o": 5}, False),
        ({}, {"q": 1}, True),
    ],
)
def test_subset_requires_the_keys_of_the_reference(
    expected: dict[str, JsonValue], got: dict[str, JsonValue], alike: bool
) -> None:
    assert compared(expected, got, "subset").matches is alike


@pytest.mark.parametrize(
    ("bounds", "expected", "got", "alike"),
    [
        ({"abs": 0.5}, 10, 10.5, True),  # the limit is included
        ({"abs": 0.5}, 10, 10.500001, False),
        ({"abs": 0.1}, 1.0, 1.1, True),  # as decimals the difference is 0.1
        ({"rel": 0.1}, 90, 100, True),  # 10 is a tenth of the larger
        ({"rel": 0.1}, 89, 100, False),
        ({"rel": 0.1}, -100, -90, True),
        ({"abs": 0.5, "rel": 0.01}, 1000, 1009, True),  # either suffices
        ({"abs": 20, "rel": 0.0}, 1000, 1009, True),
        ({"abs": 0}, 10**30, 10**30 + 1, False),
        ({"abs": 1}, 10**30, 10**30 + 1, True),
        ({"abs": 5}, True, 2, False),
        ({"abs": 5}, 1, True, False),
        ({"abs": 5}, "10", "11", False),
        ({"abs": 5}, None, None, True),
    ],
)
def test_tolerance(
    bounds: dict[str, float], expected: JsonValue, got: JsonValue, alike: bool
) -> None:
    policy = {"tolerance": bounds}
    assert compared({"n": expected}, {"n": got}, policy).matches is alike
    assert compared({"o": [{"n": expected}]}, {"o": [{"n": got}]}, policy).matches is alike


@pytest.mark.parametrize(
    ("fold", "expected", "got", "alike"),
    [
        ("fold", "New York", " new \t YORK\n", True),
        ({"fold": ["case"]}, "Straße", "STRASSE", True),
        ({"fold": "case"}, "New York", "new  york", False),
        ({"fold": ["whitespace"]}, " a\u00a0 b\x1f", "a b", True),
        ({"fold": ["whitespace"]}, "a b", "A b", False),
        ({"fold": ["whitespace"]}, "ab", "a b", False),
        ({"fold": []}, "a", "A", False),
        ("fold", 1, 1.0, True),
    ],
)
def test_a_fold_ignores_case_or_white_space(
    fold: object, expected: JsonValue, got: JsonValue, alike: bool
) -> None:
    assert compared({"s": expected}, {"s": got}, fold).matches is alike


def test_fold_leaves_keys_as_they_are() -> None:
    assert not compared({"Key": "a"}, {"key": "a"}, "fold").matches


def test_ignore_compares_only_paths_with_their_own_policy() -> None:
    assert compared({"q": 1}, {}, "ignore").matches
    assert compared({"q": 1, "t": 5}, {"q": 2, "t": 5}, "ignore", q="exact").differences[0][:3] == (
        ("q",),
        1,
        2,
    )
    assert not compared({"o": {"id": 1}}, {"o": 5}, "ignore", o__id="exact").matches
    assert not compared({}, {"o": {"id": 1}}, "ignore", o__id="exact").matches
    assert compared({}, {"o": {"x": 1}}, "ignore", o__id="exact").matches
    assert compared({"o": [1, 2]}, {"o": [3, 2]}, "ignore", o__1="exact").matches
    assert compared({"o": [1, 2]}, {"o": [1, 3]}, "ignore", o__1="exact").differences[0].path == (
        "o",
        1,
    )


def test_a_path_overrides_its_parents() -> None:
    assert compared({"id": 1, "q": 2}, {"id": 9, "q": 2}, id="ignore").matches
    assert compared({"id": 1}, {}, id="ignore").matches
    assert compared({}, {"id": 1}, id="ignore").matches
    assert not compared({"o": {"id": 1}}, {}, o__id="ignore").matches  # o itself is exact
    assert compared({"o": [{"id": 1}]}, {"o": [{"id": 2}]}, o__0__id="ignore").matches
    assert not compared(
        {"o": {"id": 1, "v": "A"}}, {"o": {"id": 2, "v": "a"}}, "ignore", o="fold", o__id="exact"
    ).matches
    assert compared({"n": 1.0, "m": 1.0}, {"n": 1.2, "m": 1.2}, n={"tolerance": {"abs": 0.5}}) == (
        1,
        ((("m",), 1.0, 1.2, "it differs"),),
    )


def test_under_subset_keys_the_reference_lacks_are_never_compared() -> None:
    assert compared({"q": 1}, {"q": 1, "z": 9}, "subset", z="exact").matches
    assert compared({}, {"z": 9}, z="subset").matches


def test_a_dotted_path_is_not_a_key_with_a_dot() -> None:
    dotted = ArgumentPolicies(paths={"a": {"o.id": "ignore"}})
    listed = ArgumentPolicies(paths={"a": [{"path": ["o.id"], "policy": "ignore"}]})

    assert not compare_arguments({"o.id": 1}, {"o.id": 2}, dotted.tree_of("a")).matches
    assert compare_arguments({"o.id": 1}, {"o.id": 2}, listed.tree_of("a")).matches
    assert not compare_arguments({"o": {"id": 1}}, {"o": {"id": 2}}, listed.tree_of("a")).matches


def test_an_index_is_written_without_zeros_before_it() -> None:
    one: dict[str, JsonValue] = {"o": [1, 2]}
    other: dict[str, JsonValue] = {"o": [1, 3]}

    assert compared(one, other, o__1="ignore").matches
    assert not compared(one, other, o__01="ignore").matches
    assert compared(one, other, "ignore", o__01="exact").matches
    assert compared(one, other, "ignore", **{"o__" + "9" * 5000: "exact"}).matches


def test_a_path_as_long_as_arguments_are_deep() -> None:
    def nested(value: int) -> dict[str, JsonValue]:
        inner: dict[str, JsonValue] = {"x": value}
        for _ in range(100):
            inner = {"x": inner}
        return inner

    path = ".".join("x" * 101)
    policies = ArgumentPolicies(paths={"a": {path: "ignore"}})

    assert not isinstance(keyed_arguments(nested(1)), Malformed)
    assert not compared(nested(1), nested(2)).matches
    assert compare_arguments(nested(1), nested(2), policies.tree_of("a")).matches


def test_a_tolerance_may_be_beyond_doubles() -> None:
    policy = {"tolerance": {"abs": 10**400}}

    assert compared({"n": 0}, {"n": 10**400}, policy).matches
    assert not compared({"n": 0}, {"n": 10**400 + 1}, policy).matches


def test_a_function_decides() -> None:
    def within_one(expected: object, got: object) -> bool:
        return isinstance(expected, int) and isinstance(got, int) and abs(expected - got) <= 1

    assert compared({"n": 1}, {"n": 2}, n=within_one).matches
    assert not compared({"n": 1}, {"n": 3}, n=within_one).matches
    assert not compared({"n": 1}, {}, n=within_one).matches
    whole = ArgumentPolicies(lambda expected, got: set(expected) == set(got))
    assert compare_arguments({"a": 1}, {"a": 2}, whole.tree_of("t")).matches
    assert whole.describe()["default"] == "test_a_function_decides.<locals>.<lambda>"


def test_below_a_function_only_paths_with_their_own_policy_are_compared() -> None:
    asked: list[object] = []

    def fine(expected: object, got: object) -> bool:
        asked.append((expected, got))
        return True

    one: dict[str, JsonValue] = {"o": {"in": {"x": 1, "y": 1}}}
    other: dict[str, JsonValue] = {"o": {"in": {"x": 1, "y": 2}}}
    assert compared(one, other, o=fine, o__in__x="exact").matches
    assert asked == [(one["o"], other["o"])]
    assert not compared(one, other, o=fine, o__in__y="exact").matches


def test_every_difference_has_its_place() -> None:
    result = compared({"a": 1, "b": [1, {"c": 2}], "d": 0}, {"a": 2, "b": [1, {"c": 3}], "e": 1})

    assert [(d.path, d.expected, d.got) for d in result.differences] == [
        (("a",), 1, 2),
        (("b", 1, "c"), 2, 3),
        (("d",), 0, None),
        (("e",), None, 1),
    ]
    assert result.likeness == 1 / 5  # b[0] agrees


@pytest.mark.parametrize(
    ("recorded", "reason"),
    [
        ('{"q": 1', "not valid JSON"),
        ("", "not valid JSON"),
        ("NaN", "NaN is not a JSON number"),
        ('{"q": NaN}', "NaN is not a JSON number"),
        ('{"q": -Infinity}', "-Infinity is not a JSON number"),
        ("[1]", "are a list, expected an object"),
        ("null", "are null, expected an object"),
        ('"{}"', "are text, expected an object"),
        (5, "are a number, expected an object"),
        (True, "are true or false, expected an object"),
        ([1], "are a list, expected an object"),
        ({"q": float("nan")}, "nan is not a JSON number"),
        ({"q": [float("inf")]}, "inf is not a JSON number"),
        ('{"q": 1e999}', "inf is not a JSON number"),
        ("[" * 100_000, "nested too deeply to be read, more than 100 deep"),
        (
            '{"n": -' + "9" * 4301 + "}",
            "contain an integer of 4,301 digits, expected 4,300 digits at most",
        ),
        ('{"a":' * 150 + "1" + "}" * 150, "nested more than 100 deep"),
    ],
)
def test_arguments_that_cannot_match(recorded: JsonValue, reason: str) -> None:
    read = keyed_arguments(recorded)

    assert isinstance(read, Malformed)
    assert reason in read.reason


def test_integers_of_as_many_digits_as_are_read_are_compared_exactly() -> None:
    one, other = ("9" * 4299 + last for last in "12")
    keys = [keyed_arguments(f'{{"n": {digits}}}') for digits in (one, one, other)]
    assert keys[0] == keys[1] != keys[2]


@pytest.mark.parametrize("recorded", [None, {}, "{}", " {} \n"])
def test_no_arguments_are_an_empty_object(recorded: JsonValue) -> None:
    assert read_arguments(recorded) == {}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("fuzzy", r"the policy default is 'fuzzy', expected 'exact'"),
        ({"tolerance": {"abs": -1}}, r"a tolerance of -1, expected a finite number"),
        ({"tolerance": {"abs": True}}, r"a tolerance of True"),
        ({"tolerance": {"rel": float("nan")}}, r"a tolerance of nan"),
        ({"tolerance": {"much": 1}}, r"the tolerance 'much', expected 'abs' or 'rel'"),
        ({"tolerance": {"abs": float("inf")}}, r"a tolerance of inf, expected a finite number"),
        ({"tolerance": 0.5}, r"the policy default is .*, expected"),
        ({"tolerance": {"abs": 1}, "fold": "case"}, r"the policy default is .*'fold': 'case'"),
        ({"fold": "case", "whitespace": True}, r"the policy default is .*'whitespace': True"),
        ({"fold": [["case"]]}, r"folds \['case'\], expected 'case' or 'whitespace'"),
        (Tolerance(absolute=-1.0), r"a tolerance of -1.0, expected a finite number"),
        (Tolerance(relative=float("nan")), r"a tolerance of nan"),
        ({"fold": ["accents"]}, r"folds 'accents', expected 'case' or 'whitespace'"),
        (None, r"the policy default is None"),
    ],
)
def test_unreadable_policies_are_refused(given: object, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        ArgumentPolicies(given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("exact", r"policies are 'exact', expected an object"),
        ({"defaults": "exact"}, r"the key 'defaults', expected default, tools or paths"),
        ({"tools": ["a"]}, r"tools is \['a'\], expected an object"),
        ({"tools": {"a": 5}}, r"the policy tools\['a'\] is 5"),
        ({"paths": {"a": {"x": 5}}}, r"the policy paths\['a'\]\['x'\] is 5"),
        ({"paths": {"a": "x"}}, r"paths\['a'\]\[0\] is 'x', expected an object with path"),
        ({"paths": {"a": [{"path": "x"}]}}, r"expected an object with path and policy"),
        ({"paths": {"a": [{"path": 5, "policy": "exact"}]}}, r"the path 5, expected dotted keys"),
        ({"paths": {"a": [{"path": [True], "policy": "exact"}]}}, r"the path \[True\]"),
        ({"paths": {"a": {"x" + ".x" * 101: "exact"}}}, r"a path of 102 parts, expected 101 at"),
    ],
)
def test_objects_that_hold_no_policies(given: object, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        ArgumentPolicies.read(given)


def test_policies_describe_themselves_as_they_are_read() -> None:
    given = {
        "default": {"fold": ["case"]},
        "tools": {"a": {"tolerance": {"abs": 0.5, "rel": 0.0}}},
        "paths": {"b": [{"path": ["x", "0"], "policy": "ignore"}]},
    }

    described = ArgumentPolicies.read(given).describe()

    assert described == given
    assert json.loads(json.dumps(described)) == given
    assert ArgumentPolicies.read(described).describe() == given
    assert ArgumentPolicies(Fold()).describe()["default"] == {"fold": ["case", "whitespace"]}
    assert ArgumentPolicies(Tolerance(relative=0.1)).describe()["default"] == {
        "tolerance": {"abs": 0.0, "rel": 0.1}
    }


numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | st.text(max_size=3)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=6,
)
objects = st.dictionaries(st.sampled_from("abc"), values, max_size=3)
policies = st.sampled_from(
    ["exact", "ignore", "subset", "fold", {"tolerance": {"abs": 0.5}}, {"fold": ["case"]}]
)


@given(objects, policies)
def test_a_value_matches_itself(value: dict[str, JsonValue], policy: object) -> None:
    result = compared(value, value, policy)

    assert result.matches
    assert result.likeness == 1.0


@given(objects, objects)
def test_keys_are_equal_exactly_where_exact_finds_no_difference(
    one: dict[str, JsonValue], other: dict[str, JsonValue]
) -> None:
    assert (json_key(one) == json_key(other)) == compared(one, other).matches


@given(objects, objects, policies)
def test_no_policy_is_stricter_than_exact(
    one: dict[str, JsonValue], other: dict[str, JsonValue], policy: object
) -> None:
    if compared(one, other).matches:
        assert compared(one, other, policy).matches
    assert 0.0 <= compared(one, other, policy).likeness <= 1.0


@given(objects)
def test_text_is_parsed_as_the_value_it_spells(value: dict[str, JsonValue]) -> None:
    read = keyed_arguments(json.dumps(value))

    assert not isinstance(read, Malformed)
    assert read[1] == json_key(value)
