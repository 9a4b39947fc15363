"""Formats that an installed distribution adds, by its entry points."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from trajmeter.errors import ReadError
from trajmeter.readers import (
    Evidence,
    ReadProblem,
    RecordFormat,
    read_trajectories,
)
from trajmeter.readers._recognition.registry import _entry_points, _names_group
from trajmeter.records import Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pydantic import JsonValue

PLUGIN = """
from trajmeter.readers import Evidence, RecordFormat
from trajmeter.records import Trajectory

def made(name, key):
    return RecordFormat(
        name=name, description=f"{name} logs", makes=Trajectory, carries=("extra",), origin="Acme",
        keys=frozenset({key}), recognises=lambda _: Evidence.CERTAIN,
        read=lambda record, source: Trajectory(task_id=record[key], source=source),
    )

ONE = made("acme", "acme_id")

def several():
    return [made("acme-two", "acme_2"), made("acme", "acme_3"), "no format"]

def fails():
    raise OSError("no licence")
"""
ENTRY_POINTS = """
[trajmeter.formats]
absent = acme_formats.absent:ONE
fails = acme_formats:fails
one = acme_formats:ONE
several = acme_formats:several
"""
PROGRAM = """
import sys
from trajmeter.readers import formats, read_trajectories
print([known.name for known in formats() if known.origin == "Acme"])
print([attempt.task_id for attempt in read_trajectories(sys.argv[1])])
"""


def run(site: Path, log: Path) -> tuple[list[str], str]:
    """Lines of stdout, and stderr, of a process that sees the distributions of a folder."""
    paths = [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(log)],
        capture_output=True,
        check=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )
    return done.stdout.splitlines(), done.stderr


def install(site: Path, entry_points: str, about: str = "acme_formats-1.0.dist-info") -> None:
    (site / about).mkdir(parents=True)
    (site / "acme_formats.py").write_text(PLUGIN)
    (site / about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-formats\n")
    (site / about / "entry_points.txt").write_text(entry_points)


def test_a_distribution_adds_formats_and_broken_ones_are_reported(tmp_path: Path) -> None:
    install(tmp_path / "site", ENTRY_POINTS)
    log = tmp_path / "log.jsonl"
    log.write_text('{"acme_id": "a"}\n{"task_id": "b"}\n{"acme_2": "c"}')
    (names, read), stderr = run(tmp_path / "site", log)
    assert names == "['acme', 'acme-two']"
    assert read == "['a', 'b', 'c']"
    for message in (
        "the plug-in format 'absent' (acme_formats.absent:ONE) is left out: ModuleNotFoundError: ",
        "the plug-in format 'fails' (acme_formats:fails) is left out: OSError: no licence",
        "the plug-in format 'several' (acme_formats:several) is left out: there is a format 'acme'",
        "expected a RecordFormat or a FileFormat, got 'no format'",
    ):
        assert message in stderr


def test_a_plug_in_that_fails_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def recognises(record: Mapping[str, JsonValue]) -> Evidence | None:
        return None if record["song"] == "none" else Evidence(record["song"])  # type: ignore[arg-type]  # as plug-ins are

    def read(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
        return Trajectory(task_id=record["absent"], source=source)  # type: ignore[arg-type]  # likewise

    known = RecordFormat(
        name="song",
        description="songs",
        makes=Trajectory,
        carries=("extra",),
        origin="birds",
        keys=frozenset({"song"}),
        recognises=recognises,
        read=read,
    )
    monkeypatch.setattr(
        "trajmeter.readers._recognition.registry._plug_ins", lambda: {"song": known}
    )
    log = tmp_path / "log.jsonl"
    log.write_text('{"song": 3, "n": 1}\n{"song": 7, "task_id": "a"}\n{"task_id": "b"}')
    problems: list[ReadProblem] = []
    with pytest.warns(
        RuntimeWarning, match=r"^the format song failed to recognise a file: ValueErr"
    ):
        read_ids = [each.task_id for each in read_trajectories(log, on_problem=problems.append)]
    assert read_ids == ["a", "b"]
    (problem,) = problems
    assert problem.line == 1
    assert problem.message == "cannot be read as one of songs: KeyError: 'absent'"


def test_an_exception_of_a_listener_is_passed_on(tmp_path: Path) -> None:
    (tmp_path / "run_metadata.json").write_text("{")
    (tmp_path / "results.json").write_text("{")

    def refuse(problem: ReadProblem) -> None:
        raise ValueError(f"seen {problem.file}")

    with pytest.raises(ValueError, match=r"^seen .*run_metadata\.json$"):
        list(read_trajectories(tmp_path, on_problem=refuse))
    with pytest.raises(ReadError, match=r"run_metadata\.json: invalid JSON"):
        list(read_trajectories(tmp_path))


def test_without_plug_ins_no_entry_points_are_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "[console_scripts]\nacme = acme:main\n")
    asked: list[str] = []
    monkeypatch.setattr("importlib.metadata.entry_points", lambda *, group: asked.append(group))
    monkeypatch.setattr("sys.path", [str(tmp_path), ""])
    assert _entry_points() == []
    assert asked == []


@pytest.mark.parametrize("about", ["acme-1.dist-info", "acme.egg-info"])
def test_the_group_is_found_in_the_metadata_of_any_kind(tmp_path: Path, about: str) -> None:
    assert not _names_group(str(tmp_path))
    install(tmp_path, ENTRY_POINTS, about)
    assert _names_group(str(tmp_path))


def test_an_archive_may_have_plug_ins_and_an_absent_folder_has_none(tmp_path: Path) -> None:
    (tmp_path / "packages.zip").write_bytes(b"PK")
    assert _names_group(str(tmp_path / "packages.zip"))
    assert not _names_group(str(tmp_path / "absent"))
