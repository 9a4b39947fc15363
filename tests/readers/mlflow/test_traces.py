"""MLflow's traces in the layouts of its SDK, its command and data frames, of versions 3 and 2."""

from __future__ import annotations

import csv
import gzip
import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.readers.logs import read, read_one, turns_of, write_lines
from tests.readers.mlflow.examples import (
    ANSWER,
    ASKED,
    OF_3_5,
    ROOT,
    ROW,
    ROW_2,
    SPANS,
    SPANS_2,
    TRACE,
    TRACE_2,
    asked,
    called,
    encoded,
    of_mlflow_2,
    trace,
)
from tests.readers.opentelemetry import test_openinference as openinference
from trajmeter.readers.mlflow import MLFLOW_TRACES
from trajmeter.records import Usage

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(TRACE, indent=2),
        json.dumps([TRACE]),
        json.dumps({"traces": [TRACE], "next_page_token": None}, indent=2),
        "\n".join(map(json.dumps, [TRACE, TRACE])),
        json.dumps({"info": TRACE["info"], "data": {"spans": OF_3_5}}),
        json.dumps({"info": TRACE["info"], "data": {"spans": SPANS[::-1]}}),
        json.dumps(TRACE_2),
        json.dumps(ROW),
        json.dumps({**ROW, "trace": None, "spans": SPANS}),
        json.dumps({**ROW, "trace": None, "spans": json.dumps(SPANS)}),
        json.dumps(ROW_2),
    ],
    ids=[
        "one",
        "a list",
        "of the command",
        "twice",
        "of 3.5",
        "any order",
        "of 2.22",
        "a row",
        "a row without its trace",
        "spans as text",
        "a row of 2.22",
    ],
)
def test_traces_are_read_in_any_layout(content: str, tmp_path: Path) -> None:
    expected = read_one(write_lines(tmp_path / "traces.jsonl", TRACE))
    path = tmp_path / "traces"
    path.write_bytes(gzip.compress(content.encode()))
    assert read_one(path).model_copy(update={"source": expected.source}) == expected


@pytest.mark.parametrize("is_older", [True, False])
def test_numbered_names(is_older: bool, tmp_path: Path) -> None:
    tools = [called(2 + at, at, "x", name=f"read_{1 + at}") for at in range(2)]
    if is_older:
        tools = [{key: each[key] for key in each if key != "links"} for each in tools]
    (turn,) = turns_of(read_one(write_lines(tmp_path / "a", trace(ROOT, *tools))))
    names = ["read", "read"] if is_older else ["read_1", "read_2"]
    assert [call.name for call in turn.tool_calls] == names


@pytest.mark.parametrize("spans", [SPANS, SPANS_2], ids=["3", "2"])
def test_an_artifact_of_spans_names_its_trace(spans: list[Any], tmp_path: Path) -> None:
    attempt = read_one(write_lines(tmp_path / "traces.json", {"spans": spans}))
    assert (attempt.task_id, attempt.attempt, attempt.metadata) == (
        "tr-1",
        None,
        {"exit_status": "stop"},
    )
    expected = read_one(write_lines(tmp_path / "a", TRACE))
    assert attempt.turns == expected.turns


@pytest.mark.parametrize("has_trace", [True, False])
def test_rows_of_parquet(has_trace: bool, tmp_path: Path) -> None:
    row = ROW if has_trace else {**ROW, "trace": None, "spans": SPANS}
    other = {**row, "trace_id": "tr-2", "trace": json.dumps(trace(trace_id="tr-2")), "spans": []}
    path = tmp_path / "traces.parquet"
    pq.write_table(pa.Table.from_pylist([row, other]), path)
    expected = read_one(write_lines(tmp_path / "traces.jsonl", TRACE))
    assert read_one(path).model_copy(update={"source": expected.source}) == expected


def test_rows_of_csv(tmp_path: Path) -> None:
    cells = {**ROW, "spans": str(SPANS), "tags": str(ROW["tags"])}  # as pandas writes objects
    path = tmp_path / "traces.csv"
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        rows = csv.DictWriter(file, ["", *cells], restval="0")
        rows.writeheader()
        rows.writerow({**cells, "trace": "", "trace_id": "tr-0"})
        rows.writerow(cells)
        file.write("tr-2,\r\n")
    expected = read_one(write_lines(tmp_path / "traces.jsonl", TRACE))
    (attempt,), problems = read(path)
    assert attempt.model_copy(update={"source": expected.source}) == expected
    assert [str(problem) for problem in problems] == [
        f"{path}:2: trace tr-0: expected a list of spans in data",
        f"{path}:4: expected 9 values, got 2",
    ]


