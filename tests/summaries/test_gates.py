"""Gates: which thresholds fit which figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from trajmeter.errors import ConfigurationError
from trajmeter.summaries.gates import Gate, check_directions

if TYPE_CHECKING:
    from trajmeter.summaries.gates import GateKind


@pytest.mark.parametrize(
    ("kind", "higher_is_better", "opposite"),
    [
        ("fail_under", False, "--fail-over"),
        ("fail_over", True, "--fail-under"),
        ("fail_under_lower", False, "--fail-over-upper"),
        ("fail_over_upper", True, "--fail-under-lower"),
    ],
)
def test_a_gate_on_the_wrong_side_names_its_opposite(
    kind: GateKind, higher_is_better: bool, opposite: str
) -> None:
    gate = Gate(kind=kind, figure="x.y", threshold=0.5)
    with pytest.raises(ConfigurationError, match=rf"is better in x\.y; did you mean {opposite}\?$"):
        check_directions(gate, {"x.y": higher_is_better})
    check_directions(gate, {"x.y": not higher_is_better})
    check_directions(gate, {"x.y": None})
