"""Many logs read together, in pieces that are put together: each is in its place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.both_ways import as_batches, as_records
from trajmeter.readers import batches

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("rust")

LOGS = 300
ODD = {"messages": [], "trajectory_format": "mini-swe-agent-1", "info": {"exit_status": 3}}


def log(number: int) -> dict[str, Any]:
    """A log with as many turns as its number says, of either version."""
    said = {"role": "assistant", "content": f"é\n```bash\ncat {number}.py\n```", "timestamp": 1}
    gave = {
        "role": "user",
        "content": f"<returncode>{number % 3}</returncode>\n<output>\n{number}\n</output>",
    }
    version = "mini-swe-agent-1" + ".1" * (number % 2)
    return {
        "info": {"exit_status": "Submitted" if number % 2 else "LimitsExceeded"},
        "messages": [said, gave] * (number % 4),
        "instance_id": f"i-{number}",
        "trajectory_format": version,
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs, beside each tenth a broken one and two that only the record reader reads; one large."""
    folder: Path = tmp_path_factory.mktemp("logs")
    for number in range(LOGS):
        path = folder / f"{number:03}.traj.json"
        path.write_text(json.dumps(log(number)))
        if number % 10 == 0:
            (folder / f"{number:03}-cut.json").write_text(json.dumps(log(number))[:-5])
            (folder / f"{number:03}-odd.json").write_text(json.dumps(ODD))
            (folder / f"{number:03}-other.json").write_text('[{"task_id": "t", "turns": []}]')
    large = log(3)
    large["messages"][0]["content"] *= 100_000
    (folder / "150-large.traj.json").write_text(json.dumps(large))
    return folder


@pytest.mark.parametrize("columns", [None, ["turns.program", "turns.success"], ["task_id"]])
def test_every_log_is_in_its_place(folder: Path, columns: list[str] | None) -> None:
    read, _ = as_batches(folder, columns)
    assert read == as_records(folder, columns)
    assert (len(read.rows), len(read.problems)) == (LOGS + 1 + 2 * LOGS // 10, LOGS // 10)


def test_pieces_make_one_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(LOGS):
        (tmp_path / f"{number}.traj.json").write_text(json.dumps(log(number)))
    monkeypatch.setattr(batches, "joined", lambda found, _: found)  # as they come from Rust
    assert [batch.num_rows for batch in batches.TrajectoryBatches(tmp_path)] == [LOGS]
