"""Models as JSON documents."""

from __future__ import annotations

import json
import math

import pytest

from trajmeter.records import Trajectory
from trajmeter.writers import json_document


@pytest.mark.parametrize("name", ["a", "caf\udce9"])  # the second is not UTF-8
def test_numbers_that_are_not_finite_are_written_as_texts(name: str) -> None:
    attempt = Trajectory(task_id="one", agent=name, extra={"weight": math.nan, "most": math.inf})

    def refuse(constant: str) -> None:
        pytest.fail(f"{constant} is not JSON")

    read = json.loads(json_document(attempt), parse_constant=refuse)
    assert read["extra"] == {"weight": "NaN", "most": "Infinity"}
    assert read["agent"] == name.replace("\udce9", r"\udce9")
