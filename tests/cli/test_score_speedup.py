"""``trajmeter score --metrics speedup``: everything it reads, what it shows, and what it writes."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from tests.metrics.speedup.runs import (
    FAST,
    NOP,
    ORACLE,
    PASSED,
    entry,
    own,
    table,
    write_json,
    write_run,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Run: TypeAlias = Callable[..., tuple[int, str, str]]

JUNE = Path(__file__).parents[2] / "examples" / "speedup" / "june"
AGENTS = ("nop", "oracle", "plover", "snipe")

# The agent's ratios are 4 and 1, the oracle's 2 and 2: both have the geometric mean 2. By function
# the advantage is ((4 - 2) + (1 - 2)) / 2.
RATIOS = {"A.f": (4.0, 2.0), "A.g": (1.0, 2.0)}
SPEEDUP, ADVANTAGE, BY_FUNCTION = 2.0, 0.0, 0.5


def by_agent(ratios: dict[str, tuple[float, float]]) -> dict[str, dict[str, Any]]:
    """What the parser found of the baseline, the oracle and an agent."""
    best = {name: (oracle, oracle) for name, (_, oracle) in ratios.items()}
    none = {name: (1.0, oracle) for name, (_, oracle) in ratios.items()}
    return {
        NOP: own(NOP, PASSED, **none),
        ORACLE: own(ORACLE, PASSED, **best),
        FAST: own(FAST, PASSED, **ratios),
    }


def flat_rows() -> list[dict[str, Any]]:
    return [
        {
            "task_id": "t",
            "agent": key.partition(":")[0],
            "model": key.partition(":")[2],
            "benchmark": name,
            "agent_nop": ratios["agent/nop"],
            "oracle_nop": ratios["oracle/nop"],
        }
        for key, found in by_agent(RATIOS).items()
        for name, ratios in found["per_benchmark_speedups_by_agent"][key].items()
    ]


def captured_output(folder: Path) -> list[Path]:
    blocks = {
        "TESTS": {"passed": 8, "failed": 0, "error": 0, "skipped": 2, "total": 10},
        "RESULT": {"last_agent": FAST, "per_benchmark_speedups_by_agent": {FAST: table(**RATIOS)}},
        "SNAPSHOT": {"total": 5, "passed": 5, "failed": 0, "skipped": 0, "pass-to-fail": 0},
    }
    text = [
        f"FORMULACODE_{name}_START\n{json.dumps(value)}\nFORMULACODE_{name}_END\n"
        for name, value in blocks.items()
    ]
    (folder / "pane.txt").write_text("$ run\n" + "".join(text))
    return [folder / "pane.txt"]


def run_folder(folder: Path) -> list[Path]:
    return [write_run(folder / "r", by_agent(RATIOS))]


def results_of_agents(folder: Path) -> list[Path]:
    return sorted(run_folder(folder)[0].glob("*/*/results.json"))


def trial(**fields: Any) -> dict[str, Any]:
    return {
        "trial_name": "t.1-of-1.r",
        "task_id": "t",
        "failure_mode": "unset",
        "is_resolved": True,
        **fields,
    }


def merged_payload() -> dict[str, Any]:
    return {
        "agent_metrics_by_agent": {
            FAST: {
                "per_benchmark_speedups": table(**RATIOS),
                "pytest_summary": {"passed": 8, "failed": 0, "error": 0, "status": "passed"},
                "snapshot_summary": {"passed": 5, "failed": 0, "status": "passed"},
                "success": True,
                "fallback_to_baseline": False,
                "task_speedup": SPEEDUP,
                "agent_advantage": ADVANTAGE,
                "agent_advantage_level3": BY_FUNCTION,
                "num_benchmarks": 2,
                "num_valid_benchmarks": 2,
            }
        }
    }


def result_of_a_trial(folder: Path) -> list[Path]:
    path = folder / "r" / "t" / "t.1-of-1.r" / "results.json"
    write_json(path, trial(parser_extra_metrics=merged_payload()))
    return [path]


def result_of_one_agent(folder: Path) -> list[Path]:
    path = folder / "r" / "t" / "t.1-of-1.r" / "results.json"
    metrics = {**PASSED, "last_agent": FAST, "per_benchmark_speedups": table(**RATIOS)}
    write_json(path, trial(parser_extra_metrics=metrics))
    return [path]


def results_of_a_run(folder: Path) -> list[Path]:
    path = folder / "r" / "results.json"
    write_json(path, {"id": "x", "results": [trial(parser_extra_metrics=merged_payload())]})
    return [path]


def asv_files(folder: Path) -> list[Path]:
    # 8 / 2 and 6 / 6 of the agent; 8 / 4 and 6 / 3 of the oracle.
    seconds = {"nop": (8.0, 6.0), "oracle": (4.0, 3.0), FAST: (2.0, 6.0)}
    for name, (first, second) in seconds.items():
        results = {"m.A.f": [[first], []], "m.A.g": [None, [], [[second, second]]]}
        columns = ["result", "params", "samples"]
        write_json(
            folder / "t" / f"{name}.json",
            {"version": 2, "result_columns": columns, "results": results},
        )
    return sorted((folder / "t").iterdir())


def own_records(folder: Path) -> list[Path]:
    lines = [
        {
            "task_id": "t",
            "agent": key.partition(":")[0],
            "model": key.partition(":")[2],
            "measurements": {"ratios": found["per_benchmark_speedups_by_agent"][key]},
        }
        for key, found in by_agent(RATIOS).items()
    ]
    return [json_lines(folder / "runs.jsonl", lines)]


def own_records_with_times(folder: Path) -> list[Path | str]:
    def seconds(first: float, second: float) -> dict[str, float]:
        return {"m.A.f": first, "m.A.g": second}

    attempt = {
        "task_id": "t",
        "agent": "fixer",
        "model": "large",
        "measurements": {
            "seconds": {name: {"value": value} for name, value in seconds(2.0, 6.0).items()}
        },
        "pytest_summary": {"passed": 8, "total": 8, "status": "passed"},
        "snapshot_summary": {"passed": 5, "total": 5, "status": "passed"},
    }
    task = {"id": "t", "baseline_seconds": seconds(8, 6), "oracle_seconds": seconds(4, 3)}
    runs = json_lines(folder / "runs.jsonl", [attempt])
    return [runs, "--tasks", json_lines(folder / "tasks.jsonl", [task])]


def json_lines(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def flat_json_lines(folder: Path) -> list[Path]:
    return [json_lines(folder / "rows.jsonl", flat_rows())]


def flat_csv(folder: Path) -> list[Path]:
    rows = flat_rows()
    with (folder / "rows.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return [folder / "rows.csv"]


def flat_parquet(folder: Path) -> list[Path]:
    pa = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    write_table(pa.Table.from_pylist(flat_rows()), folder / "rows.parquet")
    return [folder / "rows.parquet"]


@pytest.mark.parametrize(
    "inputs",
    [
        captured_output,
        run_folder,
        results_of_agents,
        result_of_a_trial,
        result_of_one_agent,
        results_of_a_run,
        asv_files,
        own_records,
        own_records_with_times,
        flat_json_lines,
        flat_csv,
        flat_parquet,
    ],
)
@pytest.mark.parametrize("profile", [(), ("--profile", "fc-eval")])
def test_everything_that_is_read_gives_the_same(
    run: Run, folder: Path, inputs: Callable[[Path], Sequence[Path | str]], profile: tuple[str, ...]
) -> None:
    code, out, _ = run("score", *inputs(folder), "-m", "speedup", *profile, "-f", "jsonl")
    assert code == 0
    rows = [json.loads(line) for line in out.splitlines()]
    (row,) = (row for row in rows if row["agent"] == "fixer")
    assert row["model"] == "large"
    assert row["speedup.task_speedup"] == pytest.approx(SPEEDUP)
    assert row["speedup.agent_advantage"] == pytest.approx(ADVANTAGE, abs=1e-12)
    assert row["speedup.agent_advantage_level3"] == pytest.approx(BY_FUNCTION)
    assert (row["speedup.num_benchmarks"], row["speedup.num_valid_benchmarks"]) == (2, 2)
    assert row["speedup.per_benchmark_speedups"]["m.A.f"].items() >= entry(4.0, 2.0).items()


SUMMARY = """\
12 attempts · speedup (version 1)

