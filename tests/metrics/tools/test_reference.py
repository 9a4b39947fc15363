"""Every published case of tool matching."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from trajmeter.metrics.tools import ArgumentPolicies, ToolsResult, match_calls, match_steps
from trajmeter.records import ToolCall

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.kernels import Kernels

FLAGS = ("exact", "in_order", "any_order", "subset", "superset", "edit_distance")


def test_reference_cases(reference_data: Path) -> None:
    cases = json.loads((reference_data / "tools" / "cases.json").read_text())["cases"]
    assert cases
    for case in cases:
        result = _match(case)
        expected = case["expected"]
        for name in FLAGS:
            assert getattr(result, name) == expected[name], (case["name"], name)
        for name in ("any_order_grades", "in_order_grades"):
            grades = getattr(result, name)
            assert grades.reference_size == expected["reference_size"], case["name"]
            assert grades.actual_size == expected["actual_size"], case["name"]
            for figure, value in expected[name].items():
                assert getattr(grades, figure) == pytest.approx(value, abs=1e-12), case["name"]
        reported = [
            (m.reference, m.actual, list(m.path), m.expected, m.got)
            for m in result.mismatches
            if m.kind == "arguments"
        ]
        for wanted in case.get("mismatch", ()):
            keys = ("reference", "actual", "path", "expected", "got")
            assert tuple(wanted[key] for key in keys) in reported, case["name"]


def _match(case: dict[str, Any]) -> ToolsResult:
    if case.get("kind") == "steps":
        return match_steps(case["reference"], case["actual"])
    sides = [
        [ToolCall(name=each["name"], arguments=each.get("arguments")) for each in case[side]]
        for side in ("reference", "actual")
    ]
    return match_calls(*sides, policies=ArgumentPolicies.read(case.get("policy", {})))


def test_assignments(kernels: Kernels, reference_data: Path) -> None:
    cases = json.loads((reference_data / "tools" / "cases.json").read_text())["assignment"]
    assert cases
    for case in cases:
        table = np.array(case["weights"], np.float64)
        for full, name in ((False, "optional"), (True, "full")):
            chosen = kernels.assign(table.reshape(-1), *table.shape, full=full).tolist()
            total = sum(table[row, at] for row, at in enumerate(chosen) if at >= 0)
            assert total == pytest.approx(case["expected"][name], abs=1e-12), case["name"]
