from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.metrics.validated import check_as_validated
from trajmeter import kernels as backends
from trajmeter.errors import UnknownNameError
from trajmeter.metrics import Resources
from trajmeter.metrics.tools import (
    ArgumentPolicies,
    ToolsMetric,
    ToolsResult,
    create,
    match_calls,
    match_steps,
)
from trajmeter.metrics.tools.arguments import Malformed, read_arguments
from trajmeter.metrics.tools.comparison import compare_arguments
from trajmeter.records import Cause, Outcome, Task, ToolCall, Trajectory, Turn

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from pydantic import JsonValue

    from trajmeter.kernels import Kernels


@pytest.fixture
def on_each_backend(kernels: Kernels, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the family compute with one backend, then with the other."""
    monkeypatch.setattr(backends, "active", lambda: kernels)


def call(name: str, arguments: JsonValue = None) -> ToolCall:
    return ToolCall(name=name, arguments=arguments)


def booleans(result: ToolsResult) -> dict[str, bool | None]:
    names = ("exact", "in_order", "any_order", "subset", "superset")
    return {name: getattr(result, name) for name in names}


@pytest.mark.usefixtures("on_each_backend")
@pytest.mark.parametrize(
    ("reference", "actual", "true", "matched", "aligned", "distance"),
    [
        ("", "", {"exact", "in_order", "any_order", "subset", "superset"}, 0, 0, 0),
        ("ab", "", {"subset"}, 0, 0, 2),
        ("", "ab", {"in_order", "superset"}, 0, 0, 2),
        ("ab", "ab", {"exact", "in_order", "any_order", "subset", "superset"}, 2, 2, 0),
        ("ab", "axb", {"in_order", "superset"}, 2, 2, 1),
        ("ab", "ba", {"any_order", "subset", "superset"}, 2, 1, 2),
        ("abc", "ac", {"subset"}, 2, 2, 1),
        ("a", "aa", {"in_order", "superset"}, 1, 1, 1),
        ("aa", "a", {"subset"}, 1, 1, 1),
        ("dabc", "abcd", {"any_order", "subset", "superset"}, 4, 3, 2),
        ("a", "A", set(), 0, 0, 1),
    ],
)
def test_each_mode_of_matching(
    reference: str, actual: str, true: set[str], matched: int, aligned: int, distance: int
) -> None:
    result = match_steps(list(reference), list(actual))

    assert {name for name, value in booleans(result).items() if value} == true
    assert result.any_order_grades.matched == matched
    assert result.in_order_grades.matched == aligned
    assert result.edit_distance == distance


def test_grades_are_matched_over_either_side() -> None:
    grades = match_steps(["a", "b"], ["a", "x", "y"]).any_order_grades

    assert (grades.matched, grades.reference_size, grades.actual_size) == (1, 2, 3)
    assert grades.precision == 1 / 3
    assert grades.recall == 1 / 2
    assert grades.f1 == pytest.approx(2 * 1 / (2 + 3))


@pytest.mark.parametrize(
    ("reference", "actual", "precision", "recall", "f1"),
    [((), (), 1.0, 1.0, 1.0), (("a",), (), 1.0, 0.0, 0.0), ((), ("a",), 0.0, 1.0, 0.0)],
)
def test_empty_sides(
    reference: Sequence[str], actual: Sequence[str], precision: float, recall: float, f1: float
) -> None:
    grades = match_steps(reference, actual).any_order_grades

    assert (grades.precision, grades.recall, grades.f1) == (precision, recall, f1)


@pytest.mark.usefixtures("on_each_backend")
def test_taking_the_first_fit_would_leave_a_call_without_one() -> None:
    # Under subset {} fits both actual calls, and {"q": 1} only the first.
    reference = [call("a", {}), call("a", {"q": 1})]
    actual = [call("a", {"q": 1}), call("a", {"q": 2})]

    result = match_calls(reference, actual, policies=ArgumentPolicies("subset"))

    assert result.any_order
    assert result.in_order_grades.matched == 1


@pytest.mark.usefixtures("on_each_backend")
def test_partial_likeness_breaks_ties_and_never_costs_a_match() -> None:
    # Either actual call can be matched by the subset {"p": 1}; what is left of the other decides.
    reference = [call("a", {"p": 1}), call("a", {"p": 1, "q": 1, "r": 1})]
    actual = [call("a", {"p": 1, "q": 5, "r": 5}), call("a", {"p": 1, "q": 1, "r": 5})]

    result = match_calls(reference, actual, policies=ArgumentPolicies("subset"))

    assert result.any_order_grades.matched == 1
    assert [(m.reference, m.actual, m.path, m.expected, m.got) for m in result.mismatches] == [
        (1, 1, ("r",), 1, 5)
    ]


def test_two_near_misses_never_outweigh_a_match() -> None:
    """The first calls match. Crosswise 9 of 10 arguments are alike, of the second calls 3."""
    same: dict[str, JsonValue] = dict.fromkeys("abcdefghij", 0)
    below: dict[str, JsonValue] = {**same, **dict.fromkeys("abcde", -1), "f": 9}
    above: dict[str, JsonValue] = {**same, **dict.fromkeys("abcde", 1), "g": 9}
    result = match_calls(
        [call("set", same), call("set", below)],
        [call("set", same), call("set", above)],
        policies=ArgumentPolicies({"tolerance": {"abs": 1}}),
    )
    assert result.any_order_grades.matched == 1
    assert {(m.reference, m.actual) for m in result.mismatches} == {(1, 1)}


def test_policies_are_taken_by_the_name_of_the_tool() -> None:
    policies = ArgumentPolicies(tools={"a": "ignore"}, paths={"b": {"id": "ignore"}})

    result = match_calls(
        [call("a", {"x": 1}), call("b", {"id": 1, "q": 1}), call("c", {"x": 1})],
        [call("a", {"x": 2}), call("b", {"id": 2, "q": 1}), call("c", {"x": 2})],
        policies=policies,
    )

    assert result.any_order_grades.matched == 2
    assert result.in_order_grades.matched == 2
    assert result.edit_distance == 1


def test_a_malformed_call_matches_nothing_itself_included() -> None:
    broken = call("a", '{"q": 1')

    for policy in ("exact", "ignore", "subset"):
        result = match_calls([broken], [broken], policies=ArgumentPolicies(policy))
        assert result.any_order_grades.matched == 0
        assert result.edit_distance == 1
        (mismatch,) = result.mismatches
        assert (mismatch.kind, mismatch.reference, mismatch.actual) == ("malformed", 0, 0)
        assert mismatch.reason.startswith("in the reference, the arguments are not valid JSON")
        assert "in the actual call, the arguments are not valid JSON" in mismatch.reason


def test_each_mismatch_is_explained() -> None:
    result = match_calls(
        [call("open"), call("search", {"q": "a"}), call("edit"), call("test"), call("save", "{")],
        [call("test"), call("open"), call("search", {"q": "b"}), call("rm"), call("rm", "[]")],
    )

    assert [
        (m.kind, m.tool, m.reference, m.actual, m.path, m.expected, m.got)
        for m in result.mismatches
    ] == [
        ("order", "open", 0, 1, (), None, None),
        ("arguments", "search", 1, 2, ("q",), "a", "b"),
        ("missing", "edit", 2, None, (), None, None),
        ("malformed", "save", 4, None, (), None, None),
        ("unexpected", "rm", None, 3, (), None, None),
        ("malformed", "rm", None, 4, (), None, None),
    ]
    assert all(mismatch.reason for mismatch in result.mismatches)


def test_of_equal_calls_the_last_ones_are_left_over() -> None:
    reference, actual = [call("open", {"n": 1})] * 4, [call("open", {"n": 1})] * 3
    (missing,) = match_calls(reference, actual).mismatches
    assert (missing.kind, missing.reference) == ("missing", 3)
    (unexpected,) = match_calls(actual, reference).mismatches
    assert (unexpected.kind, unexpected.actual) == ("unexpected", 3)


def test_unmatched_calls_are_explained_by_the_most_similar() -> None:
    reference = [call("a", {"x": 1, "y": 1}), call("a", {"x": 2, "y": 2})]
    actual = [call("a", {"x": 2, "y": 9}), call("a", {"x": 1, "y": 9})]

    result = match_calls(reference, actual)

    assert [(m.reference, m.actual, m.path) for m in result.mismatches] == [
        (0, 1, ("y",)),
        (1, 0, ("y",)),
    ]


def test_hundreds_of_left_over_calls_are_explained_in_order() -> None:
    reference = [call("a", {"x": at}) for at in range(150)]
    actual = [call("a", {"x": -1 - at}) for at in range(150)]

    result = match_calls(reference, actual)

    assert [(m.reference, m.actual) for m in result.mismatches] == [(at, at) for at in range(150)]


TASK = Task(id="t", expected_tool_calls=(call("a", {"q": "X"}),))


def test_a_task_without_expected_calls_abstains() -> None:
    result = ToolsMetric().score(Task(id="t"), Trajectory(task_id="t", tool_calls=()))
    assert (result.outcome, result.cause) == (Outcome.ABSTAINED, None)
    assert result.any_order_grades.outcome is Outcome.ABSTAINED
    assert result.exact is None


def test_without_a_task_there_is_nothing_to_match_with() -> None:
    result = ToolsMetric().score(None, Trajectory(task_id="t", tool_calls=()))
    for group in (result, result.any_order_grades, result.in_order_grades):
        assert (group.outcome, group.cause) == (Outcome.NOT_SCORED, Cause.MISSING_TASK)


def test_an_empty_list_of_expected_calls_is_a_reference() -> None:
    result = ToolsMetric().score(
        Task(id="t", expected_tool_calls=()), Trajectory(task_id="t", turns=())
    )

    assert (result.outcome, result.exact) == (Outcome.SCORED, True)


@pytest.mark.parametrize(
    ("trajectory", "cause"),
    [
        (Trajectory(task_id="t", turn_count=3), Cause.MISSING_CALLS),
        (Trajectory(task_id="t", unusable={"tool_calls": "x"}), Cause.INVALID_INPUT),
    ],
)
def test_calls_that_were_not_recorded(trajectory: Trajectory, cause: Cause) -> None:
    result = ToolsMetric().score(TASK, trajectory)

    assert (result.outcome, result.cause) == (Outcome.NOT_SCORED, cause)
    assert (result.in_order_grades.outcome, result.in_order_grades.cause) == (
        Outcome.NOT_SCORED,
        cause,
    )


def test_calls_of_turns_are_taken_in_order() -> None:
    turns = (Turn(tool_calls=(call("b"),)), Turn(), Turn(tool_calls=(call("a", {"q": "X"}),)))

    result = ToolsMetric().score(TASK, Trajectory(task_id="t", turns=turns))

    assert (result.superset, result.edit_distance) == (True, 1)


def test_policies_of_the_task_go_before_those_of_the_metric() -> None:
    trajectory = Trajectory(task_id="t", tool_calls=(call("a", {"q": "x"}),))
    folding = TASK.model_copy(update={"metadata": {"tool_policies": {"default": "fold"}}})
    wrong = TASK.model_copy(update={"metadata": {"tool_policies": "fold"}})
    metric = ToolsMetric()

    assert metric.score(TASK, trajectory).exact is False
    assert metric.score(folding, trajectory).exact is True
    with pytest.warns(UserWarning, match="tool_policies: policies are 'fold', expected an object"):
        assert metric.score(wrong, trajectory).cause is Cause.INVALID_INPUT
    assert ToolsMetric(policies=ArgumentPolicies("fold")).score(TASK, trajectory).exact is True


def test_the_family_has_no_profile() -> None:
    with pytest.raises(UnknownNameError, match="metric 'tools' has no profiles"):
        create(Resources(profile="fc-eval"))
    assert create(Resources()).parameters == {
        "policies": {"default": "exact", "tools": {}, "paths": {}}
    }


arguments = st.sampled_from([None, {}, {"q": 1}, {"q": 2}, {"q": 1, "z": 0}, '{"q": 1}', "{"])
sequences = st.lists(
    st.builds(ToolCall, name=st.sampled_from("ab"), arguments=arguments), max_size=5
)
policies = st.sampled_from(["exact", "subset", "ignore", {"tolerance": {"abs": 1}}]).map(
    ArgumentPolicies
)


@given(sequences, policies)
def test_well_formed_calls_match_themselves(
    calls: list[ToolCall], policies: ArgumentPolicies
) -> None:
    calls = [each for each in calls if each.arguments != "{"]

    result = match_calls(calls, calls, policies=policies)

    assert all(booleans(result).values())
    assert result.any_order_grades.f1 == 1.0
    assert (result.edit_distance, result.mismatches) == (0, ())


@given(sequences, sequences, policies, st.randoms())
def test_the_order_of_calls_does_not_matter_in_any_order(
    reference: list[ToolCall], actual: list[ToolCall], policies: ArgumentPolicies, random: Random
) -> None:
    before = match_calls(reference, actual, policies=policies)
    random.shuffle(reference)
    random.shuffle(actual)
    after = match_calls(reference, actual, policies=policies)

    assert before.any_order_grades == after.any_order_grades
    for name in ("any_order", "subset", "superset"):
        assert getattr(before, name) == getattr(after, name)


@given(sequences, sequences, policies)
def test_an_extra_call_that_matches_nothing_new_never_raises_precision(
    reference: list[ToolCall], actual: list[ToolCall], policies: ArgumentPolicies
) -> None:
    before = match_calls(reference, actual, policies=policies).any_order_grades
    after = match_calls(reference, [*actual, call("other")], policies=policies).any_order_grades

    assert before.precision is not None
    assert after.precision is not None
    assert after.precision <= before.precision
    assert after.recall == before.recall


@given(sequences, sequences, policies)
def test_results_are_as_validated(
    reference: list[ToolCall], actual: list[ToolCall], policies: ArgumentPolicies
) -> None:
    result = match_calls(reference, actual, policies=policies)

    for model in (result, *result.mismatches, result.any_order_grades, result.in_order_grades):
        check_as_validated(model)


@given(sequences, sequences, policies)
def test_figures_are_bounded_by_each_other(
    reference: list[ToolCall], actual: list[ToolCall], policies: ArgumentPolicies
) -> None:
    result = match_calls(reference, actual, policies=policies)
    free, ordered = result.any_order_grades, result.in_order_grades

    for grades in (free, ordered):
        for name in ("precision", "recall", "f1"):
            assert 0.0 <= getattr(grades, name) <= 1.0
    assert free.matched is not None
    assert ordered.matched is not None
    assert ordered.matched <= free.matched <= min(len(reference), len(actual))
    assert not result.exact or (result.in_order and result.any_order)
    assert not result.any_order or (result.subset and result.superset)
    assert not result.in_order or result.superset
    assert bool(result.exact) == (not result.mismatches)


@given(sequences, sequences, policies)
def test_no_pairing_matches_more(
    reference: list[ToolCall], actual: list[ToolCall], policies: ArgumentPolicies
) -> None:
    def is_match(one: ToolCall, other: ToolCall) -> bool:
        read = [read_arguments(each.arguments) for each in (one, other)]
        if one.name != other.name or any(isinstance(each, Malformed) for each in read):
            return False
        expected, got = [each for each in read if not isinstance(each, Malformed)]
        return compare_arguments(expected, got, policies.tree_of(one.name)).matches

    short, long = sorted((reference, actual), key=len)
    flip = short is actual and short is not reference
    most = max(
        sum(is_match(b, a) if flip else is_match(a, b) for a, b in zip(short, order, strict=True))
        for order in permutations(long, len(short))
    )

    result = match_calls(reference, actual, policies=policies)

    assert result.any_order_grades.matched == most
