"""Agents whose names make one key, by the definition and as fc-eval merges them."""

from __future__ import annotations

import json
from math import sqrt
from typing import TYPE_CHECKING

import pytest

import trajmeter
from tests.metrics.speedup.runs import FAILED, ORACLE, PASSED, own, write_run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("key", "first", "second"),
    [
        (
            "acme.fast.Agent:zeta-9",
            {"agent_import_path": "acme.fast:Agent", "model_name": "zeta/9"},
            {"agent_name": "acme.fast.Agent", "model_name": "zeta-9"},
        ),
        (
            "terminus-2:acme-omega-2",
            {"agent_name": "terminus-2", "model_name": "acme/omega-2"},
            {"agent_name": "terminus-2", "model_name": "acme-omega-2"},
        ),
    ],
)
@pytest.mark.parametrize("failed", ["first", "second"])
def test_in_fceval_agents_whose_names_make_one_key_share_the_last_ones_record(
    tmp_path: Path, key: str, first: dict[str, str], second: dict[str, str], failed: str
) -> None:
    agents = {
        ORACLE: own(ORACLE, f=(2.0, 2.0), g=(8.0, 8.0)),
        "first:x": own(key, FAILED if failed == "first" else PASSED, f=(4.0, 2.0), g=(4.0, 8.0)),
        "second:x": own(key, FAILED if failed == "second" else PASSED, f=(3.0, 2.0)),
    }
    run = write_run(tmp_path / "r", agents)
    named = [{"agent_name": "oracle", "model_name": "oracle"}, first, second]
    (run / "fc.lock").write_text(json.dumps({"run_spec": {"agents": named}}))
    scores = trajmeter.score(run, metrics=["speedup"], profiles=["fc-eval"])
    replaced, kept = (row for row in scores.rows if row["speedup.key"] == key)
    assert (replaced["speedup.outcome"], replaced["speedup.cause"]) == ("not_scored", "replaced")
    assert replaced["speedup.success"] is None
    assert replaced["speedup.fallback_to_baseline"] is False
    assert any("same key" in warning for warning in replaced["speedup.warnings"])
    # The merged table has f of the second's file and g of the first's.
    is_reverted = failed == "second"
    assert kept["speedup.num_benchmarks"] == 2
    assert kept["speedup.success"] is not is_reverted
    assert kept["speedup.task_speedup"] == (1.0 if is_reverted else pytest.approx(sqrt(3 * 4)))
    overall = scores.summary.overall.aggregates["speedup"]
    assert overall["mean_speedup"]["scored"] == 2
    assert overall["reverted"] == is_reverted
