"""Traces of MLflow, handwritten in its layouts."""

from __future__ import annotations

import base64
import json
from typing import Any

__all__ = [
    "ANSWER",
    "ASKED",
    "CALL",
    "COUNTS",
    "OF_3_5",
    "PRIVATE",
    "RESULT",
    "ROOT",
    "ROW",
    "ROW_2",
    "SPANS",
    "SPANS_2",
    "START",
    "TRACE",
    "TRACE_2",
    "__all__",
    "asked",
    "called",
    "completion",
    "encoded",
    "feedback",
    "of_mlflow_2",
    "span",
    "trace",
]

START = 1_790_000_000
CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "read_file", "arguments": '{"path": "a.py"}'},
}
ASKED = {"role": "user", "content": "Mend it."}
ANSWER = {"role": "assistant", "content": "I look.", "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "x = 1"}
PRIVATE = "sk-not-to-be-kept"
COUNTS = {
    "input_tokens": 90,
    "output_tokens": 8,
    "total_tokens": 98,
    "cache_read_input_tokens": 40,
    "cache_creation_input_tokens": 5,
}


def encoded(number: int) -> str:
    return base64.b64encode(number.to_bytes(8, "big")).decode()


def span(
    number: int, kind: str, start: float, *, parent: int | None = 1, **fields: Any
) -> dict[str, Any]:
    """A span of 1 second in the layout of MLflow 3; the first is the root of the others."""
    about = {"traceRequestId": "tr-1", "spanType": kind, **fields.pop("about", {})}
    began = int((START + start) * 10**9)
    return {
        "trace_id": "qcd4K5/pMggDr2qRsgmxMA==",
        "span_id": encoded(number),
        "parent_span_id": encoded(parent) if number > 1 and parent is not None else None,
        "name": kind.lower(),
        "start_time_unix_nano": began,
        "end_time_unix_nano": began + 10**9,
        "events": [],
        "status": {"code": "STATUS_CODE_OK", "message": ""},
        "attributes": {f"mlflow.{key}": json.dumps(each) for key, each in about.items()},
        "links": [],
        **fields,
    }


def completion(message: dict[str, Any], reason: str = "stop", **fields: Any) -> dict[str, Any]:
    return {"choices": [{"message": message, "finish_reason": reason}], **fields}


def asked(number: int, start: float, output: Any, *sent: Any, **fields: Any) -> dict[str, Any]:
    """A span of a model, which was sent these messages."""
    about = {
        "spanInputs": {"messages": [ASKED, *sent], "api_key": PRIVATE},
        "spanOutputs": output,
        **fields.pop("about", {}),
    }
    return span(number, "CHAT_MODEL", start, about=about, **fields)


def called(number: int, start: float, output: Any, **fields: Any) -> dict[str, Any]:
    about = {
        "spanInputs": {"path": "a.py"},
        "spanOutputs": output,
        **fields.pop("about", {}),
    }
    return span(number, "TOOL", start, **{"name": "read_file", "about": about} | fields)


def feedback(name: str, value: Any, at: int = 1, **fields: Any) -> dict[str, Any]:
    return {
        "assessment_name": name,
        "trace_id": "tr-1",
        "source": {"source_type": "HUMAN", "source_id": "u1"},
        "create_time": f"2026-01-02T03:04:{at:02}.000Z",
        "last_update_time": f"2026-01-02T03:04:{at:02}.000Z",
        "feedback": {"value": value},
        "valid": True,
        **fields,
    }


def trace(*spans: Any, **info: Any) -> dict[str, Any]:
    about = {
        "trace_id": "tr-1",
        "request_time": "2026-01-02T03:04:05.678Z",
        "state": "OK",
        "trace_metadata": {"mlflow.trace_schema.version": "3", "mlflow.trace.session": "s1"},
        "tags": {"mlflow.traceName": "heron", "task_id": "shelf-1"},
        **info,
    }
    return {"info": about, "data": {"spans": [*spans]}}


ROOT = span(
    1,
    "AGENT",
    0,
    name="heron",
    end_time_unix_nano=(START + 20) * 10**9,
    about={"spanInputs": {"question": "?"}, "spanOutputs": "Done."},
)
SPANS = [
    ROOT,
    span(2, "RETRIEVER", 0.5, about={"spanOutputs": [{"page_content": "x"}]}),
    asked(
        3,
        1,
        completion(ANSWER, "tool_calls", model="heron-1-2026"),
        about={
            "llm.model": "heron-1",
            "chat.tokenUsage": COUNTS,
            "llm.cost": {"input_cost": 0.001, "output_cost": 0.0011, "total_cost": 0.0021},
        },
    ),
    called(4, 3, "x = 1"),
    asked(5, 5, completion({"role": "assistant", "content": "Done."}), ANSWER, RESULT),
]
TRACE = trace(*SPANS, assessments=[feedback("passed", value=True), feedback("relevance", 0.8)])


def of_mlflow_2(value: dict[str, Any], name: str = "tr-1") -> dict[str, Any]:
    """A span in the layout of MLflow 2, which numbers spans of the same name."""
    number = int.from_bytes(base64.b64decode(value["span_id"]), "big")
    parent = value["parent_span_id"]
    is_numbered = value["name"] == "chat_model"
    return {
        "name": f"chat_model_{number // 2}" if is_numbered else value["name"],
        "context": {"span_id": f"{number:016x}", "trace_id": "9907d847cb86ee2c165ed7069f7ebf76"},
        "parent_id": parent and base64.b64decode(parent).hex(),
        "start_time": value["start_time_unix_nano"],
        "end_time": value["end_time_unix_nano"],
        "status_code": value["status"]["code"].rpartition("_")[2],
        "status_message": value["status"]["message"],
        "attributes": {**value["attributes"], "mlflow.traceRequestId": json.dumps(name)},
        "events": value["events"],
    }


SPANS_2 = [of_mlflow_2(each) for each in SPANS]
TRACE_2 = {
    "info": {
        "request_id": "tr-1",
        "timestamp_ms": 1,
        "request_metadata": TRACE["info"]["trace_metadata"],
        "tags": TRACE["info"]["tags"],
        "assessments": TRACE["info"]["assessments"],
    },
    "data": {"spans": SPANS_2, "request": "", "response": ""},
}
ROW = {
    "trace_id": "tr-1",
    "trace": json.dumps(TRACE),
    "state": "OK",
    "request": {"question": "?"},
    "trace_metadata": TRACE["info"]["trace_metadata"],
    "tags": TRACE["info"]["tags"],
    "spans": [],
    "assessments": TRACE["info"]["assessments"],
}
ROW_2 = {
    "request_id": "tr-1",
    "trace": {"data": {"spans": [{"span_type": "AGENT"}]}, "info": "tr-1"},
    "request_metadata": TRACE["info"]["trace_metadata"],
    "tags": TRACE["info"]["tags"],
    "spans": SPANS_2,
    "assessments": TRACE["info"]["assessments"],
}
OF_3_5 = [
    {
        **each,
        "trace_id": "tr-1",
        "span_id": base64.b64decode(each["span_id"]).hex(),
        "parent_span_id": base64.b64decode(each["parent_span_id"] or "").hex() or None,
        "status": {"code": "OK", "message": ""},
    }
    for each in SPANS
]
