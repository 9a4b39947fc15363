"""Reading of files into columns, compared with parsing them as JSON and discarding the result.

Predictions are shaped like those of an average real agent (10 steps of 6 files, half of them with a
range), and Trajmeter records like the log of an agent with 20 turns and a call in each. Both are 30
MB.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from trajmeter.readers.batches import TrajectoryBatches
from trajmeter.records import ToolCall, Trajectory, Turn, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

SIZE = 30_000_000
SMOKE_SIZE = 300_000
STEPS = 10
TURNS = 20


def prediction(number: int) -> str:
    def context(paths: list[str]) -> dict[str, list[dict[str, object]]]:
        return {
            path: [{"type": "line", "start": at + 1, "end": at + 80}]
            for at, path in enumerate(paths)
        }

    paths = [f"src/package_{number % 17}/module_{index}.py" for index in range(60)]
    steps = [paths[6 * step : 6 * step + 6] for step in range(STEPS)]
    data = {
        "pred_steps": [{"files": files, "spans": context(files[:3])} for files in steps],
        "pred_files": paths[:5],
        "pred_spans": context(paths[:2]),
    }
    record = {"instance_id": f"i-{number % 500}", "traj_data": data, "model_patch": "-x\n" * 200}
    return json.dumps(record)


def own_record(number: int) -> str:
    turns = [
        Turn(
            number=turn,
            program='grep -rn "needle" src/ | head -40\n' * 4,
            tool_calls=(ToolCall(name="bash", arguments={"command": "ls -la", "timeout": 30}),),
            usage=Usage(input_tokens=1_000 + turn, output_tokens=80),
        )
        for turn in range(1, TURNS + 1)
    ]
    record = Trajectory(task_id=f"t-{number % 500}", agent="a", turns=tuple(turns), passed=True)
    return record.model_dump_json()


@pytest.fixture(scope="module", params=[prediction, own_record], ids=["predictions", "own records"])
def lines(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Path, int]]:
    size = SMOKE_SIZE if request.config.getoption("--benchmark-disable") else SIZE
    made = [request.param(number) for number in range(1_000)]
    count = size // (sum(map(len, made)) // len(made))
    path = tmp_path_factory.mktemp("lines") / "lines.jsonl"
    with path.open("w") as file:
        file.writelines(f"{made[number % len(made)]}\n" for number in range(count))
    yield request.param.__name__, path, count
    path.unlink()


def parse(path: Path) -> int:
    with path.open("rb") as file:
        return sum(isinstance(json.loads(line), dict) for line in file)


def columns(path: Path) -> int:
    batches = TrajectoryBatches(path)
    rows = sum(batch.num_rows for batch in batches)
    assert batches.lines_as_records == 0
    return rows


@pytest.mark.benchmark(group="read JSON lines")
@pytest.mark.parametrize("work", [parse, columns], ids=["json.loads", "columns"])
def bench_lines(
    benchmark: BenchmarkFixture, lines: tuple[str, Path, int], work: Callable[[Path], int]
) -> None:
    name, path, count = lines
    benchmark.group = f"read {name} lines, {path.stat().st_size / 1e6:.0f} MB"
    benchmark.extra_info["contender"] = "json.loads" if work is parse else "columns"
    assert benchmark(work, path) == count
