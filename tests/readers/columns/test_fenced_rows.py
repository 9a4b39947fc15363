"""What is left of rows of SWE-agent in a table when they are converted to lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.readers.both_ways import compared
from tests.readers.test_data_set_columns import COLUMNS, same_table
from tests.readers.test_data_sets import SWE_AGENT
from trajmeter.readers import read_trajectories
from trajmeter.readers._columns.fenced_rows import without_unread
from trajmeter.readers.batches import TrajectoryBatches
from trajmeter.schemas import trajectory_batch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("rust")


@pytest.mark.parametrize("list_of", [pa.list_, pa.large_list])
@pytest.mark.parametrize("text", [pa.string(), pa.large_string(), pa.string_view()])
def test_what_is_not_read_of_a_table_is_not_converted(
    list_of: Callable[[pa.DataType], pa.DataType], text: pa.DataType
) -> None:
    found = [{**SWE_AGENT, "generated_patch": "+ a", "eval_logs": "ok"}] * 3
    names = [name for name in SWE_AGENT if name != "trajectory"]
    fields = [(name, text) for name in ("role", "text", "system_prompt")]
    schema = pa.schema({"trajectory": list_of(pa.struct(fields)), **dict.fromkeys(names, text)})
    schema = schema.set(schema.get_field_index("target"), pa.field("target", pa.bool_()))
    (rows,) = pa.Table.from_pylist(found, schema).to_batches()
    (row, _) = without_unread(rows[1:], ("turns",)).to_pylist()
    first, _, *answers = SWE_AGENT["trajectory"]
    assert row == {
        **found[0],
        "generated_patch": None,
        "eval_logs": None,
        "trajectory": [{"role": each["role"], "text": each["text"]} for each in (first, *answers)],
    }
    (row, _) = without_unread(rows[1:], COLUMNS).to_pylist()
    assert (row["generated_patch"], row["eval_logs"]) == ("+ a", "ok")


@pytest.mark.parametrize(
    "more",
    [
        {"trajectory": None},
        {"trajectory": [None, *SWE_AGENT["trajectory"]]},
        {"trajectory": [{**SWE_AGENT["trajectory"][0], "content": "a"}]},
        {"trajectory": [{"role": "ai", "text": 1}]},
        {"trajectory": "[]"},
    ],
)
def test_other_tables_are_converted_whole(more: dict[str, Any]) -> None:
    (rows,) = pa.Table.from_pylist([{**SWE_AGENT, **more}]).to_batches()
    assert without_unread(rows, ("turns",)) is rows
    same_table([{**SWE_AGENT, **more}])


def test_a_table_in_a_named_format_is_converted_whole(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.Table.from_pylist([{**SWE_AGENT, "task_id": "a"}] * 3), path)
    for name in ("trajectory-records", "swe-agent-rows"):
        batches = TrajectoryBatches(path, input_format=name)
        rows = [each for batch in batches for each in batch.to_pylist()]
        records = [*read_trajectories(path, input_format=name)]
        assert compared(rows) == compared(trajectory_batch(records).to_pylist())
