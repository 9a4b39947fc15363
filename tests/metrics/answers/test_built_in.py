"""The rules of scenario profiles, one by one: which questions count where, and as what."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from trajmeter.metrics.answers import FRAMEWORK_COMPARISON, scenario_profile
from trajmeter.readers.questions import read_question


class GivenAnswer(NamedTuple):
    text: str = "berth 12"
    sources: tuple[str, ...] = ()
    metadata: dict[str, Any] = {}  # noqa: RUF012 - never written to


def figures(profile: str, metadata: dict[str, Any], answer: GivenAnswer) -> dict[str, Any]:
    question = read_question({"id": "q", "text": "?", "metadata": metadata}, at="q")
    return scenario_profile(profile).question_figures(question, answer)


BERTH = {"id": "berth", "any_of": ["berth 12"], "source": "berths.md"}
PILOT = {"id": "pilot", "any_of": ["Inga Holm"], "source": "pilots.md"}


@pytest.mark.parametrize(
    ("metadata", "branching"),
    [
        ({}, False),
        ({"required_hops": [BERTH]}, False),
        ({"required_hops": [BERTH, PILOT]}, True),
        ({"branching_points": 1}, True),
        ({"branching_points": "0"}, False),
        ({"branching": True}, True),
    ],
)
def test_a_question_branches_by_flag_points_or_hops(
    metadata: dict[str, Any], branching: bool
) -> None:
    got = figures("tool_branching_qa", metadata, GivenAnswer())
    assert (got["is_branching"], got["is_easy"]) == (branching, not branching)


def test_only_a_branching_question_can_succeed() -> None:
    answer = GivenAnswer("berth 12, Inga Holm")
    both = {"required_hops": [BERTH, PILOT]}
    assert figures("tool_branching_qa", both, answer)["branching_success"] is True
    half = figures("tool_branching_qa", both, GivenAnswer("berth 12"))
    assert (half["hop_coverage"], half["branching_success"]) == (0.5, False)
    easy = figures("tool_branching_qa", {"required_hops": [BERTH]}, answer)
    assert (easy["hop_coverage"], easy["branching_success"]) == (1.0, False)


@pytest.mark.parametrize(
    ("metadata", "multi_hop"),
    [
        ({"required_hops": [BERTH]}, False),
        ({"required_hops": [BERTH, PILOT]}, True),
        ({"required_hops": [BERTH], "multi_hop": True}, True),
    ],
)
def test_a_question_is_multi_hop_by_flag_or_hops(metadata: dict[str, Any], multi_hop: bool) -> None:
    got = figures("multihop_chain_qa", metadata, GivenAnswer())
    assert got["is_multi_hop"] is multi_hop


def test_a_source_grounds_no_hop_that_the_answer_does_not_hold() -> None:
    answer = GivenAnswer("berth 12", ("berths.md", "pilots.md"))
    got = figures("multihop_chain_qa", {"required_hops": [BERTH, PILOT]}, answer)
    assert (got["matched_hops"], got["grounded_hop_coverage"]) == (1, 0.5)


def test_multi_hop_means_ignore_other_tasks() -> None:
    chain = {"required_hops": 2, "hop_coverage": 0.5, "grounded_hop_coverage": 0.0}
    rows: list[dict[str, Any]] = [
        {"is_multi_hop": True, **chain, "chain_success": False},
        {"is_multi_hop": False, "required_hops": 1, "hop_coverage": 1.0, "chain_success": True},
        {"is_multi_hop": True},
    ]
    assert scenario_profile("multihop_chain_qa").aggregates(rows) == {
        "multi_hop_questions": 2.0,
        "annotated_hop_questions": 2.0,
        "multi_hop_avg_hop_coverage": 0.5,
        "multi_hop_avg_grounded_hop_coverage": 0.0,
        "multi_hop_chain_success_rate": 0.0,
    }


def test_tools_are_names_without_case_blanks_and_copies() -> None:
    metadata = {"required_tools": [" SQL ", "sql", "", "lookup"]}
    answer = GivenAnswer(metadata={"tool_trace": [{"name": "Sql"}, {"tool": None, "name": "x"}]})
    got = figures("tool_branching_qa", metadata, answer)
    assert (got["required_tools"], got["matched_tools"], got["tool_coverage"]) == (2, 1, 0.5)


def test_tool_coverage_is_a_mean_over_questions_that_reported_a_trace() -> None:
    rows: list[dict[str, Any]] = [
        {"is_branching": True, "required_tools": 2, "has_tool_trace": True, "tool_coverage": 0.5},
        {"is_branching": True, "required_tools": 2, "has_tool_trace": False, "tool_coverage": 0.0},
        {"is_branching": True, "required_tools": 0, "has_tool_trace": True, "tool_coverage": 0.0},
        {"is_branching": False, "required_tools": 1, "has_tool_trace": True, "tool_coverage": 0.0},
    ]
    profile = scenario_profile("tool_branching_qa")
    default, original = (
        profile.aggregates(rows),
        profile.aggregates(rows, profile=FRAMEWORK_COMPARISON),
    )
    assert default["branching_avg_tool_coverage"] == 0.5  # the first question alone
    assert original["branching_avg_tool_coverage"] == 0.25  # and the second, as 0
    assert default["tool_trace_rate"] == original["tool_trace_rate"] == 0.75


@pytest.mark.parametrize(
    ("difficulty", "kept", "coordination"),
    [
        (None, "easy", False),
        ("easy", "easy", False),
        ("branching", "branching", False),
        ("coordination", "coordination", True),
        ("hard_coordination", "hard_coordination", True),
    ],
)
def test_a_question_needs_coordination_by_its_difficulty(
    difficulty: str | None, kept: str, coordination: bool
) -> None:
    metadata = {"difficulty": difficulty, "coordination_points": "3"}
    got = figures("multi_agent_coordination", metadata, GivenAnswer())
    assert (got["difficulty"], got["is_coordination"], got["is_easy"]) == (
        kept,
        coordination,
        not coordination,
    )
    assert got["coordination_points"] == 3


def test_agents_are_those_listed_else_the_domains_of_the_trace() -> None:
    trace = [{"tool": "t", "domain": "Ops"}, {"tool": "u", "domain": "crew "}, "v"]
    metadata = {"required_agents": ["ops", "crew"]}
    by_domain = GivenAnswer(metadata={"tool_trace": trace})
    got = figures("multi_agent_coordination", metadata, by_domain)
    assert (got["required_agents"], got["actual_agents"], got["agent_coverage"]) == (2, 2, 1.0)
    listed = GivenAnswer(metadata={"tool_trace": trace, "agents_used": ["CREW"]})
    got = figures("multi_agent_coordination", metadata, listed)
    assert (got["actual_agents"], got["agent_coverage"]) == (1, 0.5)


def test_coordination_means_ignore_attempts_that_cannot_be_judged() -> None:
    joint = {"is_coordination": True, "is_easy": False}
    rows: list[dict[str, Any]] = [
        {**joint, "required_agents": 2, "agent_coverage": 0.5, "required_hops": 2}
        | {"hop_coverage": 1.0, "grounded_hop_coverage": 0.5, "coordination_success": True}
        | {"required_tools_count": 2, "has_tool_trace": True, "tool_coverage": 0.5},
        # without agents, then without hops: no success to speak of
        {**joint, "required_agents": 0, "agent_coverage": 0.0, "required_hops": 1}
        | {"hop_coverage": 0.0, "grounded_hop_coverage": 0.0, "coordination_success": False},
        {**joint, "required_agents": 1, "agent_coverage": 1.0, "required_hops": 0}
        | {"hop_coverage": 0.0, "grounded_hop_coverage": 0.0, "coordination_success": False},
        {"is_coordination": False, "is_easy": True, "required_hops": 1, "hop_coverage": 1.0},
        {"is_coordination": False, "is_easy": True, "required_hops": 0, "hop_coverage": 0.0},
    ]
    profile = scenario_profile("multi_agent_coordination")
    assert profile.aggregates(rows) == {
        "coordination_questions": 3.0,
        "easy_questions": 2.0,
        "coordination_avg_agent_coverage": 0.75,  # (0.5 + 1) / 2
        "coordination_avg_hop_coverage": 0.5,  # (1 + 0) / 2
        "coordination_avg_grounded_hop_coverage": 0.25,
        "coordination_success_rate": 1.0,  # of the first question
        "coordination_avg_tool_coverage": 0.5,
        "easy_avg_hop_coverage": 1.0,
        "tool_trace_rate": 1.0,
    }
    original = profile.aggregates(rows, profile=FRAMEWORK_COMPARISON)
    assert original["coordination_avg_agent_coverage"] == 0.5  # (0.5 + 0 + 1) / 3
    assert original["coordination_avg_hop_coverage"] == pytest.approx(1 / 3)
    assert original["coordination_success_rate"] == pytest.approx(1 / 3)
    assert original["easy_avg_hop_coverage"] == 0.5
