"""Reading of predictions, compared with parsing the same lines as JSON and discarding them.

The records are shaped like those of an average real agent: 10 steps of one file, half of them with
a range, and a patch of a thousand characters; 2.3 KB in all.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from trajmeter import json_input
from trajmeter.readers import read_trajectories

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

RECORDS = 1_000
STEPS = 10


@pytest.fixture(scope="module")
def predictions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def context(path: str, step: int) -> dict[str, list[dict[str, object]]]:
        return {path: [{"type": "line", "start": step + 1, "end": step + 80}]} if step % 2 else {}

    lines = []
    for number in range(RECORDS):
        paths = [f"src/package/module_{(number + step) % 7}.py" for step in range(STEPS)]
        steps = [{"files": [p], "spans": context(p, step)} for step, p in enumerate(paths)]
        data = {"pred_steps": steps, "pred_files": paths[:3], "pred_spans": context(paths[0], 1)}
        record = {"instance_id": f"i-{number}", "traj_data": data, "model_patch": "-x\n" * 333}
        lines.append(json.dumps(record))
    path = tmp_path_factory.mktemp("predictions") / "predictions.jsonl"
    path.write_text("\n".join(lines))
    return path


def _parse(path: Path) -> int:
    with path.open("rb") as file:
        return sum(json_input.parse(line) is not None for _, _, line in json_input.lines(file))


def _read(path: Path) -> int:
    return sum(len(trajectory.turns or ()) == STEPS for trajectory in read_trajectories(path))


@pytest.mark.benchmark(group="read predictions")
@pytest.mark.parametrize("work", [_parse, _read], ids=["parse", "read"])
def bench_predictions(
    benchmark: BenchmarkFixture, predictions: Path, work: Callable[[Path], int]
) -> None:
    megabytes = predictions.stat().st_size / 1e6
    benchmark.extra_info["contender"] = f"{work.__name__.strip('_')} {megabytes:.1f} MB"
    assert benchmark(work, predictions) == RECORDS