def received(printed: dict[str, Any]) -> dict[str, Any]:
    """A span that the SDK prints, as MLflow stores it once it has received it over OTLP."""

    def stored(value: Any) -> str:
        try:
            json.loads(value)
        except (TypeError, ValueError):
            return json.dumps(value)
        return str(value)

    parent = printed["parent_id"]
    start, end = (
        int(datetime.fromisoformat(printed[key].replace("Z", "+00:00")).timestamp() * 10**9)
        for key in ("start_time", "end_time")
    )
    own = {"mlflow.spanType": "LLM", "mlflow.spanOutputs": "less"}
    return {
        "name": printed["name"],
        "span_id": encoded(int(printed["context"]["span_id"], 16)),
        "parent_span_id": encoded(int(parent, 16)) if parent else None,
        "start_time_unix_nano": start,
        "end_time_unix_nano": end,
        "status": {"code": "STATUS_CODE_UNSET", "message": ""},
        "events": [],
        "attributes": {key: stored(each) for key, each in {**printed["attributes"], **own}.items()},
    }


def test_spans_that_mlflow_received_follow_their_own_conventions(tmp_path: Path) -> None:
    expected = read_one(write_lines(tmp_path / "a", *openinference.SPANS))
    spans = [*map(received, openinference.SPANS)]
    attempt = read_one(write_lines(tmp_path / "b", trace(*spans, tags={})))
    assert attempt.turns == expected.turns
    assert attempt.model_copy(update={"source": None, "attempt": None, "metadata": {}}) == (
        expected.model_copy(update={"source": None, "attempt": None, "metadata": {}})
    )


def test_text_and_cost_of_spans_that_mlflow_received(tmp_path: Path) -> None:
    about = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "heron-1",
        "gen_ai.usage.input_tokens": 3,
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": 42,
        "mlflow.llm.cost": {"total_cost": 0.5},
        "mlflow.spanType": "LLM",
    }
    stored = {key: json.dumps(each) for key, each in about.items()}
    spans = ({**SPANS[2], "attributes": stored},)
    attempt = read_one(write_lines(tmp_path / "a", trace(*spans)))
    (turn,) = turns_of(attempt)
    assert (turn.text, attempt.model, attempt.metadata["exit_status"]) == ("42", "heron-1", "stop")
    assert turn.usage == Usage(input_tokens=3, cost_usd=0.5)


LONG = asked(2, 1, "x" * 100_000)


@pytest.mark.parametrize(
    "value",
    [
        trace(LONG, *SPANS),
        {**TRACE_2, "data": {"spans": [of_mlflow_2(LONG), *SPANS_2]}},
        {"spans": [LONG, *SPANS]},
        {**ROW, "trace": json.dumps(trace(LONG, *SPANS))},
        {**ROW_2, "trace": {"data": {"request": "x" * 100_000}}},
    ],
    ids=["3", "2", "artifact", "row", "row of 2"],
)
def test_long_traces_are_recognised(value: dict[str, Any], tmp_path: Path) -> None:
    attempt = read_one(write_lines(tmp_path / "a", value))
    assert "tr-1" in (attempt.attempt, attempt.task_id)


@pytest.mark.parametrize(
    "value",
    [
        {"info": {"trace_id": "tr-1"}, "messages": [ASKED, ANSWER]},
        {"info": {}, "data": {"spans": SPANS}},
        {"spans": [{"name": "a"}], "task_id": "a", "messages": [ASKED, ANSWER]},
        {"trace_id": "7"},
        {"trace_id": "tr-1", "id": 1},
        {"traces": [TRACE], "env": {}},
    ],
)
def test_other_objects_are_not_traces(value: dict[str, Any], tmp_path: Path) -> None:
    assert MLFLOW_TRACES.recognises(tmp_path, json.dumps(value).encode()) is None


def test_a_few_traces_among_other_objects_do_not_decide(tmp_path: Path) -> None:
    lines = [TRACE, {"a": 1}, {"a": 2}]
    head = "\n".join(map(json.dumps, lines)).encode()
    assert MLFLOW_TRACES.recognises(tmp_path, head) is None
