"""Trajectories as JSON lines: Rust writes the bytes that its Python twin writes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.errors import ReadError
from trajmeter.records import Trajectory
from trajmeter.schemas import trajectory_batch, trajectory_schema
from trajmeter.shapes import trajectory_shape
from trajmeter.writers import record_lines as module
from trajmeter.writers.record_lines import record_lines

if TYPE_CHECKING:
    from trajmeter.kernels import BackendName
    from trajmeter.shapes import Shape

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=3), each),
    max_leaves=4,
)
_SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "boolean": st.booleans(),
    "integer": st.sampled_from([0, 1, -(2**63), 2**63 - 1]),
    "number": st.floats() | st.sampled_from([0.0, -0.0, 1e16]),
    "text": st.text(max_size=4) | st.sampled_from(["unknown", "failed", '"\n', "\u2028"]),
    "json": st.builds(json.dumps, _JSON, ensure_ascii=st.booleans())
    | st.sampled_from(["{}", "[]", "null", '{"a":\r\n1}', "[" * 120 + "]" * 120, '"\\ud800"']),
}


def _values(shape: Shape) -> st.SearchStrategy[Any]:
    if shape.kind == "list" and shape.item is not None:
        return st.lists(_values(shape.item), max_size=2)
    if shape.kind == "mapping" and shape.item is not None:
        pair = st.tuples(st.text(max_size=2), st.none() | _values(shape.item))
        return st.lists(pair, max_size=2)
    return _records(shape) if shape.members else _SCALARS[shape.kind]


def _records(shape: Shape) -> st.SearchStrategy[dict[str, Any]]:
    """Records with a few of their members; most of them have dozens."""
    names = st.sets(st.sampled_from(shape.members).map(lambda each: each.name), max_size=3)
    shapes = {each.name: each.shape for each in shape.members}
    return names.flatmap(
        lambda chosen: st.fixed_dictionaries({each: _values(shapes[each]) for each in chosen})
    )


def _batch(rows: list[dict[str, Any]]) -> pa.RecordBatch:
    schema = trajectory_schema()
    columns = [pa.array([row.get(each.name) for row in rows], each.type) for each in schema]
    return pa.record_batch(columns, schema=schema)


def _write(backend: BackendName, batch: pa.RecordBatch) -> bytes:
    with patch.object(module, "backend", lambda: backend):
        return b"".join(record_lines(batch))


def _left(value: Any, shape: Shape) -> Any:
    """What remains of a value without members that have their default or no value."""
    if value is None or shape.kind not in ("json", "list", "mapping", "record"):
        return value
    if shape.kind == "json":
        return json.loads(value)
    if shape.kind == "list" and shape.item is not None:
        return [_left(each, shape.item) for each in value]
    if shape.item is not None:
        return {key: _left(each, shape.item) for key, each in value}
    members = {
        each.name: (_left(value[each.name], each.shape), each.default)
        for each in shape.members
        if value.get(each.name) is not None
    }
    return {
        name: left
        for name, (left, default) in members.items()
        if json.dumps(left) != json.dumps(default)
    }


@pytest.mark.usefixtures("rust")
@given(st.lists(_records(trajectory_shape()), max_size=3))
def test_both_backends_write_the_same_lines(rows: list[dict[str, Any]]) -> None:
    batch = _batch(rows)
    written = _write("rust", batch)
    assert written == _write("python", batch)
    expected = [_left(row, trajectory_shape()) for row in rows]
    assert [str(json.loads(line)) for line in written.decode().split("\n")[:-1]] == [
        str(json.loads(json.dumps(each))) for each in expected
    ]


@pytest.mark.parametrize("backend", ["rust", "python"])
def test_lines_say_only_what_was_recorded(backend: BackendName, request: Any) -> None:
    if backend == "rust":
        request.getfixturevalue("rust")
    recorded = Trajectory.model_validate(
        {
            "task_id": "é",
            "turns": [
                {"tool_calls": [{"name": "open", "arguments": {"path": "é"}, "success": False}]},
                {"views": [{"path": "a.py"}], "extra": {}},
            ],
            "tool_calls": [],
            "usage": {},
            "duration_seconds": float("inf"),
            "passed": False,
        }
    )
    written = _write(backend, trajectory_batch([recorded]))
    assert written.decode() == (
        '{"task_id":"é","turns":[{"tool_calls":[{"name":"open",'
        '"arguments":{"path": "\\u00e9"},"success":false}]},{"views":[{"path":"a.py"}]}],'
        '"tool_calls":[],"usage":{},"duration_seconds":Infinity,"passed":false}\n'
    )
    assert Trajectory.model_validate(json.loads(written)) == recorded


@pytest.mark.usefixtures("rust")
def test_rust_writes_ordinary_trajectories() -> None:
    """It would be slow otherwise, and nothing else would show it."""
    row = {
        "task_id": "a",
        "turns": [{"text": "t", "usage": {"cost_usd": 0.5}, "extra": '{"a": [1]}'}],
        "unusable": [("usage", "no number")],
        "duration_seconds": float("nan"),
    }
    with patch.object(module, "_record_lines", side_effect=AssertionError):
        assert _write("rust", _batch([row, row]).slice(1)).count(b"\n") == 1


@pytest.mark.parametrize("backend", ["rust", "python"])
def test_json_that_only_python_reads(backend: BackendName, request: Any) -> None:
    if backend == "rust":
        request.getfixturevalue("rust")
    written = _write(backend, _batch([{"task_id": "a", "metadata": '{"a": NaN, "é": 1}'}]))
    assert written.decode() == '{"task_id":"a","metadata":{"a": NaN, "é": 1}}\n'
    with pytest.raises(ReadError, match="invalid JSON"):
        _write(backend, _batch([{"task_id": "a", "metadata": "{"}]))
