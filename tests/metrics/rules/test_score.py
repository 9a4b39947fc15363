from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.metrics.validated import check_as_validated
from trajmeter.errors import UnknownNameError
from trajmeter.metrics import Resources
from trajmeter.metrics.rules import RulesMetric, RulesResult, create
from trajmeter.records import (
    Assertion,
    Cause,
    Outcome,
    Task,
    ToolCall,
    Trajectory,
    Usage,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from trajmeter.metrics.rules import RuleScore

CASES = json.loads((Path(__file__).parents[2] / "cases" / "rules.json").read_text())["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['rule']}: {case['name']}")
def test_worked_examples(case: dict[str, Any]) -> None:
    task = Task(id="t", **case.get("task", {}))
    trajectory = Trajectory(task_id="t", **case.get("attempt", {}), verdicts=case.get("verdicts"))
    differing = case.get("transform_gym")

    _compare(RulesMetric().score(task, trajectory), case["rule"], case["expected"])
    original = RulesMetric(profile="transform-gym").score(task, trajectory)
    _compare(original, case["rule"], case["expected"] if differing is None else differing)


def _compare(result: RulesResult, rule: str, expected: dict[str, Any]) -> None:
    got = getattr(result, rule).model_dump(mode="json")
    assert {name: got[name] for name in expected} == {
        name: pytest.approx(value, abs=1e-12) if isinstance(value, float) else value
        for name, value in expected.items()
    }
    assert got["reason"]


def test_a_tool_name_that_is_not_text_is_reported_with_its_place() -> None:
    fine = Assertion(type="transcript_contains", check="hello")
    task = Task(id="t", assertions=(fine, Assertion(type="tool_called", tool=5)))
    attempt = Trajectory(task_id="t", transcript="hello", tool_calls=())
    score = RulesMetric().score(task, attempt).assertion_pass_rate
    assert (score.cause, score.reason) == (
        Cause.INVALID_INPUT,
        "assertions[1].tool is 5, expected text",
    )


def test_recorded_turns_count_rather_than_a_number_of_them() -> None:
    attempt = Trajectory(task_id="t", turns=(), turn_count=9, final_output="x")
    score = RulesMetric().score(Task(id="t", max_turns=5), attempt).completeness
    assert (score.score, score.completion_signal) == (10.0, "turn_budget")


def test_a_duration_in_milliseconds_is_the_number_that_was_recorded() -> None:
    attempt = Trajectory(task_id="t", duration_seconds=1001 / 1000)
    latency = RulesMetric().score(Task(id="t", metadata={"max_latency_ms": 1}), attempt).latency
    assert 1001 / 1000 * 1000 != 1001
    assert latency.duration_ms == 1001


def test_a_blank_is_the_name_of_a_tool_and_does_not_give_way_to_the_check() -> None:
    task = Task(id="t", assertions=(Assertion(type="tool_called", tool=" ", check="open"),))
    attempt = Trajectory(task_id="t", tool_calls=(ToolCall(name="open"),))
    assert RulesMetric().score(task, attempt).assertion_pass_rate.score == 0.0


def test_each_check_says_why() -> None:
    task = Task(
        id="t",
        metadata={"expected_tools": "open", "forbidden_tools": "rm", "max_tokens": 10},
        assertions=(
            Assertion(name="greets", type="transcript_contains", check="hello"),
            Assertion(type="tool_called", tool="search"),
        ),
    )
    trajectory = Trajectory(
        task_id="t",
        transcript="Hello.",
        tool_calls=(ToolCall(name="rm"),),
        usage=Usage(total_tokens=25),
    )

    result = RulesMetric().score(task, trajectory)

    assert [(c.name, c.passed, c.reason) for c in result.assertion_pass_rate.checks] == [
        ("greets", True, "the transcript contains 'hello'"),
        ("tool_called", False, "'search' was not called"),
    ]
    assert [c.reason for c in result.tool_usage.checks] == [
        "'open' is expected and was not called",
        "'rm' is forbidden and was called",
    ]
    assert result.cost_budget.checks[0].reason == "the run used 25 of 10 tokens"
    assert result.cost_budget.score == 4.0  # 10 / (25 / 10)


@pytest.mark.parametrize("profile", [None, "transform-gym"])
def test_without_a_task_only_errors_are_looked_for(profile: str | None) -> None:
    result = RulesMetric(profile=profile).score(
        None, Trajectory(task_id="t", transcript="ERROR: x")
    )

    assert result.error_handling.score == 0.0
    others = [getattr(result, name) for name in RulesResult.model_fields]
    others.remove(result.error_handling)
    assert {(each.outcome, each.cause) for each in others} == {
        (Outcome.NOT_SCORED, Cause.MISSING_TASK)
    }
    assert {(each.score, each.passed) for each in others} == {(None, None)}


JUDGED = Task(id="t", assertions=(Assertion(name="p", type="llm_judge", check="Was it kind?"),))


def test_a_judge_may_be_any_callable() -> None:
    def judge(task: Task, trajectory: Trajectory, assertions: Sequence[Assertion]) -> list[Verdict]:
        assert (task, trajectory.task_id) == (JUDGED, "t")
        return [Verdict(name=a.label, result="pass", reason="it was") for a in assertions]

    score = RulesMetric(judge=judge).score(JUDGED, Trajectory(task_id="t")).llm_judge

    assert (score.score, score.sent, score.judged) == (10.0, 1, 1)
    assert score.checks[0].reason == "it was"


def test_a_judge_goes_before_recorded_verdicts() -> None:
    trajectory = Trajectory(task_id="t", verdicts=(Verdict(name="p", result="pass"),))

    score = RulesMetric(judge=lambda *_: []).score(JUDGED, trajectory).llm_judge

    assert score.cause is Cause.JUDGE_UNDECIDED


@pytest.mark.parametrize(
    ("error", "cause"),
    [(TimeoutError("60 s"), Cause.JUDGE_TIMEOUT), (KeyError("choices"), Cause.JUDGE_ERROR)],
)
def test_a_judge_that_raises_is_not_scored_and_0_in_the_profile(
    error: Exception, cause: Cause
) -> None:
    def judge(*_: object) -> list[Verdict]:
        raise error

    trajectory = Trajectory(task_id="t")
    default = RulesMetric(judge=judge).score(JUDGED, trajectory).llm_judge
    original = RulesMetric(judge=judge, profile="transform-gym").score(JUDGED, trajectory).llm_judge

    assert (default.outcome, default.cause, default.score) == (Outcome.NOT_SCORED, cause, None)
    assert (original.outcome, original.score, original.passed) == (Outcome.ASSIGNED, 0.0, False)


def test_passing_allows_for_rounding_but_not_in_the_profile() -> None:
    # 10 / (1000 / 699.99999999) is 6.9999999999: below 7 by 1e-10.
    task = Task(id="t", metadata={"max_latency_ms": 699.99999999})
    trajectory = Trajectory(task_id="t", duration_seconds=1.0)

    default = RulesMetric().score(task, trajectory).latency
    original = RulesMetric(profile="transform-gym").score(task, trajectory).latency

    assert default.score == original.score
    assert default.score is not None
    assert default.score < 7.0
    assert (default.passed, original.passed) == (True, False)


def test_an_unknown_profile_is_named() -> None:
    with pytest.raises(UnknownNameError, match="no profile 'ptcrunner'; profiles: transform-gym"):
        create(Resources(profile="ptcrunner"))


def test_parameters_name_the_profile_and_the_judge() -> None:
    metric = create(Resources(profile="transform-gym"))

    assert metric.parameters == {"profile": "transform-gym", "judge": False}


texts = st.text(alphabet="abE:rO ", max_size=6)
assertions = st.builds(
    Assertion,
    name=st.none() | st.sampled_from("pq"),
    type=st.sampled_from(
        ["transcript_contains", "transcript_not_contains", "output_contains", "tool_called", "x"]
    ),
    check=texts | st.none(),
    tool=st.none() | texts,
)
tasks = st.builds(
    Task,
    id=st.just("t"),
    max_turns=st.none() | st.integers(0, 4),
    assertions=st.lists(assertions, max_size=4).map(tuple),
    metadata=st.fixed_dictionaries(
        {},
        optional={
            "expected_tools": st.lists(texts),
            "forbidden_tools": texts,
            "error_markers": st.lists(texts),
            "completion_markers": st.lists(texts),
            "max_latency_ms": st.floats() | texts,
            "max_credits": st.floats(),
            "max_tokens": st.integers(-1, 5),
        },
    ),
)
attempts = st.builds(
    Trajectory,
    task_id=st.just("t"),
    transcript=st.none() | texts,
    final_output=st.none() | texts,
    turn_count=st.none() | st.integers(0, 5),
    duration_seconds=st.none() | st.floats(),
    tool_calls=st.none() | st.lists(st.builds(ToolCall, name=texts), max_size=3).map(tuple),
    usage=st.none()
    | st.builds(Usage, credits=st.floats() | st.none(), total_tokens=st.integers(-1, 9)),
    verdicts=st.none()
    | st.lists(
        st.builds(
            Verdict, name=st.sampled_from("pqx"), result=st.sampled_from(["pass", "fail", "?"])
        )
    ).map(tuple),
)


@given(tasks, attempts)
def test_scores_are_between_0_and_10_and_agree_with_their_outcome(
    task: Task, attempt: Trajectory
) -> None:
    for profile in (None, "transform-gym"):
        result = RulesMetric(profile=profile).score(task, attempt)
        for name in RulesResult.model_fields:
            rule: RuleScore = getattr(result, name)
            assert (rule.score is None) == (rule.outcome is Outcome.NOT_SCORED)
            assert (rule.cause is None) == (rule.outcome in (Outcome.SCORED, Outcome.ABSTAINED))
            if rule.score is not None:
                assert 0.0 <= rule.score <= 10.0
                assert rule.passed == (rule.score >= 7.0)
            if rule.outcome is Outcome.ABSTAINED:
                assert (rule.score, rule.passed) == (10.0, True)


@given(tasks, attempts)
def test_results_are_as_validated(task: Task, attempt: Trajectory) -> None:
    for profile in (None, "transform-gym"):
        result = RulesMetric(profile=profile).score(task, attempt)
        check_as_validated(result)
        for name in RulesResult.model_fields:
            rule: RuleScore = getattr(result, name)
            check_as_validated(rule)
            for check in getattr(rule, "checks", ()):
                check_as_validated(check)


amounts = st.floats(min_value=1e-3, max_value=1e9)


@given(amounts, amounts, amounts)
def test_more_budget_never_costs_and_more_use_never_pays(
    budget: float, used: float, more: float
) -> None:
    def score(budget: float, used: float) -> float:
        task = Task(id="t", metadata={"max_credits": budget})
        attempt = Trajectory(task_id="t", usage=Usage(credits=used))
        found = RulesMetric().score(task, attempt).cost_budget.score
        assert found is not None
        return found

    assert score(budget + more, used) >= score(budget, used)
    assert score(budget, used + more) <= score(budget, used)
    assert (score(budget, used) == 10.0) == (used <= budget)


@given(tasks, attempts, texts)
def test_another_error_marker_never_raises_the_score(
    task: Task, attempt: Trajectory, marker: str
) -> None:
    listed = [*task.metadata.get("error_markers", ()), "b"]
    scores = [
        RulesMetric()
        .score(task.model_copy(update={"metadata": {"error_markers": markers}}), attempt)
        .error_handling.score
        for markers in (listed, [*listed, marker])
    ]
    assert scores == [None, None] or (None not in scores and scores[1] in (0.0, scores[0]))


def test_rules_without_anything_to_act_on_harm_no_run() -> None:
    attempt = Trajectory(
        task_id="t", transcript="done", final_output="", tool_calls=(), turn_count=9
    )
    for task in (Task(id="t"), Task(id="t", max_turns=1, metadata={"tags": ["x"]})):
        for profile in (None, "transform-gym"):
            result = RulesMetric(profile=profile).score(task, attempt)
            rules = {name: getattr(result, name) for name in RulesResult.model_fields}
            assert {(rule.score, rule.passed) for rule in rules.values()} == {(10.0, True)}
            scored = [name for name, rule in rules.items() if rule.outcome is Outcome.SCORED]
            assert scored == ["error_handling"]


@given(tasks, attempts, st.randoms())
def test_the_order_of_assertions_does_not_matter(
    task: Task, attempt: Trajectory, random: Random
) -> None:
    shuffled = list(task.assertions)
    random.shuffle(shuffled)
    other = task.model_copy(update={"assertions": tuple(shuffled)})

    before = RulesMetric().score(task, attempt).assertion_pass_rate
    after = RulesMetric().score(other, attempt).assertion_pass_rate

    assert before.score == after.score


def test_reference_cases(reference_data: Path) -> None:
    cases = json.loads((reference_data / "rules" / "cases.json").read_text())["cases"]
    assert cases
    for case in cases:
        _compare_reference(case, None, case["expected"])
        if case["source"] in ("run", "test"):  # the original answered only these
            _compare_reference(case, "transform-gym", case.get("original", case["expected"]))


def _compare_reference(case: dict[str, Any], profile: str | None, expected: dict[str, Any]) -> None:
    task, trajectory = _reference_task(case["test_case"]), _reference_attempt(case)
    score = getattr(RulesMetric(profile=profile).score(task, trajectory), case["metric"])
    if expected.get("outcome") == "not_scored":
        assert score.outcome is Outcome.NOT_SCORED, case["name"]
        assert score.cause == expected.get("cause", score.cause), case["name"]
        return
    assert score.score == pytest.approx(expected["score"], abs=1e-12), case["name"]
    assert score.passed is expected["passed"], case["name"]
    assert (score.outcome is Outcome.ABSTAINED) is expected["abstained"], case["name"]


def _reference_task(case: dict[str, Any]) -> Task:
    return Task(
        id=case["id"],
        max_turns=case.get("max_turns", 1),
        metadata=case.get("metadata") or {},
        assertions=case.get("assertions") or (),
    )


def _reference_attempt(case: dict[str, Any]) -> Trajectory:
    result = case["result"]
    duration = result["duration_ms"]
    return Trajectory.model_validate(
        {
            "task_id": "t",
            "transcript": result["transcript"],
            "final_output": result["output"],
            "tool_calls": result["tool_calls"],
            "duration_seconds": None if duration is None else duration / 1000,
            "turn_count": result["turn_count"],
            "usage": result["token_usage"],
            "verdicts": case.get("judge"),
        }
    )
