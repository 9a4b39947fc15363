"""Documents that are lists of records, or of messages, read into columns in Rust and as records."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.readers.both_ways import as_batches, as_records
from tests.readers.messages.any_messages import anything, conversations
from tests.readers.messages.test_columns import COLUMNS, ODD, PLAIN
from trajmeter.readers._files.document_values import Document, chunks
from trajmeter.readers.batches import TrajectoryBatches

pytestmark = pytest.mark.usefixtures("rust")

SAID = [{"role": "user", "content": "Mend it."}, {"role": "assistant", "content": "Done."}]
ROW = {"task_id": "t", "messages": SAID}
PREDICTION = {"instance_id": "p", "model_patch": "", "model_name_or_path": "m"}
OWN = {"task_id": "o", "turns": [{"program": "x"}]}
STRANGER = {"x": 1}


def same(content: str, columns: Any = COLUMNS) -> tuple[int, int]:
    """Hold both readers to the same rows and problems; how many rows, and how many as records."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "some.json")
        path.write_text(content)
        read, as_record = as_batches(path, columns)
        assert read == as_records(path, columns)
    return len(read.rows), as_record


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    ("value", "counted"),
    [
        ([ROW, PREDICTION, OWN], (3, 0)),
        ([ROW, 3, ROW, STRANGER], (2, 2)),
        ([STRANGER] * 30, (0, 20)),
        (SAID, (1, 0)),
        ([SAID, SAID], (2, 0)),
        ([SAID, [*SAID, 3], SAID], (3, 1)),
        ([SAID, *SAID], (2, 1)),
        ([*SAID, None], (1, 1)),
    ],
    ids=["records", "strangers", "only strangers", "one", "lists", "odd", "mixed", "null"],
)
def test_lists(value: Any, counted: tuple[int, int], indent: int | None) -> None:
    assert same(json.dumps(value, indent=indent)) == counted


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        "[1e999]",
        json.dumps([ROW])[:-1],
        json.dumps([ROW])[:-1] + ",]",
        json.dumps([ROW]) + "\n" + json.dumps([ROW]),
        json.dumps([ROW]) + "\n\n",
        "\n\n  " + json.dumps([ROW]),
        "\ufeff" + json.dumps([ROW]),
        "\n" * 99 + json.dumps([ROW]),
        json.dumps([ROW, {"a": "\ud83d"}]),
        json.dumps({"a": PREDICTION}),
        "[" * 300,
    ],
)
def test_documents_that_are_odd(content: str) -> None:
    same(content)


values = st.one_of(
    st.builds(lambda messages, about: {**about, "messages": messages}, conversations(), PLAIN),
    st.builds(lambda messages, about: {**about, "messages": messages}, conversations(), ODD),
    conversations(),
    st.sampled_from([PREDICTION, OWN, STRANGER]),
    anything,
)


@given(
    st.lists(values, max_size=3) | st.lists(conversations(), max_size=3) | conversations(),
    st.sampled_from([None, 1]),
)
def test_same_rows_and_problems_as_records(value: list[Any], indent: int | None) -> None:
    same(json.dumps(value, indent=indent))


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("broken", [None, 3, {"model_patch": ""}, {"instance_id": 5}])
def test_a_broken_record_of_an_object_costs_itself_alone(broken: Any, indent: int | None) -> None:
    value = {"p": PREDICTION, "x": broken, "q": {**PREDICTION, "instance_id": "q"}}
    assert same(json.dumps(value, indent=indent))[0] == 2


@pytest.mark.parametrize("indent", [None, 1])
def test_one_good_record_of_an_object_is_read_if_it_is_under_its_id(indent: int | None) -> None:
    value = {PREDICTION["instance_id"]: PREDICTION, "x": None, "y": None}
    assert same(json.dumps(value, indent=indent))[0] == 1


@pytest.mark.parametrize("indent", [None, 1])
def test_parts_of_one_record_that_name_its_instance_are_not_records(indent: int | None) -> None:
    parts = {"instance": {"instance_id": "q"}, "prediction": PREDICTION}
    value = {**parts, "messages": [{"role": "assistant", "content": "Done."}]}
    assert same(json.dumps(value, indent=indent))[0] == 1


def test_rows_count_as_the_first_record(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_text(json.dumps([3, PREDICTION, PREDICTION]))
    batches = TrajectoryBatches(path, on_problem=lambda _: None)
    assert sum(batch.num_rows for batch in batches) == 2
    assert batches.formats == {"swe-bench-predictions": 2}


def test_chunks_are_of_values_and_of_bytes() -> None:
    def sizes(*sizes: int) -> list[int]:
        items = [(0, size) for size in sizes]
        return [len(chunk) for chunk in chunks(Document(b"", [], items))]

    assert sizes() == []
    assert sizes(1, 1) == [2]
    assert sizes(9 << 20, 1, 5 << 20, 5 << 20, 1) == [1, 3, 1]
    assert sizes(*[1] * 5_000) == [4_096, 904]
