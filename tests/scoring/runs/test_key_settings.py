"""What makes a run another one, row by row, and what does not."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.scoring.attempts import SIZES, write_attempts
from tests.snapshots.git_repositories import commit
from trajmeter.json_input import LONGEST_LINE
from trajmeter.records import Trajectory
from trajmeter.schemas import trajectory_batch
from trajmeter.scoring.reading_options import ReadingOptions
from trajmeter.scoring.runs.job import Job
from trajmeter.scoring.runs.run import RunOptions, run

if TYPE_CHECKING:
    from collections.abc import Callable

METRIC = """
from trajmeter import metric
@metric
def answered(task, trajectory):
    return bool(trajectory.final_output)
"""
TASK = {"id": "t1", "gold_patch": "", "repo": "crab/sums"}


class Place:
    """A folder with everything that a run may be made of."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = write_attempts(folder / "runs.jsonl", 60)
        (folder / "packed.jsonl.gz").write_bytes(gzip.compress(b'{"task_id": "a"}\n'))
        (folder / "run.json").write_text('{"task_id": "a"}')
        (folder / "mine.py").write_text(METRIC)
        (folder / "tasks.jsonl").write_text(json.dumps(TASK) + "\n")
        self.tasks = [folder / "tasks.jsonl"]
        (folder / "shots").mkdir()
        (folder / "shots" / "a.py").write_text("x = 1\n")

    def key(
        self,
        metrics: tuple[str, ...] = ("turns",),
        options: dict[str, Any] | None = None,
        reading: dict[str, Any] | None = None,
        **job: Any,
    ) -> str:
        """Key of a run of all of it."""
        output = self.folder.parent / "out"
        shutil.rmtree(output, ignore_errors=True)
        inputs = [self.runs, self.folder / "packed.jsonl.gz", self.folder / "run.json"]
        run(
            Job(
                (*metrics, f"{self.folder}/mine.py@answered"),
                tasks=tuple(self.tasks),
                reading=ReadingOptions(**(reading or {})),
                **job,
            ),
            inputs,
            output=output,
            options=RunOptions(**{"sizes": SIZES, **(options or {})}),
        )
        key: str = json.loads((output / "state" / "plan.json").read_text())["run_key"]
        return key


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "in").mkdir()
    return Place(tmp_path / "in")


def _append(name: str, text: str) -> Callable[[Place], None]:
    def change(place: Place) -> None:
        file = place.folder / name
        time = file.stat()
        file.write_text(file.read_text() + text)
        os.utime(file, ns=(time.st_atime_ns, time.st_mtime_ns))

    return change


def _pack_otherwise(place: Place) -> None:
    (place.folder / "packed.jsonl.gz").write_bytes(gzip.compress(b'{"task_id": "b"}\n'))


@pytest.mark.parametrize(
    "change",
    [
        _append("runs.jsonl", " \n"),
        _append("run.json", " "),
        _append("tasks.jsonl", "\n"),
        _append("mine.py", "# edited, with the same version\n"),
        _pack_otherwise,
    ],
    ids=["lines", "document", "tasks", "metric", "gzip"],
)
def test_what_is_read_changes_the_key(change: Callable[[Place], None], place: Place) -> None:
    before = place.key()
    assert place.key() == before
    change(place)
    assert place.key() != before


@pytest.mark.parametrize(
    "asked",
    [
        {"metrics": ("turns", "tools")},
        {"metrics": ("turns.run",)},
        {"reading": {"input_format": "trajectory-records"}},
        {"reading": {"mapping": {"final_output": "answer"}}},
        {"reading": {"max_line": LONGEST_LINE - 1}},
        {"reading": {"profiles": ("contextbench",)}, "metrics": ("context",)},
        {"options": {"sizes": type(SIZES)(piece_bytes=5_000, piece_rows=30, files=3)}},
    ],
    ids=["metrics", "figures", "format", "map", "line", "profile", "sizes"],
)
def test_what_is_asked_for_changes_the_key(asked: dict[str, Any], place: Place) -> None:
    metrics = asked["metrics"] if "reading" in asked and "metrics" in asked else ("turns",)
    assert place.key(**asked) != place.key(metrics=metrics)


@pytest.mark.parametrize(
    "asked",
    [
        {"options": {"workers": 2}},
        {"options": {"shard": (1, 2)}},
        {"options": {"overwrite": True}},
        {"options": {"resume": False}},
        {"reading": {"batch_rows": 7}},
    ],
    ids=["workers", "shard", "overwrite", "resume", "batch"],
)
def test_how_it_is_carried_out_does_not(asked: dict[str, Any], place: Place) -> None:
    assert place.key(**asked) == place.key()


@pytest.mark.parametrize("changed", ["model", "base_url", "replay"])
def test_what_a_judge_answers_with_changes_the_key(changed: str, place: Place) -> None:
    replay = place.folder.parent / "replay.jsonl"
    replay.write_text("{}\n")
    judge = object()  # which no metric here asks
    about = {"model": "m", "base_url": "http://localhost", "replay": str(replay)}
    before = place.key(judge=judge, judge_settings=about)
    assert place.key(judge=judge, judge_settings=about) == before != place.key()
    if changed == "replay":
        replay.write_text('{"another": "answer"}\n')
    else:
        about[changed] = "other"
    assert place.key(judge=judge, judge_settings=about) != before


