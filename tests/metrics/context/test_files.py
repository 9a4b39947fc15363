"""What kernels receive of files that Rust read, held against what Python makes of them."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.kernels import load
from trajmeter.metrics.context.files import RepositoryFiles
from trajmeter.metrics.context.profile import PROFILES
from trajmeter.metrics.profile import find_profile
from trajmeter.snapshots import ReadFiles, Snapshot
from trajmeter.snapshots._lines import read_line

if TYPE_CHECKING:
    from trajmeter.kernels import Kernels

_SIZE = 12
_NAMES = ["f", "g", "a.f", "\u00e9"]
_ASKED = [*_NAMES, " f\t", "x.g", "a.f.", "\ud800", "\ud800.f", ""]
_DEFINITION = st.tuples(
    st.sampled_from("cf"),
    st.integers(0, _SIZE),
    st.integers(0, _SIZE),
    st.none() | st.sampled_from(_NAMES),
).map(lambda each: (each[0], min(each[1:3]), max(each[1:3]), each[3]))
_FILE = st.fixed_dictionaries(
    {
        "size": st.just(_SIZE),
        "line_starts": st.sets(st.integers(1, _SIZE)).map(lambda starts: [0, *sorted(starts)]),
    },
    optional={"definitions": st.none() | st.lists(_DEFINITION, max_size=4)},
)


def _read(files: dict[str, Any]) -> Snapshot:
    return read_line(json.dumps({"repo": "r", "commit": "c", "files": files}).encode())


def _shown(files: RepositoryFiles, path: str) -> object:
    tables = files.file(path).tables
    assert tables is not None
    return (
        tables.size,
        tables.line_starts.tolist(),
        tables.definition_start.tolist(),
        tables.definition_end.tolist(),
        [[*tables.named(name)] for name in _ASKED],
        files.lacks_definitions(path),
    )


@pytest.mark.parametrize("profile", [None, "contextbench"])
@given(files=st.dictionaries(st.sampled_from(["a.py", "b/c.py"]), _FILE, min_size=1))
def test_tables_are_those_of_objects(
    rust: Kernels, profile: str | None, files: dict[str, Any]
) -> None:
    chosen, read = find_profile("context", profile, PROFILES), _read(files)
    if not isinstance(read.files, ReadFiles):
        pytest.skip("the process computes in Python")
    made = Snapshot(read.repo, read.commit, dict(read.files))
    by_rust, by_twin, of_objects = (
        RepositoryFiles(snapshot, "r", chosen, kernels)
        for snapshot, kernels in ((read, rust), (read, load("python")), (made, rust))
    )
    for path in files:
        expected = _shown(of_objects, path)
        assert _shown(by_rust, path) == expected
        assert _shown(by_twin, path) == expected
    assert by_rust.bytes == of_objects.bytes
    assert "x" not in read.files
    assert by_rust.file("x").tables is None


def test_files_survive_pickling(rust: Kernels) -> None:
    del rust  # is there
    read = _read({"a.py": {"size": 3, "line_starts": [0, 2], "definitions": None}})
    copy = pickle.loads(pickle.dumps(read))  # noqa: S301 - our own object
    assert [*copy.files] == ["a.py"]
    assert copy.files["a.py"].line_starts.tolist() == [0, 2]
