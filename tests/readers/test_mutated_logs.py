"""Logs in which something is another value, or missing: nothing raises, and records stay valid."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.readers import test_openai_agents as agents
from tests.readers import test_smolagents as smol
from tests.readers import test_verifiers as verifiers
from tests.readers.inspect.archives import STORED, archive
from tests.readers.inspect.samples import HEADER, begin, ran, sample
from tests.readers.langfuse import test_observations as langfuse
from tests.readers.langfuse import test_rows as rows
from tests.readers.langsmith import test_feedback as feedback
from tests.readers.langsmith import test_runs as langsmith
from tests.readers.messages.test_turns import ONE_CALL
from tests.readers.mlflow import examples as mlflow
from tests.readers.opentelemetry import test_mlflow as mlflow_spans
from tests.readers.opentelemetry import test_openinference as openinference
from tests.readers.opentelemetry import test_openllmetry as openllmetry
from tests.readers.opentelemetry import test_phoenix as phoenix
from tests.readers.opentelemetry import test_sdk_spans as sdk_spans
from tests.readers.opentelemetry.test_spans import READ, SAY, chat, export, span, tool
from trajmeter.readers import read_trajectories
from trajmeter.readers.inspect.archive import Archive
from trajmeter.records import Trajectory
from trajmeter.schemas import trajectory_batch

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import ReadProblem

FAILED: dict[str, Any] = {
    "status": {"code": 2, "message": "gone"},
    "events": [{"name": "exception"}],
}
INSPECT = {**HEADER, "samples": [sample(), sample(events=[begin("a", "b", "c"), ran(1)])]}
LOGS: dict[str, Any] = {
    **{f"messages of {name}": [messages] for name, messages in ONE_CALL.items()},
    "records": [{"instance_id": "a", "trajectory": ONE_CALL["openai"], "resolved": 1}],
    "inspect": [INSPECT],
    "opentelemetry, printed": [sdk_spans.run()],
    "openinference": openinference.SPANS,
    "openinference, exports": [phoenix.OTLP],
    "openinference, rows": [*map(phoenix.row_of, openinference.SPANS)],
    "openinference, a page": [{"data": [*map(phoenix.of_phoenix, openinference.SPANS)]}],
    "opentelemetry": [export(chat(1, READ), tool(5, **FAILED), chat(8, SAY), span("x", 0, 9))],
    "openllmetry": [
        export(
            openllmetry.asked(1, (), [openllmetry.LOOKED]),
            openllmetry.did("tool", "read_file", 3, 4, given={"args": ["a"], "kwargs": {}}),
            openllmetry.asked(5, openllmetry.SENT, [openllmetry.DONE]),
        )
    ],
    "langfuse": [langfuse.trace(*langfuse.OBSERVATIONS)],
    "langfuse, rows": [*rows.ROWS, rows.TRACE, *rows.SCORES],
    "langsmith": langsmith.RUNS,
    "langsmith, feedback": [*langsmith.RUNS, *feedback.FEEDBACK],
    "mlflow": [mlflow.TRACE],
    "mlflow 2": [mlflow.TRACE_2],
    "mlflow, rows": [mlflow.ROW_2],
    "mlflow, exports": [mlflow_spans.export(*mlflow.SPANS)],
    "openai-agents": [agents.TRACE, agents.response(1), agents.function(5), agents.agent()],
    "smolagents run": [{"output": "x", "state": "success", "steps": [smol.TASK, smol.LAST]}],
    "smolagents memory": [[smol.TASK, smol.step(1, smol.READ), smol.LAST]],
    "verifiers": [verifiers.trace()],
    "verifiers, episodes": [verifiers.episode(verifiers.trace())],
}

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2**70)
    | st.floats()
    | st.sampled_from(["", "x", "[1]", "{", "assistant", "tool", "2026-01-02T03:04:05Z", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["type", "role", "id", "content", "text"]), inner, max_size=2
        )
    ),
    max_leaves=4,
)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the values within a value stand."""
    found = [at]
    pairs = value.items() if isinstance(value, dict) else ()
    for key, each in enumerate(value) if isinstance(value, list) else pairs:
        found += places(each, (*at, key))
    return found


def mutated(log: Any, place: tuple[Any, ...], value: Any, *, is_gone: bool) -> Any:
    changed = copy.deepcopy(log)
    inner = changed
    for key in place[:-1]:
        inner = inner[key]
    if is_gone:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return changed


def check(path: Path) -> None:
    problems: list[ReadProblem] = []
    for attempt in read_trajectories(path, on_problem=problems.append):
        again = Trajectory.model_validate_json(attempt.model_dump_json())
        assert (again.task_id, again.source) == (attempt.task_id, attempt.source)
        assert trajectory_batch([again]).num_rows == 1
    assert all(problem.file == str(path) for problem in problems)


@pytest.mark.parametrize("name", LOGS)
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=settings().max_examples // 2,
)
@given(data=st.data())
def test_any_value_may_be_another(name: str, data: st.DataObject, tmp_path: Path) -> None:
    log = LOGS[name]
    place = data.draw(st.sampled_from(places(log)[1:]))
    value, is_gone = data.draw(VALUES), data.draw(st.booleans())
    changed = mutated(log, place, value, is_gone=is_gone)
    path = tmp_path / "log.json"
    # Halves of surrogate pairs are what programs write of text that they cut.
    path.write_text("".join(f"{json.dumps(each)}\n" for each in changed))
    check(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_any_byte_of_an_archive_may_be_another(data: st.DataObject, tmp_path: Path) -> None:
    whole = bytearray(archive(("header.json", HEADER), ("samples/a_epoch_1.json", sample())))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / "log.eval"
    path.write_bytes(whole[: data.draw(st.integers(1, len(whole)))])
    check(path)


def test_an_entry_that_says_it_is_huge_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    content = archive(("header.json", HEADER), ("samples/a_epoch_1.json", b"{}"), method=STORED)
    path.write_bytes(content.replace((2).to_bytes(4, "little") * 2, b"\xff\xff\xff\x7f" * 2))
    with path.open("rb") as file:
        assert Archive(file).samples == ["samples/a_epoch_1.json"]
    problems: list[ReadProblem] = []
    assert [*read_trajectories(path, on_problem=problems.append)] == []
    assert "expected 1,073,741,824 at most" in problems[0].message
