"""Reading JSON lines into columns in Rust, beside reading them as records."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trajmeter.errors import InputError, ReadError
from trajmeter.readers import read_trajectories
from trajmeter.readers.batches import TrajectoryBatches
from trajmeter.records import ReadProblem, Source, ToolCall, Trajectory, Turn, View, json_lines
from trajmeter.schemas import (
    Shape,
    trajectory_batch,
    trajectory_from_row,
    trajectory_schema,
    trajectory_shape,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from trajmeter.kernels import Kernels

pytestmark = pytest.mark.usefixtures("rust")


@dataclass(frozen=True)
class Read:
    """What came of reading a file."""

    rows: list[Any]
    problems: list[ReadProblem]


def as_records(path: Path) -> Read:
    problems: list[ReadProblem] = []
    rows: list[Any] = []
    for record in read_trajectories(path, on_problem=problems.append):
        rows += trajectory_batch([record]).to_pylist()
    return Read(compared(rows), problems)


def as_batches(
    path: Path, columns: Collection[str] | None = None, block_bytes: int = 1 << 20
) -> tuple[Read, int]:
    """What came of it, and how many lines were read as records."""
    problems: list[ReadProblem] = []
    batches = TrajectoryBatches(
        path, columns=columns, on_problem=problems.append, block_bytes=block_bytes
    )
    rows = []
    for batch in batches:
        batch.validate(full=True)
        assert batch.schema.equals(trajectory_schema(), check_metadata=True)
        rows += batch.to_pylist()
    assert batches.rows == len(rows)
    return Read(compared(rows), problems), batches.lines_as_records


def compared(rows: list[Any]) -> list[Any]:
    """Rows with the values that their JSON texts hold, as text that tells 1 from 1.0 and true."""

    def plain(value: Any, shape: Shape) -> Any:
        if value is None:
            return None
        if shape.kind == "json":
            return json_lines.parse(value.encode())
        if shape.kind == "list" and shape.item is not None:
            return [plain(item, shape.item) for item in value]
        if shape.kind == "mapping" and shape.item is not None:
            return {key: plain(item, shape.item) for key, item in value}
        if shape.kind == "record":
            return {m.name: plain(value[m.name], m.shape) for m in shape.members}
        return value

    return [repr(plain(row, trajectory_shape())) for row in rows]


def write(content: bytes) -> Path:
    with tempfile.NamedTemporaryFile(suffix=".jsonl", delete=False) as file:
        file.write(content)
    return Path(file.name)


def same(content: bytes, block_bytes: int = 1 << 20) -> int:
    """Hold both readers to the same rows and problems; how many lines were read as records."""
    path = write(content)
    try:
        read, as_record = as_batches(path, block_bytes=block_bytes)
        assert read == as_records(path)
    finally:
        path.unlink()
    return as_record


# --- values that every reader takes, and others ---------------------------------------------------

texts = st.one_of(
    st.sampled_from(["", "a", "src/a.py", "é😀\u2028", 'q"\\/\b\f\n\r\t\0', "null"]),
    st.text(max_size=3),
)
integers = st.one_of(
    st.integers(-3, 3),
    st.sampled_from([2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 2**64, 10**30]),
)
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


# --- worked examples ------------------------------------------------------------------------------


def test_an_own_record() -> None:
    trajectory = Trajectory(
        task_id="a",
        source=Source(file="f", line=3),
        turns=(Turn(number=1, tool_calls=(ToolCall(name="t", arguments={"x": [1]}),)),),
        final_views=(View(path="p"),),
        metadata={"budget": 1e22},
    )
    path = write(trajectory.model_dump_json().encode())
    (batch,) = TrajectoryBatches(path)
    assert trajectory_from_row(batch.to_pylist()[0]) == trajectory


def test_lines_of_both_formats_and_neither(tmp_path: Path) -> None:
    path = tmp_path / "mixed.jsonl"
    path.write_text(
        '{"task_id": "a"}\n'
        '{"instance_id": "b", "model_patch": "p"}\n'
        "\n"
        '{"what": 1}\n'
        '{"task_id": 5}\n'
        '{"task_id": "c", "unknown": NaN}\n'
        '{"instance_id": "d", "traj_data": {"pred_files": ["x"]}}\n'
    )
    read, as_record = as_batches(path)
    assert read == as_records(path)
    assert [problem.line for problem in read.problems] == [4, 5]
    assert as_record == 3
    batches = list(TrajectoryBatches(path, on_problem=read.problems.append))
    ids = [name for batch in batches for name in batch["task_id"].to_pylist()]
    sources = [row["line"] for batch in batches for row in batch["source"].to_pylist()]
    assert (ids, sources) == (["a", "b", "c", "d"], [1, 2, 6, 7])


def test_unknown_lines_are_one_problem() -> None:
    strange = b'{"what": 1}\n'
    assert same(strange * 3) == 3
    assert same(strange * 25) == 20
    assert same(strange * 3 + b'{"task_id": "a"}\n' + strange) == 4
    assert same(strange * 19 + b'{"task_id": "a", "source": 5}\n' + strange * 30) == 50


def test_without_a_listener_a_problem_raises(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"task_id": "a"}\n{"task_id": 5}\n')
    with pytest.raises(ReadError, match=r"bad\.jsonl:2: task_id"):
        list(TrajectoryBatches(path))


def test_a_value_that_no_column_holds_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "huge.jsonl"
    line = '{"task_id": "%s", "final_views": [{"path": "p", "start": %d}]}\n'
    path.write_text(line % ("a", 1) + line % ("b", 2**64) + line % ("c", 3))
    read, as_record = as_batches(path)
    assert (len(read.rows), as_record) == (2, 1)
    assert [(problem.line, problem.message[:12]) for problem in read.problems] == [
        (2, "trajectory 0")
    ]


def test_other_files_are_read_as_records(tmp_path: Path) -> None:
    document = tmp_path / "records.json"
    document.write_text('[{"task_id": "a"},\n {"task_id": 3}]')
    assert as_batches(document)[0] == as_records(document)
    archive = tmp_path / "records.gz"
    archive.write_bytes(b"\x1f\x8b12")
    for path in (archive, tmp_path / "absent", tmp_path):
        assert as_batches(path)[0] == as_records(path)


CONTENT = b"".join(
    [
        b'\xef\xbb\xbf{"task_id": "a", "final_patch": "\xc3\xa9"}\r\n\r\n',
        b'{"task_id": "b", "note": 1}\n  \n{"instance_id": "c", "model_patch": "x"}\n',
        b'{"task_id": 1}\n{"task_id": "d"}',
    ]
)


def test_blocks_may_end_at_any_byte() -> None:
    assert {same(CONTENT, block) for block in range(1, len(CONTENT) + 2)} == {2}


def test_a_file_may_end_at_any_byte() -> None:
    for length in range(len(CONTENT) + 1):
        same(CONTENT[:length], 16)


def test_lines_longer_than_a_piece() -> None:
    line = json.dumps({"task_id": "a", "final_patch": "x\n" * 800_000}).encode() + b"\n"
    assert same(line * 3 + b'{"task_id": "b"}', 1 << 16) == 0


@pytest.mark.parametrize("columns", [(), ("task_id",), ("final_views", "extra"), ("turns",)])
def test_only_wanted_columns_are_there(columns: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    lines = [
        {"task_id": "a", "turns": [{"number": 1, "views": [{"path": "p"}]}], "unknown": 1},
        {"instance_id": "b", "traj_data": {"pred_steps": [{"files": ["p"]}]}},
        {"task_id": "c", "turns": [{"number": "x"}]},
        {"task_id": "d", "turns": [{"number": 1.0}]},
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    problems: list[ReadProblem] = []
    (batch,) = TrajectoryBatches(path, columns=columns, on_problem=problems.append)
    (whole,) = TrajectoryBatches(path, on_problem=problems.append)
    assert batch.num_rows == whole.num_rows == 3
    assert problems[0] == problems[1]
    for name in batch.schema.names:
        column = batch.column(name)
        if name in columns:
            assert column.equals(whole.column(name))
        else:
            assert column.null_count == 3


def test_an_unknown_column_is_an_error() -> None:
    with pytest.raises(InputError, match="no column 'turn'"):
        TrajectoryBatches("f", columns=["turn"])


def test_the_only_limits_of_fields_are_those_of_columns() -> None:
    """The reader in Rust checks no others."""
    limits = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
    limits |= {"minLength", "maxLength", "pattern", "minItems", "maxItems", "format"}

    def found(schema: Any) -> Iterable[tuple[str, Any]]:
        if isinstance(schema, dict):
            yield from ((key, schema[key]) for key in limits & schema.keys())
            for inner in schema.values():
                yield from found(inner)
        if isinstance(schema, list):
            for inner in schema:
                yield from found(inner)

    assert set(found(Trajectory.model_json_schema())) == {
        ("minimum", -(2**63)),
        ("maximum", 2**63 - 1),
    }


@pytest.mark.parametrize(
    "file",
    [
        "contextbench/preds-qwen25-32b.jsonl",
        "contextbench/preds-qwen3-coder-next.jsonl",
    ],
)
def test_published_predictions(reference_data: Path, file: str) -> None:
    read, as_record = as_batches(reference_data / file)
    assert read == as_records(reference_data / file)
    assert (len(read.rows), read.problems, as_record) == (50, [], 0)


def test_python_backend_reads_everything_as_records(
    monkeypatch: pytest.MonkeyPatch, rust: Kernels
) -> None:
    monkeypatch.setattr("trajmeter.readers.batches.backend", lambda: "python")
    assert same(CONTENT) == 0
