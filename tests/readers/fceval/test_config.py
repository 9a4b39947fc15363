"""Who the agents of a run are: by its lock file, its description, or the results themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.metrics.speedup.runs import (
    CRASHED,
    FAST,
    PASSED,
    write_json,
    write_run,
)
from tests.readers.fceval.runs import keys, read, result

if TYPE_CHECKING:
    from pathlib import Path


def test_the_lock_file_names_the_agents(tmp_path: Path) -> None:
    run = write_run(tmp_path / "r", {"x:y": PASSED, "x:z": PASSED, "x:w": PASSED})
    agents = [
        {"agent_id": "agent-2", "agent_import_path": "pkg.mod:Agent", "model_name": "maker/large"},
        {"agent_id": "agent-1", "agent_name": "fixer", "model_name": None},
    ]
    write_json(run / "fc.lock", {"run_spec": {"agents": agents}})
    attempts, _ = read(run)
    # The third is not in the file, and goes by the name of its folder.
    expected = [("fixer", "unknown"), ("pkg.mod.Agent", "maker-large"), ("x", "unknown")]
    assert keys(attempts) == expected
    assert [attempt.run_log.model_name for attempt in attempts if attempt.run_log] == [
        None,
        "maker/large",
        None,
    ]


def test_without_a_lock_file_the_results_name_them(tmp_path: Path) -> None:
    metrics = {
        "a:1": {"last_agent": "solo:m:v2", "agent_model_key": "other:m"},
        "b:2": {"agent_model_key": "solo"},
        "c:3": CRASHED,
    }
    run = write_run(tmp_path / "r", metrics)
    (run / "fc.lock").unlink()
    attempts, problems = read(run)
    assert keys(attempts) == [("solo", "m:v2"), ("solo", "unknown"), ("c", "unknown")]
    assert problems == []


def test_a_lock_file_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    run = write_run(tmp_path / "r", {FAST: {"last_agent": FAST}})
    (run / "fc.lock").write_text("{broken")
    attempts, problems = read(run)
    assert keys(attempts) == [("fixer", "large")]
    assert [problem.file for problem in problems] == [str(run / "fc.lock")]


@pytest.mark.parametrize("known", ["last_agent", "agent_model_key", "fc.lock", "run_metadata.json"])
def test_a_run_of_one_agent(tmp_path: Path, known: str) -> None:
    run = tmp_path / "r"
    metrics = {**PASSED, known: "solo:maker/m"} if known.endswith(("agent", "key")) else PASSED
    agent = {"agent_name": "solo", "model_name": "maker/m"}
    if known == "run_metadata.json":
        write_json(run / known, agent)
    else:
        write_json(run / "fc.lock", {"run_spec": {"agents": [agent]}})
    write_json(run / "t" / "t.1-of-1.r" / "results.json", result(parser_extra_metrics=metrics))
    (attempt,), problems = read(run)
    assert keys([attempt]) == [("solo", "maker-m")]
    assert attempt.run_log is not None
    assert attempt.run_log.model_name == "maker/m"
    assert (attempt.task_id, attempt.passed, problems) == ("t", True, [])


def test_agents_with_the_same_name_are_distinguished_in_each_repetition(tmp_path: Path) -> None:
    run = tmp_path / "r"
    for number in (1, 2):
        agents = {FAST: PASSED, "fixer:other": PASSED}
        write_run(run, agents, attempt=f"{number}-of-2", lock=[FAST, FAST])
    attempts, _ = read(run)
    assert [(each.attempt, each.instance) for each in attempts] == [
        ("1-of-2.agent-1-fixer", "agent-1-fixer"),
        ("1-of-2.agent-2-fixer", "agent-2-fixer"),
        ("2-of-2.agent-1-fixer", "agent-1-fixer"),
        ("2-of-2.agent-2-fixer", "agent-2-fixer"),
    ]


def test_an_agent_that_was_not_configured_goes_by_its_folder(tmp_path: Path) -> None:
    run = write_run(tmp_path / "r", {FAST: PASSED})
    write_json(run / "t" / "t.1-of-1.r.agent-2-late" / "results.json", result())
    assert keys(read(run)[0]) == [("fixer", "large"), ("late", "unknown")]


@pytest.mark.parametrize(
    ("lock", "described", "named"),
    [
        (None, {"agent_name": "multi-agent"}, "x"),  # no agent's name
        (None, {"agent_name": "solo"}, "solo"),
        ({"run_spec": {}}, {"agent_name": "solo"}, "solo"),
        ({"run_spec": {"agents": ["x", {}]}}, {"agent_name": "solo"}, "solo"),
        ({"run_spec": {"agent_name": "locked"}}, {"agent_name": "solo"}, "locked"),
    ],
)
def test_the_description_of_a_run_names_its_agent(
    tmp_path: Path, lock: object, described: object, named: str
) -> None:
    write_json(tmp_path / "t" / "t.1-of-1.r.agent-1-x" / "results.json", result())
    write_json(tmp_path / "run_metadata.json", described)
    if lock is not None:
        write_json(tmp_path / "fc.lock", lock)
    assert keys(read(tmp_path)[0]) == [(named, "unknown")]