@pytest.mark.parametrize("made", ["package", "backend", "parts", "plan"])
def test_what_makes_the_results_changes_the_key(
    made: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = place.key()
    if made == "package":
        monkeypatch.setattr("trajmeter.metrics.rows.package_version", lambda: "99.0")
    elif made == "backend":
        monkeypatch.setattr("trajmeter.metrics.rows.backend", lambda: "another")
    elif made == "parts":
        monkeypatch.setattr("trajmeter.scoring.runs.key.PARTS_FORMAT", 99)
    else:
        monkeypatch.setattr("trajmeter.scoring.runs.plan.FORMAT", 99)
    assert place.key() != before


def test_quantiles_change_the_key_as_states_hold_them(place: Place) -> None:
    assert place.key(quantiles=True) != place.key()


def test_the_footer_of_parquet_changes_the_key_and_its_time_does_not(place: Place) -> None:
    def write(answer: str) -> None:
        attempts = [Trajectory(task_id="a", final_output=answer)]
        table = pa.Table.from_batches([trajectory_batch(attempts)])
        parquet.write_table(table, place.folder / "run.json")  # read by what is in it

    write("one")
    before = place.key()
    os.utime(place.folder / "run.json", (1, 1))
    assert place.key() == before
    write("two")
    assert place.key() != before


def test_the_distribution_of_an_entry_point_changes_the_key(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = SimpleNamespace(dist=SimpleNamespace(name="owl-metrics", version="1.0"))
    found = SimpleNamespace(get=lambda _: point)
    monkeypatch.setattr("trajmeter.scoring.runs.key.plugins", lambda: found)
    before = place.key()
    point.dist.version = "1.1"
    assert place.key() != before


def test_threads_and_times_of_files_do_not(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    before = place.key()
    monkeypatch.setenv("RAYON_NUM_THREADS", "1")
    for file in place.folder.iterdir():
        os.utime(file, (1, 1))
    assert place.key() == before


def test_tasks_are_known_by_their_content_wherever_they_lie(place: Place) -> None:
    before = place.key()
    (more := place.folder.parent / "more").mkdir()
    moved = shutil.copy(place.tasks[0], more)
    place.tasks = [Path(moved)]
    assert place.key() == before
    place.tasks = [more]  # a folder of them
    assert place.key() == before
    (more / "deep").mkdir()
    other = more / "deep" / "tasks.jsonl"
    other.write_text(json.dumps({**TASK, "id": "t2"}) + "\n")
    with_other = place.key()
    assert with_other != before
    place.tasks = [Path(moved), other]  # of the same name
    both = place.key()
    assert both not in (before, with_other)
    place.tasks.reverse()
    assert place.key() == both
    other.write_text(json.dumps({**TASK, "id": "t3"}) + "\n")
    assert place.key() != both


def test_snapshots_change_the_key(place: Place) -> None:
    shots = place.folder / "shots"
    before = place.key(snapshots=shots)
    assert before != place.key()
    assert place.key(snapshots=shots) == before
    (shots / "b.py").write_text("y = 1\n")
    assert place.key(snapshots=shots) != before


@pytest.mark.parametrize(
    ("package", "asked"), [("genai-prices", "speedup"), ("tree-sitter-python", "snapshots")]
)
def test_a_package_that_is_installed_meanwhile_changes_the_key_if_results_depend_on_it(
    package: str, asked: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed: dict[str, str] = {}

    def version(name: str) -> str:
        if name not in installed:
            raise PackageNotFoundError(name)
        return installed[name]

    monkeypatch.setattr("trajmeter.scoring.runs.key.version", version)

    def keys() -> tuple[str, str]:
        if asked == "speedup":
            return place.key(), place.key(metrics=("speedup",))
        return place.key(), place.key(snapshots=place.folder / "shots")

    without, without_it = keys()
    installed[package] = "1.0"
    other, first = keys()
    installed[package] = "1.1"
    assert keys()[0] == other == without
    assert len({without_it, first, keys()[1]}) == 3


def test_a_link_to_nothing_among_snapshots_is_left_out(place: Place) -> None:
    (place.folder / "shots" / "nothing.py").symlink_to("nowhere")
    with_link = place.key(snapshots=place.folder / "shots")
    (place.folder / "shots" / "nothing.py").unlink()
    assert place.key(snapshots=place.folder / "shots") == with_link


def test_a_commit_that_is_fetched_changes_the_key(place: Place) -> None:
    repositories = place.folder.parent / "repos"
    first = commit(repositories / "crab" / "sums", {"a.py": b"x = 1\n"})
    known = {**TASK, "commit": first}
    tasks = place.folder / "tasks.jsonl"
    tasks.write_text(json.dumps({**TASK, "commit": "0" * 40}) + "\n")
    missing = place.key(repos=repositories, cache=False)
    assert place.key(repos=repositories, cache=False) == missing
    tasks.write_text(json.dumps(known) + "\n")
    there = place.key(repos=repositories, cache=False)
    shutil.rmtree(repositories / "crab" / "sums")
    commit(repositories / "crab" / "sums", {"a.py": b"x = 2\n"})
    assert place.key(repos=repositories, cache=False) != there
