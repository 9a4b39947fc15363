"""A log of every format in which values or bytes are others: nothing raises, records stay valid."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.readers.test_mutated_logs import VALUES, mutated, places
from tests.readers.whole_logs import LOGS, Log
from trajmeter.readers import FileFormat, formats, read_tasks, read_trajectories
from trajmeter.records import Task, Trajectory

if TYPE_CHECKING:
    from trajmeter.records import ReadProblem

LENIENT = settings(
    max_examples=settings().max_examples // 4,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
FORMATS: dict[str, Any] = {known.name: known for known in formats()}


def read(name: str, path: Path) -> tuple[list[Task] | list[Trajectory], list[ReadProblem]]:
    problems: list[ReadProblem] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # remarks on what was left out
        if FORMATS[name].makes is Task:
            return [*read_tasks(path, on_problem=problems.append)], problems
        return [*read_trajectories(path, on_problem=problems.append)], problems


def check(name: str, log: Log) -> None:
    with tempfile.TemporaryDirectory() as folder:
        made, problems = read(name, log.write(Path(folder)))
        for record in made:
            again = type(record).model_validate_json(record.model_dump_json())
            assert again.source == record.source
        assert all(problem.file.startswith(folder) for problem in problems)


def test_every_format_has_a_log() -> None:
    assert LOGS.keys() == FORMATS.keys()


@pytest.mark.parametrize("name", LOGS)
def test_the_logs_are_whole(name: str, tmp_path: Path) -> None:
    log, known = LOGS[name], FORMATS[name]
    path = log.write(tmp_path)
    if isinstance(known, FileFormat):
        assert known.recognises(path, b"" if path.is_dir() else path.read_bytes()[: 1 << 16])
    else:
        content = next(iter(log.files.values()))
        assert all(known.evidence_in(each) for each in content if isinstance(each, dict))
    made, problems = read(name, path)
    assert (len(made) > 0, problems) == (True, [])


@pytest.mark.parametrize(
    "name",
    [name for name, log in LOGS.items() if any(isinstance(c, list) for c in log.files.values())],
)
@LENIENT
@given(data=st.data())
def test_any_values_may_be_others(name: str, data: st.DataObject) -> None:
    files = {**LOGS[name].files}
    file = data.draw(st.sampled_from([f for f, c in files.items() if isinstance(c, list)]))
    content: Any = files[file]
    for _ in range(data.draw(st.integers(1, 3))):
        at = places(content)[1:]
        if at:
            value, is_gone = data.draw(VALUES), data.draw(st.booleans())
            content = mutated(content, data.draw(st.sampled_from(at)), value, is_gone=is_gone)
    check(name, LOGS[name]._replace(files={**files, file: content}))


@pytest.mark.parametrize("name", LOGS)
@LENIENT
@given(data=st.data())
def test_any_bytes_may_be_others(name: str, data: st.DataObject) -> None:
    files = {**LOGS[name].files}
    file = data.draw(st.sampled_from([*files]))
    whole = Log.content(files[file])
    at, length = data.draw(st.integers(0, len(whole))), data.draw(st.integers(0, 40))
    odd = data.draw(st.binary(max_size=6) | st.sampled_from([b'"', b"{", b"]", b"\n", b"\x00"]))
    files[file] = whole[:at] + odd + whole[at + length :]
    check(name, LOGS[name]._replace(files=files))
