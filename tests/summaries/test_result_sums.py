"""The sums of which estimates are computed, by group."""

from __future__ import annotations

import numpy as np
import pytest

from tests.summaries.tables import attempt
from trajmeter.summaries.options import Reading
from trajmeter.summaries.result_tables import open_tables
from trajmeter.summaries.table_sums import read_sums


@pytest.mark.parametrize("cluster", ["task_id", "model"])
def test_the_units_of_a_group_are_found_once(cluster: str) -> None:
    """With many groups and figures, finding them again would take as long as all else."""
    rows = [attempt(f"t{number % 3}", 0.5, agent=f"a{number % 4}") for number in range(12)]
    results = read_sums(open_tables(rows), Reading(by=("agent",), cluster=cluster))
    for group in results.groups:
        found = results.units_of(group)
        assert found is results.units_of(group)
        assert sorted(found) == np.flatnonzero(results.units.group == group).tolist()
    assert len(results.groups) == 4
