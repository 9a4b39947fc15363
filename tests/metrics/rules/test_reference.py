"""Every published case of the rules, read from the framework's own files, in both profiles."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.errors import ReadError
from trajmeter.metrics.rules import RulesMetric, read_budget, read_texts
from trajmeter.readers.rule_cases import RULE_CASES
from trajmeter.readers.rule_executions import RULE_EXECUTIONS
from trajmeter.records import Source

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.metrics.rules.result import RuleScore

SOURCE = Source(file="cases.json", line=1)


@pytest.fixture(scope="module")
def data(reference_data: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((reference_data / "rules/cases.json").read_text())
    return loaded


def score(case: dict[str, Any], profile: str | None) -> RuleScore:
    task = RULE_CASES.read(case["test_case"], SOURCE)
    execution = {**case["result"], "test_case_id": task.id}
    if "judge" in case:
        execution["verdicts"] = case["judge"]
    attempt = RULE_EXECUTIONS.read(execution, SOURCE)
    found: RuleScore = getattr(RulesMetric(profile=profile).score(task, attempt), case["metric"])
    return found


@pytest.mark.parametrize("profile", [None, "transform-gym"])
def test_reference_scores(data: dict[str, Any], profile: str | None) -> None:
    for case in data["cases"]:
        if profile and "original" not in case and case["source"] in ("issue", "spec"):
            continue  # the framework has no such budget to reproduce
        expected = case.get("original", case["expected"]) if profile else case["expected"]
        found = score(case, profile)
        if expected.get("outcome") == "not_scored":
            assert found.outcome.value == "not_scored", case["name"]
            continue
        assert found.score == pytest.approx(expected["score"], abs=1e-12), case["name"]
        assert found.passed == expected["passed"], case["name"]
        assert (found.outcome.value == "abstained") == expected["abstained"], case["name"]


def test_reading(data: dict[str, Any]) -> None:
    for case in data["reading"]:
        expected = case["expected"]
        if "raises" in expected:
            with pytest.raises(ReadError):
                RULE_CASES.read(case["json"], SOURCE)
            continue
        task = RULE_CASES.read(case["json"], SOURCE)
        names = {"user_message": "question"}
        for key in expected.keys() - {"assertions"}:
            found = getattr(task, names.get(key, key))
            assert (list(found) if isinstance(found, tuple) else found) == expected[key]


def test_coercion(data: dict[str, Any]) -> None:
    for case in data["coercion"]:
        given = case["input"]
        found = read_budget(given) if case["kind"] == "budget" else list(read_texts(given))
        assert found == case["expected"], given
