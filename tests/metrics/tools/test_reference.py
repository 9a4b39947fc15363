"""Every published case of tool matching."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.metrics.tools import ArgumentPolicies, match_calls
from trajmeter.records import ToolCall

if TYPE_CHECKING:
    from pathlib import Path


def calls(given: list[Any]) -> list[ToolCall]:
    return [
        ToolCall(name=call)
        if isinstance(call, str)
        else ToolCall(name=call["name"], arguments=call.get("arguments"))
        for call in given
    ]


def test_cases(reference_data: Path) -> None:
    for case in json.loads((reference_data / "tools/cases.json").read_text())["cases"]:
        policies = ArgumentPolicies.read(case["policy"]) if case.get("policy") else None
        found = match_calls(calls(case["reference"]), calls(case["actual"]), policies=policies)
        compared = 0
        for key, expected in case["expected"].items():
            if isinstance(expected, dict) and hasattr(found, key):
                grades = {name: getattr(getattr(found, key), name) for name in expected}
                assert grades == pytest.approx(expected, abs=1e-12), (case["name"], key)
                compared += 1
            elif hasattr(found, key):
                assert getattr(found, key) == expected, (case["name"], key)
                compared += 1
        assert compared, case["name"]
