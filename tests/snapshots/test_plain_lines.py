"""Lines of snapshots as Rust reads them, held against how Python does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trajmeter.errors import ReadError
from trajmeter.snapshots import _lines

if TYPE_CHECKING:
    from trajmeter.kernels import BackendName, Kernels
    from trajmeter.snapshots import Snapshot

_ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 1.0, -1, 2**63, "x", [], {}, float("nan")]
)
_PLACE = st.integers(0, 12)
_TEXT = st.sampled_from(["a.py", "b/c.py", "é", "", "\ud800"])
_DEFINITION = st.tuples(_TEXT, _PLACE, _PLACE, st.none() | _TEXT) | st.lists(_PLACE, max_size=4)
_STARTS = st.lists(_PLACE, max_size=4).map(lambda places: sorted({0, *places}))
_FILE = st.fixed_dictionaries(
    {"size": _PLACE | st.just(12), "line_starts": _STARTS | st.lists(_PLACE | _ODD, max_size=3)},
    optional={"definitions": st.none() | st.lists(_DEFINITION | _ODD, max_size=3), "more": _ODD},
)
_LINE = st.fixed_dictionaries(
    {"files": st.dictionaries(_TEXT, _FILE | _ODD, max_size=3) | _ODD},
    optional={"repo": _TEXT | _ODD, "commit": _TEXT | _ODD, "more": _ODD},
)


def _shown(snapshot: Snapshot) -> object:
    files = {}
    for path, file in snapshot.files.items():
        known = file.definitions
        columns = known and (known.kind, known.start.tolist(), known.end.tolist(), known.name)
        files[path] = (file.size, file.line_starts.tolist(), file.line_starts.dtype, columns)
    return snapshot.repo, snapshot.commit, list(files.items())


def _read(line: bytes, backend: BackendName) -> object:
    with mock.patch.object(_lines, "backend", return_value=backend):
        try:
            return _shown(_lines.read_line(line))
        except ReadError as error:
            return str(error)


@given(_LINE | _ODD)
@example([None, None, {}])
@example({"files": {"a.py": [1, [0], None]}})
@example({"files": {"a.py": {"size": 9, "line_starts": [0], "definitions": [["f", 5, 2, "g"]]}}})
def test_lines_are_read_the_same_by_both(rust: Kernels, line: Any) -> None:
    del rust  # is there
    text = json.dumps(line).encode()
    assert _read(text, "rust") == _read(text, "python")


@given(st.binary(max_size=8), st.binary(max_size=8))
def test_truncated_or_corrupt_lines_are_refused_by_both(
    rust: Kernels, before: bytes, after: bytes
) -> None:
    del rust
    line = before + b'{"files": {"a": {"size": 1, "line_starts": [0]}}, "files": {}}' + after
    assert _read(line, "rust") == _read(line, "python")


@pytest.mark.parametrize("value", ["[" * 220 + "]" * 220, "1" * 5_000], ids=["nesting", "digits"])
@pytest.mark.parametrize("place", ["line", "file"])
def test_unknown_keys_are_refused_alike(rust: Kernels, place: str, value: str) -> None:
    del rust  # is there
    keys = {each: f', "x": {value}' if each == place else "" for each in ("line", "file")}
    line = f'{{"files": {{"f": {{"size": 5, "line_starts": [0]{keys["file"]}}}}}{keys["line"]}}}'
    assert str(_read(line.encode(), "rust")).startswith("invalid JSON")
    assert _read(line.encode(), "rust") == _read(line.encode(), "python")
