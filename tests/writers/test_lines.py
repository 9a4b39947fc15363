"""Lines of text from columns: Rust writes the bytes that its Python twin writes."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import to_json

from trajmeter.metrics.column import Column
from trajmeter.shapes import Member, Shape
from trajmeter.writers import buffers, lines
from trajmeter.writers.lines import csv_lines, json_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajmeter.kernels import BackendName

_TEXT = st.text(max_size=6) | st.sampled_from(
    ["=1", "'-", "''+", "a,b", '"', "\r\n", "\t", "\x1b[0m", "\x85", "\u202e", "\u2028", "\x00"]
)
_NUMBER = st.floats() | st.sampled_from([1e15, 1e16, 1e17, 1e-4, 1e-5, 5e-324, -0.0, 1e22])
_SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    "boolean": st.booleans(),
    "integer": st.integers(-(2**63), 2**63 - 1),
    "number": _NUMBER,
    "text": _TEXT,
}
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=3), each),
    max_leaves=8,
)
_JSON_TEXT = (
    st.builds(json.dumps, _JSON, indent=st.sampled_from([None, 0, 2]), ensure_ascii=st.booleans())
    | st.text(alphabet='[]{}",:\\u0019.e+- \n\rNtrue', max_size=8)
    | st.sampled_from(["NaN", "[" * 150 + "]" * 150, "1e999", '"\\ud800"', "9" * 5000, "\ufeff1"])
)


def _values(shape: Shape) -> st.SearchStrategy[Any]:
    """A value of a column, or none."""
    if shape.kind == "json":
        value: st.SearchStrategy[Any] = _JSON_TEXT
    elif shape.item is None:
        value = _SCALARS[shape.kind]
    elif shape.kind == "list":
        value = st.lists(st.none() | _SCALARS[shape.item.kind], max_size=4)
    else:
        item = _record(shape.item) if shape.item.members else _SCALARS[shape.item.kind]
        value = st.dictionaries(_TEXT, st.none() | item, max_size=4).map(
            lambda each: list(each.items())
        )
    return st.none() | value


def _record(shape: Shape) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({each.name: _values(each.shape) for each in shape.members})


_SCALAR_SHAPES = [Shape(kind) for kind in _SCALARS]
_RECORD_SHAPE = Shape(
    "record",
    members=tuple(Member(f'"{each.kind}/', each, required=True) for each in _SCALAR_SHAPES),
)
_SHAPES = [
    *_SCALAR_SHAPES,
    Shape("json"),
    *(Shape("list", item=item) for item in _SCALAR_SHAPES),
    *(Shape("mapping", item=item) for item in (*_SCALAR_SHAPES, _RECORD_SHAPE)),
]


def _batch(shapes: list[Shape], rows: list[list[Any]]) -> tuple[pa.RecordBatch, list[Column]]:
    columns = [Column(f"a.{number}\n", shape) for number, shape in enumerate(shapes)]
    arrays = [
        pa.array([row[at] for row in rows], shape.arrow_type()) for at, shape in enumerate(shapes)
    ]
    return pa.record_batch(arrays, names=[column.name for column in columns]), columns


@st.composite
def _batches(draw: st.DrawFn, choices: list[Shape]) -> tuple[pa.RecordBatch, list[Column]]:
    """A batch that may be a slice of another, or put together from several."""
    shapes = draw(st.lists(st.sampled_from(choices), min_size=1, max_size=4))
    rows = draw(st.lists(st.tuples(*map(_values, shapes)).map(list), max_size=12))
    batch, columns = _batch(shapes, rows)
    start = draw(st.integers(0, len(rows)))
    return batch.slice(start, draw(st.integers(0, len(rows) - start))), columns


def _write(backend: BackendName, function: Callable[..., Any], *arguments: Any) -> bytes:
    with patch.object(lines, "backend", lambda: backend):
        return b"".join(function(*arguments))


@pytest.mark.usefixtures("rust")
@given(_batches(_SHAPES))
def test_both_backends_write_the_same_json_lines(
    given_batch: tuple[pa.RecordBatch, list[Column]],
) -> None:
    written = _write("rust", json_lines, *given_batch)
    assert written == _write("python", json_lines, *given_batch)
    for line in written.splitlines():
        assert len(json.loads(line, parse_constant=pytest.fail, parse_int=str)) == len(
            given_batch[1]
        )
    assert written.count(b"\n") == given_batch[0].num_rows


def test_numbers_are_written_the_same_as_by_pydantic() -> None:
    shapes = [Shape("number"), Shape("list", item=Shape("number")), Shape("text")]
    values = [1e16, [1.5e300, 1.5e-7, math.nan], "1e16"]
    batch, columns = _batch(
        [*shapes, Shape("mapping", item=shapes[0])], [[*values, [("1e5", 2e22)]]]
    )
    with patch.object(
        lines, "to_json", lambda *given, **options: _older(to_json(*given, **options))
    ):
        written = _write("python", json_lines, batch, columns)
    assert written == (
        b'{"a.0\\n":1e+16,"a.1\\n":[1.5e+300,1.5e-7,"NaN"],"a.2\\n":"1e16","a.3\\n":{"1e5":2e+22}}\n'
    )


def _older(text: bytes) -> bytes:
    """As pydantic wrote exponents before 2.13."""
    return text.replace(b"e+", b"e")


@pytest.mark.usefixtures("rust")
@given(_batches(_SCALAR_SHAPES))
def test_both_backends_write_the_same_csv(
    given_batch: tuple[pa.RecordBatch, list[Column]],
) -> None:
    written = _write("rust", csv_lines, *given_batch)
    assert written == _write("python", csv_lines, *given_batch)
    batch, columns = given_batch
    rows = list(csv.reader(io.StringIO(written.decode(), newline="")))
    for column, cells in zip(columns, zip(*rows, strict=True), strict=False):
        values = batch.column(column.name).to_pylist()
        if column.shape.kind == "integer":
            assert cells == tuple("" if value is None else str(value) for value in values)
        if column.shape.kind == "number":
            assert cells == tuple("" if value is None else repr(value) for value in values)


@pytest.mark.usefixtures("rust")
def test_rust_accepts_ordinary_values() -> None:
    """It would be slow, and nothing else would show it."""
    values = [True, 1, 0.5, "é", '{"a": [1, 1e-300]}', [True], [1], [0.5], ["a"]]
    record = {each.name: value for each, value in zip(_RECORD_SHAPE.members, values, strict=False)}
    values += [[("a", value)] for value in (*values[:4], record)]
    batch, columns = _batch(_SHAPES, [values, [None] * len(_SHAPES)])
    with patch.object(lines, "_json_lines", _refuse), patch.object(lines, "_csv_lines", _refuse):
        first, second = _write("rust", json_lines, batch, columns).splitlines()
        assert list(json.loads(first).values())[:5] == [True, 1, 0.5, "é", {"a": [1, 1e-300]}]
        assert list(json.loads(first).values())[-1] == {"a": record}
        assert set(json.loads(second).values()) == {None}
        assert _write("rust", csv_lines, batch, columns[:4]) == b"true,1,0.5,\xc3\xa9\n,,,\n"


@pytest.mark.parametrize("backend", ["rust", "python"])
def test_json_is_written_as_its_value(backend: BackendName, request: Any) -> None:
    if backend == "rust":
        request.getfixturevalue("rust")
    texts = ['{"a": 1.50,\n "b": "\\n"}', "not JSON", "NaN", None, "null", "[" * 300 + "]" * 300]
    batch, columns = _batch([Shape("json")], [[text] for text in texts])
    assert _write(backend, json_lines, batch, columns[:1]).decode().splitlines() == [
        f'{{"a.0\\n":{value}}}'
        for value in (
            '{"a": 1.50,  "b": "\\n"}',
            '"not JSON"',
            '"NaN"',
            "null",
            "null",
            "[" * 300 + "]" * 300,
        )
    ]


@pytest.mark.parametrize("function", [json_lines, csv_lines])
def test_much_text_is_written_in_parts(
    function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    batch, columns = _batch([Shape("text")], [[str(number) * 50] for number in range(100)])
    whole = b"".join(function(batch, columns))
    assert whole.count(b"\n") == 100
    monkeypatch.setattr(buffers, "_PART_BYTES", 1_000)
    parts = list(function(batch, columns))
    assert len(parts) > 5
    assert b"".join(parts) == whole
    monkeypatch.setattr(buffers, "_PART_BYTES", 0)
    assert len(list(function(batch, columns))) == 100


@pytest.mark.usefixtures("rust")
@pytest.mark.parametrize(
    ("shape", "array"),
    [
        (Shape("text"), pa.array(["a", "b"]).dictionary_encode()),
        (Shape("text"), pa.array(["a", "b"], pa.large_string())),
        (Shape("integer"), pa.array([1, 2], pa.int8())),
        (Shape("list", item=Shape("number")), pa.array([[0.5], []], pa.large_list(pa.float64()))),
    ],
)
def test_a_column_of_another_type_is_written_as_its_values_are(
    shape: Shape, array: pa.Array[Any]
) -> None:
    batch = pa.record_batch([array], names=["a"])
    written = _write("rust", json_lines, batch, [Column("a", shape)])
    assert [json.loads(line)["a"] for line in written.splitlines()] == array.to_pylist()


@pytest.mark.usefixtures("rust")
def test_text_that_is_not_utf8_is_never_written() -> None:
    broken = pa.StringArray.from_buffers(
        1, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")
    )
    batch = pa.record_batch([broken], names=["a"])
    with pytest.raises(UnicodeDecodeError):
        _write("rust", json_lines, batch, [Column("a", Shape("text"))])


def _refuse(*_arguments: object) -> None:
    pytest.fail("the twin was asked")
