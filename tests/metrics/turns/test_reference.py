"""Every published case of turn analysis, by default and as PtcRunner has it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.metrics.turns import score
from trajmeter.records import Failure, ToolCall, Trajectory, Turn, Usage

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.metrics.turns.result import TurnsResult

MISSING = {"outcome": "not_scored"}


def failure(given: Any) -> Failure | None:
    if given is None or isinstance(given, str):
        return None if given is None else Failure(message=given)
    return Failure(reason=given.get("reason"), message=given.get("message"))


def call(given: dict[str, Any]) -> ToolCall:
    fields = {"arguments": given.get("args"), **given}
    return ToolCall(**{key: fields[key] for key in ToolCall.model_fields if key in fields})


def trajectory(case: dict[str, Any]) -> Trajectory:
    context = case["context"]
    turns = case["turns"] and [
        Turn(
            number=turn.get("number"),
            success=turn["success"],
            program=turn["program"],
            error=failure(turn["error"]),
            tool_calls=tuple(map(call, turn["tool_calls"] or [])),
        )
        for turn in case["turns"]
    ]
    usage, failed = context.get("usage"), context.get("fail")
    return Trajectory(
        task_id="t",
        turns=None if turns is None else tuple(turns),
        turn_count=context.get("turn_count"),
        usage=Usage(**usage) if usage else None,
        failure=Failure(reason=failed) if isinstance(failed, str) else failure(failed),
        passed=context.get("passed"),
    )


def figure(result: TurnsResult, name: str) -> Any:
    for group in (result, result.run, result.tokens):
        if hasattr(group, name):
            return getattr(group, name)
    raise AssertionError(name)


@pytest.mark.parametrize("profile", [None, "ptcrunner"])
def test_reference_cases(reference_data: Path, profile: str | None) -> None:
    for case in json.loads((reference_data / "turns/cases.json").read_text())["cases"]:
        expected = dict(case["expected"])
        left_out = list(case.get("open_fields", []))
        if profile:
            expected |= case.get("original") or {}
            left_out += case.get("not_in_profile", [])
        if "*" in left_out:
            continue
        result = score(trajectory(case), profile=profile)
        rates = expected.pop("error_rate", {})
        for name in expected.keys() - set(left_out):
            value = expected[name]
            is_missing = value is None and name.endswith("_tokens")
            if value == MISSING or is_missing:
                # Only the default's missing figure is stated; the original has a 0 there.
                assert profile or figure(result, name) is None, (case["name"], name)
            else:
                wanted = pytest.approx(value) if isinstance(value, float) else value
                assert figure(result, name) == wanted, (case["name"], name)
        if rates != MISSING:
            for reason, rate in rates.items():
                assert result.error_rate(reason) == rate, (case["name"], reason)
