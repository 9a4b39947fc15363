"""Reading of mini-swe-agent logs into columns, compared with only parsing them as JSON.

A log has 30 answers, like those of an agent that searches a repository for a bug: two searches for
each file that is read in part, and occasionally a whole file. Outputs have 2 KB, and the text of
the model occurs twice, as in real logs. 300 logs are read with the views of their commands under
the profile ``contextbench``, without that profile, and into all columns.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from unittest import mock

import pyarrow.compute as pc
import pytest

from trajmeter.readers import batches
from trajmeter.readers.batches import TrajectoryBatches

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

LOGS = 300
SMOKE_LOGS = 3
ANSWERS = 30
LINES = 60
VIEWS = {"grep": LINES, "sed": 1, "nl": 1, "cat": 2}
"""How many views each command gives."""


def command(name: str, number: int) -> tuple[str, str]:
    """Return a command and its output."""
    source = '    if needle in stack[depth]:  # "the" needle'
    path = f"src/package/module_{number}.py"
    if name == "grep":
        lines = [f"{path}:{10 * line}:{source}" for line in range(1, LINES + 1)]
        return "cd /testbed && grep -rn 'needle' src/ | head -60", "\n".join(lines)
    if name == "sed":
        return f"sed -n '101,{100 + LINES}p' {path}", "\n".join([source] * LINES)
    if name == "nl":
        lines = [f"{line:6}\t{source}" for line in range(301, 301 + LINES)]
        return f"nl -ba {path} | sed -n '301,{300 + LINES}p'", "\n".join(lines)
    text = "\n".join([*[source] * (LINES // 2), "---", *[source] * (LINES // 2)])
    return f"cat {path} && echo --- && cat tests/test_{number}.py", text


def log(number: int) -> str:
    messages: list[dict[str, object]] = [
        {"role": "system", "content": "Answer with one command.\n" * 40}
    ]
    for answer in range(ANSWERS):
        name = ("grep", "sed", "grep", "nl", "cat")[answer % 5]
        program, output = command(name, answer)
        said = f"THOUGHT: I need to see more of it.\n\n```bash\n{program}\n```"
        usage = {"prompt_tokens": 9_000 + answer, "completion_tokens": 60, "total_tokens": 9_060}
        message = {"role": "assistant", "content": said, "tool_calls": None}
        response = {"choices": [{"finish_reason": "stop", "message": message}], "usage": usage}
        result = f"<returncode>0</returncode>\n<output>\n{output}\n</output>"
        messages += [
            {"role": "assistant", "content": said, "extra": {"response": response}},
            {"role": "user", "content": result},
        ]
    timed = [{**each, "timestamp": 1e9 + at} for at, each in enumerate(messages)]
    info = {
        "exit_status": "Submitted",
        "model_stats": {"instance_cost": 0.1},
        "config": {"environment": {"cwd": "/testbed"}},
    }
    run = {"info": info, "messages": timed, "trajectory_format": "mini-swe-agent-1"}
    return json.dumps({**run, "instance_id": f"i-{number}"})


SHOWN = ("turns.views", "final_views", "leaks")
EXPECTED = ANSWERS // 5 * sum(VIEWS[name] for name in ("grep", "sed", "grep", "nl", "cat"))

EXPECTED_BY_PROFILE = ANSWERS // 5 * 4
"""The profile knows ``sed -n``, and takes the file and the lines for a view each."""


@pytest.fixture(scope="module")
def logs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    for number in range(SMOKE_LOGS if request.config.getoption("--benchmark-disable") else LOGS):
        (folder / f"{number}.traj.json").write_text(log(number))
    return folder


def parse(folder: Path) -> int:
    def load(path: Path) -> bool:
        with path.open("rb") as file:
            return bool(json.load(file))

    return sum(map(load, folder.iterdir()))


def columns(folder: Path) -> int:
    read = TrajectoryBatches(folder, columns=["turns.program", "turns.success", "usage"])
    rows = sum(batch.num_rows for batch in read)
    assert read.lines_as_records == 0
    return rows


def all_columns(folder: Path) -> int:
    return rows_with_views(TrajectoryBatches(folder), EXPECTED)


def columns_with_views(folder: Path) -> int:
    return rows_with_views(TrajectoryBatches(folder, columns=SHOWN), EXPECTED)


def columns_by_profile(folder: Path) -> int:
    read = TrajectoryBatches(folder, columns=SHOWN, profiles=["contextbench"])
    return rows_with_views(read, EXPECTED_BY_PROFILE)


def rows_with_views(read: TrajectoryBatches, expected: int) -> int:
    """Check the number of rows, and the number of views in each."""
    rows = found = 0
    for batch in read:
        rows += batch.num_rows
        views = pc.struct_field(pc.list_flatten(batch.column("turns")), "views")
        found += pc.sum(pc.list_value_length(views)).as_py() or 0
    assert found == expected * rows
    return rows


def python(folder: Path) -> int:
    """Find the views with the Python backend."""
    with mock.patch.object(batches, "backend", return_value="python"):
        return columns_with_views(folder)


CONTENDERS = {
    "json.load": parse,
    "columns": columns,
    "all columns": all_columns,
    "with views": columns_with_views,
    "profile contextbench": columns_by_profile,
    "Python": python,
}


@pytest.mark.benchmark(group="read logs of mini-swe-agent")
@pytest.mark.parametrize("name", CONTENDERS)
def bench_logs(benchmark: BenchmarkFixture, logs: Path, name: str) -> None:
    work: Callable[[Path], int] = CONTENDERS[name]
    benchmark.extra_info["contender"] = name
    assert benchmark(work, logs) == len([*logs.iterdir()])
