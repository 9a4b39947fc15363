"""Gates as JUnit XML, which CI systems show alongside their tests."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from trajmeter.reports.estimates import group_name
from trajmeter.text import without_controls

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.summaries.gates import GateCheck

__all__ = ["junit_document"]


def junit_document(gates: Sequence[GateCheck], *, inconclusive: str | None = None) -> str:
    """Create a test suite with one test case per check.

    Args:
        gates: The checks.
        inconclusive: How checks without enough evidence count: ``"pass"`` as skipped, ``"fail"`` as
            failed, ``None`` as errors.
    """
    elements = {"pass": "skipped", "fail": "failure", None: "error"}
    kinds = [
        {"passed": None, "failed": "failure", "inconclusive": elements[inconclusive]}[gate.outcome]
        for gate in gates
    ]
    counts = {
        "tests": len(gates),
        "failures": kinds.count("failure"),
        "errors": kinds.count("error"),
        "skipped": kinds.count("skipped"),
    }
    attributes = {name: str(count) for name, count in counts.items()}
    root = ET.Element("testsuites", attributes)
    suite = ET.SubElement(root, "testsuite", {"name": "trajmeter gates"} | attributes)
    for gate, kind in zip(gates, kinds, strict=True):
        case = ET.SubElement(
            suite,
            "testcase",
            {
                "classname": without_controls(group_name(gate.group)),
                "name": without_controls(f"{gate.gate} {gate.figure}"),
            },
        )
        if kind is not None:
            ET.SubElement(case, kind, {"message": without_controls(gate.reason)})
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'