speedup by agent and model
agent / model        speedup      success     advantage     by module
─────────────────────────────────────────────────────────────────────
nop / nop        1.000 (3/3)  1.000 (3/3)  -1.738 (3/3)  -1.833 (3/3)
oracle / oracle  2.738 (3/3)  1.000 (3/3)   0.000 (3/3)   0.000 (3/3)
plover / reed-2  1.738 (3/3)  0.667 (3/3)  -1.000 (3/3)  -1.163 (3/3)
snipe / sedge-1  4.333 (3/3)  0.667 (3/3)   1.596 (3/3)   1.500 (3/3)

speedup by agent and model (continued)
agent / model        by class   by function     cost USD  advantage per USD
───────────────────────────────────────────────────────────────────────────
nop / nop        -2.167 (3/3)  -2.111 (3/3)      - (0/3)                  -
oracle / oracle   0.000 (3/3)   0.000 (3/3)      - (0/3)                  -
plover / reed-2  -0.663 (3/3)  -0.889 (3/3)  0.400 (3/3)             -2.500
snipe / sedge-1   1.833 (3/3)   1.889 (3/3)  0.600 (3/3)              2.659

speedup by agent and model (continued)
agent / model         length  reverted  unpriced
────────────────────────────────────────────────
nop / nop            - (0/3)         0         0
oracle / oracle      - (0/3)         0         0
plover / reed-2  5.000 (3/3)         1         0
snipe / sedge-1  3.000 (2/3)         1         0
"""


def test_the_agents_are_compared_first(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    # The arithmetic stands in the page of the example. A terminal of 80 columns:
    for name, value in {"TTY_COMPATIBLE": "1", "NO_COLOR": "1", "COLUMNS": "80"}.items():
        monkeypatch.setenv(name, value)
    code, out, err = run("score", JUNE, "--metrics", "speedup")
    assert (code, err) == (0, "")
    lines = [line.rstrip() for line in re.sub(r"\x1b\[\d*m", "", out).splitlines()]
    assert "\n".join(lines).startswith(SUMMARY)
    assert max(map(len, lines)) <= 80
    assert "parse: parse.time_write" in out[out.index("speedup: worst_workload") :]


def test_agents_have_a_row_each_in_markdown(run: Run) -> None:
    code, out, _ = run("score", JUNE, "--metrics", "speedup", "--format", "markdown")
    assert code == 0
    _, title, first, *_ = out.split("\n\n")
    assert title == "## speedup by agent and model"
    header, _, *rows = first.splitlines()
    assert header == (
        "| agent / model | speedup | success | advantage | by module | by class | by function "
        "| cost USD | advantage per USD | length | reverted | unpriced |"
    )
    assert [row.split(" / ")[0].strip("| ") for row in rows] == list(AGENTS)
    assert rows[2].endswith("| 0.400 (3/3) | -2.500 | 5.000 (3/3) | 1 | 0 |")


def test_the_summary_as_json_tells_what_compares_agents(run: Run) -> None:
    code, out, _ = run("score", JUNE, "--metrics", "speedup", "--format", "json")
    assert code == 0
    summary = json.loads(out)
    headlines = summary["metrics"][0]["headlines"]
    groups = {group["agent"]: group["aggregates"]["speedup"] for group in summary["groups"]}
    assert list(groups) == list(AGENTS)
    assert groups["snipe"]["mean_trajectory_length"] == {"value": 3.0, "scored": 2, "total": 3}
    assert {"mean_speedup", "mean_success_rate", "cost_weighted_advantage"} <= headlines.keys()
    assert all(headlines.keys() <= figures.keys() for figures in groups.values())


def test_a_row_for_each_task_agent_and_model_is_written(run: Run, folder: Path) -> None:
    code, _, err = run("score", JUNE, "--metrics", "speedup", "-o", "out.jsonl")
    assert (code, err.splitlines()[0]) == (0, "trajmeter: wrote 12 rows to out.jsonl")
    rows = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    assert [(row["task_id"], row["agent"]) for row in rows] == [
        (task, agent) for task in ("ledger", "parse", "search") for agent in AGENTS
    ]
    assert {row["model"] for row in rows} == {"nop", "oracle", "reed-2", "sedge-1"}
    reverted = [row for row in rows if row["speedup.fallback_to_baseline"]]
    assert [(row["task_id"], row["agent"]) for row in reverted] == [
        ("ledger", "snipe"),
        ("search", "plover"),
    ]
    assert {row["speedup.task_speedup"] for row in reverted} == {1.0}


def test_logs_that_cannot_be_read_are_reported_and_nothing_is_lost(run: Run, folder: Path) -> None:
    agent = folder / "r" / "t" / "t.1-of-1.r.agent-3-fixer"
    run_folder(folder)
    write_json(agent / "agent-logs" / "trajectory.json", {"no": "list"})
    (agent / "sessions").mkdir()
    (agent / "sessions" / "agent.cast").write_text('{"version": 2}\n[0.5, "i", "x"]\n{broken\n')
    code, out, err = run("score", "r", "-m", "speedup", "-f", "json")
    assert (code, err) == (0, "")
    (group,) = (group for group in json.loads(out)["groups"] if group["agent"] == "fixer")
    figures = group["aggregates"]["speedup"]
    assert figures["mean_speedup"] == {"value": pytest.approx(SPEEDUP), "scored": 1, "total": 1}
    assert figures["mean_trajectory_length"]["value"] == 1.0
    first, second = figures["warnings"]
    assert first.endswith("trajectory.json: expected a list of entries, got an object")
    assert second.endswith("agent.cast: 1 of 3 lines are not events")
    _, out, _ = run("score", "r", "-m", "speedup")
    assert second in out[out.index("speedup: warnings") :]


def test_a_run_counted_as_fceval_counts(run: Run) -> None:
    code, out, _ = run("score", JUNE, "-m", "speedup", "--profile", "fc-eval", "-f", "json")
    assert code == 0
    groups = {group["agent"]: group["aggregates"]["speedup"] for group in json.loads(out)["groups"]}
    assert groups["nop"]["mean_cost_per_task"] == {"value": 0.0, "scored": 3, "total": 3}
    assert groups["nop"]["total_cost"] == 0.0
    # 3 and 7 events, and a task without a log as 0.
    assert groups["snipe"]["mean_trajectory_length"]["value"] == pytest.approx(10 / 3)


def test_several_families_score_one_run(run: Run) -> None:
    code, out, _ = run("score", JUNE, "-m", "speedup,turns", "-m", "rules,tools", "-f", "jsonl")
    assert code == 0
    rows = [json.loads(line) for line in out.splitlines()]
    assert len(rows) == 12
    assert {row["speedup.outcome"] for row in rows} == {"scored", "assigned"}
    # The other families find next to nothing in a run of fc-eval, which is no error.
    assert {row["rules.error_handling.cause"] for row in rows} == {"missing_transcript"}
    assert {row["turns.error"] for row in rows} == {row["tools.error"] for row in rows} == {None}
    code, out, _ = run("score", JUNE, "-m", "speedup,turns,rules,tools")
    assert code == 0
    titles = [line for line in out.splitlines() if line.endswith(" by agent and model")]
    assert titles == [f"{name} by agent and model" for name in ("speedup", "turns", "rules")]


def test_records_of_ours_are_scored_by_all_families_at_once(run: Run, folder: Path) -> None:
    attempt = {
        "task_id": "t",
        "agent": "fixer",
        "turns": [{"program": "f()", "success": True}],
        "final_output": "done",
        "measurements": {"ratios": table(**RATIOS)},
    }
    task = {"id": "t", "metadata": {"expected_tools": ["f"]}}
    runs = json_lines(folder / "runs.jsonl", [attempt])
    tasks = json_lines(folder / "tasks.jsonl", [task])
    code, out, err = run("score", runs, "-t", tasks, "-m", "speedup,turns,rules", "-f", "jsonl")
    assert (code, err) == (0, "")
    row = json.loads(out)
    assert row["speedup.task_speedup"] == pytest.approx(SPEEDUP)
    assert row["turns.run.turn_count"] == 1
    assert row["rules.tool_usage.score"] == 0.0
