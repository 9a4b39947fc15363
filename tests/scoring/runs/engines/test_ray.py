"""Runs with Ray: the bytes of a run without it, also when its actors are killed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import trajmeter
from tests.scoring.attempts import contents, convert_units, score_units, write_attempts
from tests.scoring.runs.killed_runs import deadly_metric
from tests.scoring.runs.test_any_run import write_runs
from tests.summaries.test_batches import ATTEMPTS
from trajmeter.errors import ConfigurationError
from trajmeter.scoring.runs.plan import PlanSizes
from trajmeter.system.processors import limited_threads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajmeter.records import ReadProblem, Trajectory

pytest.importorskip("ray", reason="Ray is not installed")

_QUIET_RUN = """
import sys, trajmeter
run = trajmeter.score_files(sys.argv[1], output=sys.argv[2], metrics=["turns"], engine="ray",
    workers=2, on_problem=lambda problem: None)
print(run.rows, run.problems)
"""


@pytest.fixture
def cluster() -> Iterator[None]:
    """Ray on this machine, started once."""
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def test_the_bytes_are_those_of_a_local_run(runs: Path, tmp_path: Path) -> None:
    score_units(runs, tmp_path / "local")
    problems: list[ReadProblem] = []
    done = score_units(runs, tmp_path / "ray", engine="ray", workers=2, problems=problems)
    assert contents(tmp_path / "ray") == contents(tmp_path / "local")
    assert (done.rows, done.problems, len(problems), done.failed) == (200, 3, 3, ())
    assert score_units(runs, tmp_path / "ray", engine="ray").resumed == len(done.parts)


def test_shards_files_and_conversions_too(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)  # is used, and left alone
    try:
        score_units(runs, tmp_path / "local")
        for number in (2, 1):
            score_units(runs, tmp_path / "shards", shard=(number, 2), engine="ray")
        assert contents(tmp_path / "shards") == contents(tmp_path / "local")
        score_units(runs, tmp_path / "local.csv")
        score_units(runs, tmp_path / "ray.csv", engine="ray")
        assert (tmp_path / "ray.csv").read_bytes() == (tmp_path / "local.csv").read_bytes()
        convert_units(runs, tmp_path / "converted")
        monkeypatch.chdir(tmp_path)  # after Ray began: names are relative to where the run is
        convert_units(Path("runs.jsonl"), Path("by ray"), engine="ray")
        convert_units(Path("runs.jsonl"), Path("by hand"))
        assert contents(Path("by ray")) == contents(Path("by hand"))
        assert ray.is_initialized()
    finally:
        ray.shutdown()


@settings(max_examples=4, deadline=None, suppress_health_check=[*HealthCheck])
@given(
    attempts=ATTEMPTS.filter(bool),
    group=st.integers(0, 4),
    families=st.lists(
        st.sampled_from(["turns", "rules", "speedup", "tools"]), min_size=1, unique=True
    ),
    sizes=st.builds(PlanSizes, st.integers(1, 900), st.integers(1, 9), st.integers(1, 3)),
    data=st.data(),
)
def test_any_run_gives_the_bytes_of_a_local_one(
    cluster: None,
    attempts: list[Trajectory],
    group: int,
    families: list[str],
    sizes: PlanSizes,
    data: st.DataObject,
) -> None:
    metrics = tuple(families)
    with TemporaryDirectory() as place:
        folder = Path(place)
        file = write_runs(folder, attempts, group)
        score_units(file, folder / "local", metrics=metrics, sizes=sizes)
        count = data.draw(st.integers(1, 2), label="shards")
        for number in data.draw(st.permutations(range(1, count + 1)), label="order"):
            with limited_threads(data.draw(st.sampled_from([None, 1]), label="threads")):
                score_units(
                    file,
                    folder / "ray",
                    metrics=metrics,
                    sizes=sizes,
                    shard=(number, count),
                    batch_rows=data.draw(st.integers(1, 50), label="rows at a time"),
                    workers=data.draw(st.integers(1, 2), label="workers"),
                    engine="ray",
                )
        assert contents(folder / "ray") == contents(folder / "local")


def test_the_unit_of_an_actor_that_is_killed_is_tried_again(tmp_path: Path) -> None:
    runs = write_attempts(tmp_path / "runs.jsonl")
    metric = deadly_metric(tmp_path, once=True)
    done = score_units(runs, tmp_path / "ray", metrics=(metric,), engine="ray", workers=2)
    assert not (tmp_path / "armed").exists()
    assert (done.failed, done.is_complete, done.rows) == ((), True, 200)
    score_units(runs, tmp_path / "local", metrics=(metric,))
    assert contents(tmp_path / "ray") == contents(tmp_path / "local")
    assert not [*(tmp_path / "ray").rglob("*.part")]


def test_a_unit_whose_actors_die_each_time_is_set_aside(tmp_path: Path) -> None:
    runs = write_attempts(tmp_path / "runs.jsonl")
    metric = deadly_metric(tmp_path, once=False)
    output = tmp_path / "scores"
    done = score_units(runs, output, metrics=(metric,), engine="ray", workers=2)
    (message,) = done.failed
    assert "runs.jsonl, lines " in message
    assert "its worker was ended; if memory ran out, use fewer --workers" in message
    assert not (output / "manifest.json").exists()
    (tmp_path / "armed").unlink()
    again = score_units(runs, output, metrics=(metric,), engine="ray")
    assert (again.resumed, again.is_complete) == (len(again.parts) - 1, True)


def test_what_ends_a_unit_ends_the_run_with_its_own_error(tmp_path: Path) -> None:
    runs = write_attempts(tmp_path / "runs.jsonl")
    file = tmp_path / "touching.py"
    file.write_text(
        "import pathlib, trajmeter\n"
        "@trajmeter.metric\n"
        "def touching(task, trajectory):\n"
        f"    with pathlib.Path({str(runs)!r}).open('a') as file:\n"
        "        file.write(' ')\n"
        "    return 1.0\n"
    )
    with pytest.raises(ConfigurationError, match=r"runs\.jsonl changed while the run read it"):
        score_units(runs, tmp_path / "scores", metrics=(f"{file}@touching",), engine="ray")


def test_nothing_but_the_result_is_printed(runs: Path, tmp_path: Path) -> None:
    paths = [str(Path(trajmeter.__file__ or "").parents[1]), *sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    environment.pop("RAY_ADDRESS", None)
    shown = subprocess.run(
        [sys.executable, "-c", _QUIET_RUN, str(runs), str(tmp_path / "scores")],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, "200 3\n", "")
