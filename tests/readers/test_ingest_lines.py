"""Lines as no file should hold them, and as files do: both readers make the same of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.readers.both_ways import as_records, same, write
from trajmeter.errors import InputError
from trajmeter.shapes import Shape, trajectory_shape

pytestmark = pytest.mark.usefixtures("rust")

texts = st.one_of(
    st.sampled_from(["", "a", "src/a.py", "é😀\u2028", 'q"\\/\b\f\n\r\t\0', "null"]),
    st.text(max_size=3),
)
small = st.integers(-3, 3)
limits = st.sampled_from([2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 2**64, 10**30])
integers = st.integers(0, 19).flatmap(lambda chance: small if chance else limits)
numbers = st.one_of(integers, st.floats(allow_nan=False, allow_infinity=False), st.just(-0.0))
scalars = st.one_of(st.none(), st.booleans(), numbers, texts)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
odd = st.one_of(
    st.just(float("nan")), st.just(float("inf")), st.just("1"), st.just(1.5), st.just(1.0), anything
)


def values(shape: Shape) -> st.SearchStrategy[Any]:
    """Values of a shape."""
    if shape.kind == "list" and shape.item is not None:
        return st.lists(values(shape.item), max_size=2)
    if shape.kind == "mapping" and shape.item is not None:
        return st.dictionaries(texts, values(shape.item), max_size=2)
    if shape.kind == "record":
        required = {m.name: values(m.shape) for m in shape.members if m.required}
        optional = {m.name: values(m.shape) | st.none() for m in shape.members if not m.required}
        return st.fixed_dictionaries(required, optional=optional)
    if shape.choices:
        return st.sampled_from(sorted(shape.choices))
    if shape.is_object:
        return st.dictionaries(texts, anything, max_size=2)
    return {
        "boolean": st.booleans(),
        "integer": integers,
        "number": numbers,
        "text": texts,
    }.get(shape.kind, anything)


own_records = values(trajectory_shape())
paths = st.sampled_from(["a.py", "b.py", "é/ü", ""])
spans = st.fixed_dictionaries(
    {"start": integers, "end": integers}, optional={"type": st.just("line"), "note": anything}
)
contexts = {
    "files": st.none() | st.lists(paths, max_size=20),
    "spans": st.none()
    | st.dictionaries(paths, st.none() | st.lists(spans, max_size=2), max_size=3),
    "symbols": st.none()
    | st.dictionaries(paths, st.none() | st.lists(texts, max_size=2), max_size=3),
}
steps = st.fixed_dictionaries({}, optional={**contexts, "note": anything})
data = st.fixed_dictionaries(
    {},
    optional={
        **{f"pred_{name}": strategy for name, strategy in contexts.items()},
        "pred_steps": st.none() | st.lists(steps, max_size=3),
        "note": anything,
    },
)
predictions = st.fixed_dictionaries(
    {"traj_data": st.none() | data},
    optional={
        "instance_id": st.none() | texts,
        "original_inst_id": st.none() | texts,
        "model_patch": st.none() | texts,
        "model_name_or_path": st.none() | texts,
        "note": anything,
        "task_id": texts,
        "trajectory_format": st.just("mini-swe-agent-1"),
    },
)
patches = st.fixed_dictionaries({"instance_id": texts, "model_patch": texts})
extra_keys = st.sampled_from(
    ["note", "extra", "output", "transcript", "traj_data", "results", "result_columns", "passed"]
)


@st.composite
def changed(draw: st.DrawFn, records: st.SearchStrategy[dict[str, Any]]) -> dict[str, Any]:
    """A record in which some value may have become another, or some key may have come in."""
    record = draw(records)
    where: Any = record
    while isinstance(where, dict) and where and draw(st.booleans()):
        key = draw(st.sampled_from(sorted(where)))
        inside = where[key]
        if isinstance(inside, list) and inside:
            inside = inside[draw(st.integers(0, len(inside) - 1))]
        if not isinstance(inside, dict) or draw(st.booleans()):
            where[key] = draw(odd)
            return record
        where = inside
    if isinstance(where, dict) and draw(st.booleans()):
        where[draw(extra_keys | texts)] = draw(odd)
    return record


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """A line, as files hold them."""
    records = st.one_of(own_records, predictions, patches)
    record = draw(records | changed(records) | st.one_of(anything, st.none()))
    text = json.dumps(
        record,
        ensure_ascii=draw(st.booleans()),
        separators=draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", " :  ")])),
    )
    for old, new in draw(st.lists(st.sampled_from(SUBSTITUTIONS), max_size=1)):
        text = text.replace(old, new, 1)
    line = text.encode("utf-8", "surrogatepass")
    if draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(line)))
        line = line[:at] + draw(st.sampled_from([b"", b"\xff", b"}", b"\\", b"\xc3"])) + line[at:]
        line = line[: draw(st.integers(0, len(line)))] if draw(st.booleans()) else line
    return draw(st.sampled_from([b"", b"", b"", b"\xef\xbb\xbf", b" "])) + line.replace(b"\n", b" ")


SUBSTITUTIONS = (
    ('"', '"\\ud800'),
    ("a", "\\ud83d\\ude00"),
    ("0", "-0"),
    ("1", "1e400"),
    ("1", "1E5"),
    ("1", "1.0"),
    ("{", '{"task_id": "twice", '),
    ("{", '{"instance_id": "twice", "traj_data": null, '),
    ("null", "NaN"),
    ("null", "[" * 120 + "]" * 120),
    ("null", "[" * 210 + "]" * 210),
    ("null", "9" * 5000),
    ("}", "}}"),
)

ends = st.sampled_from([b"\n", b"\n", b"\r\n", b"\n\n", b"\n \xef\xbb\xbf\n"])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    parts = draw(st.lists(st.tuples(lines(), ends), min_size=1, max_size=6))
    content = b"".join(line + end for line, end in parts)
    return content.rstrip() if draw(st.booleans()) else content


def storable(content: bytes) -> bool:
    """Whether columns hold every record: those of integers beyond 64 bits are reported instead."""
    path = write(content)
    try:
        as_records(path)
    except InputError:
        return False
    finally:
        path.unlink()
    return True


@given(files(), st.sampled_from([1, 7, 100, 1 << 20]))
@example(b'{"task_id": "a", "x": 1, "x": 2}', 1)
@example(b'{"task_id": "a", "extra": {"x": 1}, "x": 2}', 1)
@example(b'{"task_id": "a", "metadata": { }, "extra": null}', 1)
@example(b'{"task_id": "a", "metadata": null}\n{"task_id": "b", "extra": {\n', 1)
@example(b'{"task_id": "a"} {"task_id": "b"}\n{"task_id": "c"}', 1)
@example(b'{"instance_id": "", "original_inst_id": "b", "traj_data": {}}\n', 1)
@example(b'{"instance_id": "a", "original_inst_id": "", "model_patch": null}\n', 1)
def test_same_rows_and_problems_as_records(content: bytes, block_bytes: int) -> None:
    if storable(content):
        same(content, block_bytes)
