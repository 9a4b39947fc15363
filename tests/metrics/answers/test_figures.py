"""Scenario profiles: figures of a question, and their aggregates."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from trajmeter.errors import ConfigurationError, UnknownNameError
from trajmeter.metrics.answers import (
    FRAMEWORK_COMPARISON,
    generic_aggregates,
    register_profile,
    scenario_profile,
    scenario_profiles,
)
from trajmeter.metrics.answers.profile import DEFAULT
from trajmeter.readers.questions import read_question

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.metrics.answers import AnswersProfile

HOPS = [
    {"id": "berth", "any_of": ["berth 12", "B-12"], "source": "berths.md"},
    {"id": "pilot", "any_of": ["Inga Holm"], "source": "pilots.md"},
]


class GivenAnswer(NamedTuple):
    text: str
    sources: list[str]
    metadata: dict[str, Any]


def figures(
    name: str,
    metadata: dict[str, Any],
    answer: GivenAnswer,
    *,
    profile: AnswersProfile = DEFAULT,
) -> dict[str, Any]:
    question = read_question({"id": "q", "text": "?", "metadata": metadata}, at="q")
    return scenario_profile(name).question_figures(question, answer, profile=profile)


def test_hops_match_in_any_case_and_spacing_and_are_grounded_by_their_source() -> None:
    answer = GivenAnswer("BERTH\n 12, pilot: inga  holm.", ["pilots.md"], {})
    got = figures("multihop_chain_qa", {"required_hops": HOPS}, answer)
    assert got == {
        "is_multi_hop": True,  # more than one hop
        "required_hops": 2,
        "matched_hops": 2,
        "hop_coverage": 1.0,
        "grounded_hop_coverage": 0.5,  # berths.md was not retrieved
        "chain_success": True,
    }


def test_a_question_without_hops_writes_its_flag_alone() -> None:
    answer = GivenAnswer("x", [], {})
    assert figures("multihop_chain_qa", {"multi_hop": True}, answer) == {"is_multi_hop": True}


def test_without_hops_or_trace_coverages_abstain_and_the_comparison_writes_zero() -> None:
    metadata = {"branching": True, "required_tools": ["run_sql"]}
    answer = GivenAnswer("x", [], {})
    absent = ("hop_coverage", "grounded_hop_coverage", "branching_success", "tool_coverage")
    default = figures("tool_branching_qa", metadata, answer)
    assert [default[key] for key in absent] == [None] * 4
    original = figures("tool_branching_qa", metadata, answer, profile=FRAMEWORK_COMPARISON)
    assert [original[key] for key in absent] == [0.0, 0.0, False, 0.0]


@pytest.mark.parametrize(
    ("metadata", "tools", "calls"),
    [
        ({"tool_trace": [{"tool": " SQL "}, {"name": "sql"}, {"tool": ""}]}, 1, 3),
        ({"tool_trace": [], "tools_used": ["sql", "lookup"]}, 2, 2),
        ({"tool_calls": ["sql"]}, 1, 1),
        ({"tool_calls": 9, "tool_trace": ["sql"]}, 1, 9),
        ({"tool_calls": True}, 0, 0),
    ],
)
def test_the_trace_is_the_first_list_that_is_not_empty(
    metadata: dict[str, Any], tools: int, calls: int
) -> None:
    required = {"required_tools": ["SQL", "lookup"]}
    got = figures("tool_branching_qa", required, GivenAnswer("x", [], metadata))
    assert (got["matched_tools"], got["tool_calls_reported"]) == (tools, calls)
    assert got["tool_coverage"] == (tools / 2 if tools else None)


@pytest.mark.parametrize(("profile", "calls"), [(DEFAULT, 0), (FRAMEWORK_COMPARISON, 1)])
def test_true_in_place_of_calls_counts_as_one_in_the_original_alone(
    profile: AnswersProfile, calls: int
) -> None:
    answer = GivenAnswer("x", [], {"tool_calls": True})
    got = figures("tool_branching_qa", {"required_tools": ["SQL"]}, answer, profile=profile)
    assert got["tool_calls_reported"] == calls


def test_coordination_succeeds_at_hop_coverage_of_exactly_0_8_with_every_agent() -> None:
    hops = [{"id": str(i), "any_of": [f"fact {i};"]} for i in range(5)]
    metadata = {
        "difficulty": "hard_coordination",
        "required_agents": ["ops", "Security"],
        "required_hops": hops,
    }
    recorded = {"agents_used": [" OPS", "security"], "tool_trace": [{"tool": "t", "domain": "x"}]}
    four = GivenAnswer("fact 0; fact 1; fact 2; fact 3;", [], recorded)
    got = figures("multi_agent_coordination", metadata, four)
    assert (got["hop_coverage"], got["agent_coverage"]) == (0.8, 1.0)
    assert got["coordination_success"] is True
    three = four._replace(text="fact 0; fact 1; fact 2;")
    assert figures("multi_agent_coordination", metadata, three)["coordination_success"] is False
    alone = {**metadata, "required_agents": []}
    assert figures("multi_agent_coordination", alone, four)["coordination_success"] is None


def test_aggregates_leave_out_questions_without_hops_and_means_over_nothing() -> None:
    rows: list[dict[str, Any]] = [
        {"is_branching": True, "required_hops": 2, "hop_coverage": 1.0, "branching_success": True},
        {"is_branching": True, "required_hops": 0, "hop_coverage": 0.0, "branching_success": None},
        {"is_branching": False, "is_easy": True, "required_hops": 0, "hop_coverage": 0.0},
    ]
    profile = scenario_profile("tool_branching_qa")
    assert profile.aggregates(rows) == {
        "branching_questions": 2.0,
        "easy_questions": 1.0,
        "branching_avg_hop_coverage": 1.0,  # the first question alone
        "branching_success_rate": 1.0,
    }
    original = profile.aggregates(rows, profile=FRAMEWORK_COMPARISON)
    assert original["branching_avg_hop_coverage"] == 0.5  # (1.0 + 0.0) / 2
    assert original["easy_avg_hop_coverage"] == 0.0


def test_generic_averages_count_truth_values_and_skip_texts() -> None:
    rows: list[dict[str, Any]] = [{"ok": True, "note": "x", "n": 2}, {"ok": False}]
    assert generic_aggregates(rows) == {"ok_avg": 0.5, "n_avg": 2.0}


def test_profiles_are_found_by_name_and_can_be_added() -> None:
    assert scenario_profiles() == [
        "default",
        "multi_agent_coordination",
        "multihop_chain_qa",
        "tool_branching_qa",
    ]
    with pytest.raises(UnknownNameError, match="multihop_chain_qa"):
        scenario_profile("multihop")

    class Impostor:
        name = "default"

        def question_figures(self, *_: object, profile: object = None) -> dict[str, Any]:
            return {"profile": str(profile)}

        def aggregates(self, *_: object, profile: object = None) -> dict[str, float]:
            return {"given": float(profile is not None)}

    with pytest.raises(ConfigurationError, match="already exists"):
        register_profile(Impostor())


ABSTAINING = {
    "hop_coverage",
    "grounded_hop_coverage",
    "tool_coverage",
    "agent_coverage",
    "branching_success",
    "coordination_success",
    "tool_calls_reported",
}


@pytest.mark.parametrize(
    "profile",
    ["default", "multihop_chain_qa", "tool_branching_qa", "multi_agent_coordination"],
)
def test_published_cases(reference_data: Path, profile: str) -> None:
    file = reference_data / f"compare/profiles/{profile}.json"
    for case in json.loads(file.read_text())["cases"]:
        given, expected = case["answer"], case["expected"]
        answer = GivenAnswer(given["text"], given["sources_used"], given.get("metadata") or {})
        raw = {"text": "?", **case["question"]}
        if "differs" in case:  # metadata of a wrong type, which is an error here
            with pytest.raises(ConfigurationError, match=r"metadata\.\w+.*: expected"):
                read_question(raw, at=case["id"])
            continue
        question = read_question(raw, at=case["id"])
        found = scenario_profile(profile)
        original = found.question_figures(question, answer, profile=FRAMEWORK_COMPARISON)
        assert original == expected["extra_metrics"], case["id"]
        default = found.question_figures(question, answer)
        apart = {key for key in original if default[key] != original[key]}
        assert apart <= ABSTAINING, case["id"]
