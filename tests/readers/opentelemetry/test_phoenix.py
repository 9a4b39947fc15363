"""Spans of OpenInference in OTLP, and as Arize Phoenix exports them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.readers.logs import read_one, write_lines
from tests.readers.opentelemetry.test_openinference import SPANS, USED, span
from tests.readers.opentelemetry.test_spans import attributes, export
from trajmeter.records import Usage

if TYPE_CHECKING:
    from pathlib import Path


def of_phoenix(printed: dict[str, Any]) -> dict[str, Any]:
    """A span as the API of Phoenix gives it."""
    about = dict(printed["attributes"])
    for key, value in json.loads(about.pop("metadata", "{}")).items():
        about[f"metadata.{key}"] = value
    return {
        "id": "U3Bhbg==",
        "name": printed["name"],
        "context": {key: each[2:] for key, each in printed["context"].items()},
        "span_kind": about.pop("openinference.span.kind"),
        "parent_id": printed["parent_id"] and printed["parent_id"][2:],
        "start_time": printed["start_time"],
        "end_time": printed["end_time"],
        "status_code": printed["status"]["status_code"],
        "status_message": printed["status"].get("description", ""),
        "attributes": about,
        "events": printed["events"],
    }


def listed(about: dict[str, Any], side: str) -> list[dict[str, Any]] | None:
    """Messages as a list of objects."""
    begin = f"llm.{side}_messages."
    found: dict[str, dict[str, Any]] = {}
    for key, value in about.items():
        if key.startswith(begin):
            at, _, field = key[len(begin) :].partition(".")
            message = found.setdefault(at, {})
            if field.startswith("message.tool_calls."):
                index, _, name = field[len("message.tool_calls.") :].partition(".")
                inner = message.setdefault("message.tool_calls", [])
                inner += [{} for _ in range(int(index) + 1 - len(inner))]
                inner[int(index)][name] = value
            else:
                message[field] = value
    return [*found.values()] or None


def row_of(printed: dict[str, Any]) -> dict[str, Any]:
    """A span as a row of a data frame of Phoenix, with empty cells."""
    about = printed["attributes"]
    metadata = about.get("metadata")
    columns = (
        *("openinference.span.kind", "agent.name", "tool.name", "tool.id", "input.value"),
        *("output.value", "llm.model_name", "llm.invocation_parameters", "llm.finish_reason"),
    )
    return {
        **{key: printed[key] for key in ("name", "start_time", "end_time", "events")},
        "parent_id": printed["parent_id"] and printed["parent_id"][2:],
        "span_kind": about["openinference.span.kind"],
        "status_code": printed["status"]["status_code"],
        "status_message": printed["status"].get("description", ""),
        **{f"context.{key}": each[2:] for key, each in printed["context"].items()},
        **{f"attributes.{key}": about.get(key) for key in columns},
        **{f"attributes.{key}": None if key not in about else float(about[key]) for key in USED},
        "attributes.metadata": metadata and json.loads(metadata),
        "attributes.llm.input_messages": listed(about, "input"),
        "attributes.llm.output_messages": listed(about, "output"),
    }


def in_milliseconds(row: dict[str, Any]) -> dict[str, Any]:
    """A row as pandas writes its times by default."""
    begin = 1_772_359_200_000
    times = {}
    for key in ("start_time", "end_time"):
        minutes, seconds = row[key][14:].rstrip("Z").split(":")
        times[key] = begin + round(1000 * (60 * int(minutes) + float(seconds)))
    return row | times


OTLP = export(
    *(
        {
            "traceId": "0a",
            "spanId": each["context"]["span_id"][2:],
            "parentSpanId": each["parent_id"] and each["parent_id"][2:],
            "name": each["name"],
            "startTimeUnixNano": f"{in_milliseconds(each)['start_time']}000000",
            "endTimeUnixNano": f"{in_milliseconds(each)['end_time']}000000",
            "attributes": attributes(each["attributes"]),
            "status": {"code": 1},
        }
        for each in SPANS
    )
)
NESTED = {
    "openinference": {"span": {"kind": "LLM"}},
    "llm": {
        "model_name": "heron-1",
        "token_count": {"prompt": 3},
        "output_messages": [{"message": {"role": "assistant", "content": "Done."}}],
    },
}


@pytest.mark.parametrize(
    "content",
    [
        OTLP,
        [of_phoenix(each) for each in SPANS],
        {"data": [of_phoenix(each) for each in SPANS], "next_cursor": None},
        [row_of(each) for each in SPANS],
        [in_milliseconds(row_of(each)) for each in SPANS],
    ],
    ids=["otlp", "objects", "a page", "rows", "rows with times as numbers"],
)
def test_traces_are_read_in_any_layout(content: Any, tmp_path: Path) -> None:
    expected = read_one(write_lines(tmp_path / "spans.jsonl", *SPANS))
    path = tmp_path / "spans"
    path.write_text(json.dumps(content))
    assert read_one(path).model_copy(update={"source": expected.source}) == expected


@pytest.mark.parametrize("as_text", [False, True])
def test_rows_of_parquet(as_text: bool, tmp_path: Path) -> None:
    expected = read_one(write_lines(tmp_path / "spans.jsonl", *SPANS))
    rows = [row_of(each) for each in SPANS]
    for row in rows:
        del row["events"]
        for key, value in row.items() if as_text else ():
            row[key] = json.dumps(value) if isinstance(value, (dict, list)) else value
    table = pa.Table.from_pylist(rows)
    for key in ("start_time", "end_time"):
        at = table.schema.get_field_index(key)
        times = table[key].cast(pa.timestamp("ns", tz="UTC"))
        table = table.set_column(at, key, times)
    pq.write_table(table, tmp_path / "spans.parquet")
    found = read_one(tmp_path / "spans.parquet")
    assert found.model_copy(update={"source": expected.source}) == expected


def test_rows_without_the_index_of_their_frame(tmp_path: Path) -> None:
    rows = [{**row_of(each)} for each in SPANS]
    for row in rows:
        del row["context.span_id"]
    attempt = read_one(write_lines(tmp_path / "a", *rows))
    assert [len(turn.tool_calls) for turn in attempt.turns or ()] == [2, 0]
    assert (attempt.agent, attempt.final_output) == ("heron", "Done.")


def test_nested_attributes(tmp_path: Path) -> None:
    only = span("LLM", 1, 0, 1, {}) | {"attributes": NESTED}
    attempt = read_one(write_lines(tmp_path / "a", only))
    assert (attempt.final_output, attempt.model) == ("Done.", "heron-1")
    assert [turn.usage for turn in attempt.turns or ()] == [Usage(input_tokens=3)]


def test_nested_attributes_of_the_conventions(tmp_path: Path) -> None:
    messages = [{"role": "assistant", "parts": [{"type": "text", "content": "Done."}]}]
    about = {
        "attributes.gen_ai": {
            "operation": {"name": "chat"},
            "output": {"messages": messages},
            "usage": {"input_tokens": 3},
        },
    }
    row = {key: each for key, each in row_of(SPANS[0]).items() if "attributes." not in key}
    only = {**row, **about, "parent_id": None, "span_kind": "UNKNOWN"}
    attempt = read_one(write_lines(tmp_path / "a", only))
    assert attempt.final_output == "Done."
    assert [turn.usage for turn in attempt.turns or ()] == [Usage(input_tokens=3)]
