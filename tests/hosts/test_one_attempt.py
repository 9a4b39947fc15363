"""One figure of one attempt, as every host reports it.

The agent reads ``a`` and ``b`` where it should read ``a`` and stop: half of its calls are right,
and half of those expected were made.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from typing import TYPE_CHECKING, Any

import pytest

import trajmeter
from trajmeter.records import Task, ToolCall
from trajmeter.testing import judge

if TYPE_CHECKING:
    from collections.abc import Callable

FIGURE = "tools.f1"
VALUE = 0.5
PATHS = ("a", "b")
EXPECTED: list[dict[str, Any]] = [
    {"name": "read", "arguments": {"path": "a"}},
    {"name": "stop", "arguments": {}},
]
TASK = Task(id="t", expected_tool_calls=tuple(ToolCall(**call) for call in EXPECTED))

pytestmark = pytest.mark.filterwarnings("default")  # those of hosts are not ours to mend


def _messages() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for at, path in enumerate(PATHS):
        function = {"name": "read", "arguments": json.dumps({"path": path})}
        call = {"id": f"c{at}", "type": "function", "function": function}
        found.append({"role": "assistant", "content": "", "tool_calls": [call]})
        found.append({"role": "tool", "tool_call_id": f"c{at}", "content": "x"})
    return [*found, {"role": "assistant", "content": "done"}]


def _session() -> float | None:
    with trajmeter.Scorer("tools", tasks=[TASK]).session("t") as session:
        for path in PATHS:
            session.tool_call("read", {"path": path})
        return session.finish().figure(FIGURE).value


def _messages_of_a_session() -> float | None:
    with trajmeter.Scorer("tools", tasks=[TASK]).session("t") as session:
        session.messages(_messages())
        return session.finish().figure(FIGURE).value


def _pytest() -> float | None:
    claims = [f"{FIGURE} == {VALUE}"]
    return judge(_messages(), claims, task=TASK).figures[FIGURE].value


def _trl() -> float | None:
    from trajmeter.hosts.trl import Reward

    found = Reward(FIGURE)(completions=[_messages()], expected_tool_calls=[EXPECTED])
    return found[0]


def _data() -> float | None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    columns = {"t": ["t"], "m": [_messages()]}
    scores = trajmeter.score(
        pa.table(columns),
        mapping={"task_id": "t", "messages": "m"},
        tasks=[TASK],
        metrics=["tools"],
    )
    value: float | None = scores.to_arrow()["tools.any_order_grades.f1"][0].as_py()
    return value


def _opentelemetry() -> Any:
    pytest.importorskip("opentelemetry.sdk", reason="opentelemetry-sdk is not installed")
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
    from opentelemetry.sdk.trace import TracerProvider

    from trajmeter.hosts.opentelemetry import SpanScorer

    logs, exporter = LoggerProvider(), InMemoryLogRecordExporter()  # type: ignore[no-untyped-call] # of the SDK
    logs.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    provider = TracerProvider()
    scorer = trajmeter.Scorer("tools", tasks=[TASK])
    provider.add_span_processor(
        SpanScorer(scorer, emit=True, figures=[FIGURE], logger=logs.get_logger("test"))
    )
    _spans(provider, {"trajmeter.task_id": "t"})
    (event,) = exporter.get_finished_logs()
    return dict(event.log_record.attributes or {})["gen_ai.evaluation.score.value"]


def _spans(provider: Any, about: dict[str, str]) -> None:
    """The spans of the attempt below a root."""
    tracer = provider.get_tracer("test")
    with tracer.start_as_current_span("invoke_agent", attributes=about):
        for path in PATHS:
            chat = {"gen_ai.operation.name": "chat"}
            tool = {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "read",
                "gen_ai.tool.call.arguments": json.dumps({"path": path}),
            }
            for name, attributes in (("chat m", chat), ("execute_tool read", tool)):
                with tracer.start_as_current_span(name, attributes=attributes):
                    pass


def _pydantic_evals() -> Any:
    pytest.importorskip("pydantic_evals", reason="pydantic-evals is not installed")
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from pydantic_evals import Case, Dataset

    from trajmeter.hosts.pydantic_evals import Tools

    if not isinstance(trace.get_tracer_provider(), TracerProvider):
        trace.set_tracer_provider(TracerProvider())
    case: Any = Case(name="t", inputs="q", metadata={"expected_tool_calls": EXPECTED})
    data_set = Dataset(name="one", cases=[case], evaluators=[Tools(figures=("f1",))])

    def agent(_: str) -> str:
        _spans(trace.get_tracer_provider(), {})
        return "done"

    return data_set.evaluate_sync(agent, progress=False).averages().scores[FIGURE]


def _langsmith() -> Any:
    langsmith = pytest.importorskip("langsmith", reason="LangSmith is not installed")
    from langsmith import schemas

    from trajmeter.hosts.callables import evaluator

    reference = {"expected_tool_calls": EXPECTED}
    ids = {"id": uuid.uuid4(), "dataset_id": uuid.uuid4()}
    (row,) = langsmith.evaluate(
        lambda _: {"messages": _messages()},
        data=[schemas.Example(**ids, inputs={"q": "q"}, outputs=reference)],
        evaluators=[evaluator(FIGURE)],
        client=langsmith.Client(api_key="none", api_url="http://127.0.0.1:9"),
        upload_results=False,
    )
    (result,) = row["evaluation_results"]["results"]
    return result.score


def _deepeval() -> Any:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
        environment.delenv("CONFIDENT_API_KEY", raising=False)
        deepeval = pytest.importorskip("deepeval", reason="DeepEval is not installed")
        from deepeval.evaluate import DisplayConfig
        from deepeval.test_case import LLMTestCase
        from deepeval.test_case import ToolCall as Called

        from trajmeter.hosts.deepeval import TrajmeterMetric

        def calls(named: list[dict[str, Any]]) -> list[Any]:
            return [Called(name=each["name"], input_parameters=each["arguments"]) for each in named]

        made = [{"name": "read", "arguments": {"path": path}} for path in PATHS]
        case = LLMTestCase(
            name="t", input="q", tools_called=calls(made), expected_tools=calls(EXPECTED)
        )
        quiet = DisplayConfig(show_indicator=False, print_results=False)
        found = deepeval.evaluate([case], [TrajmeterMetric(FIGURE, 0.1)], display_config=quiet)
    (result,) = found.test_results[0].metrics_data
    return result.score


def _verifiers() -> Any:
    pytest.importorskip("verifiers", reason="verifiers is not installed")
    from verifiers.v1 import task as tasks
    from verifiers.v1 import trace as traces
    from verifiers.v1.agent import AgentConfig
    from verifiers.v1.graph import MessageNode
    from verifiers.v1.types import AssistantMessage, ToolMessage, UserMessage
    from verifiers.v1.types import ToolCall as Called

    class Data(tasks.TaskData):
        expected_tool_calls: Any = None

    class Reading(tasks.Task[Data, tasks.TaskConfig]):
        pass

    config = tasks.TaskConfig(metrics={"tools": {"fn": "trajmeter.hosts.verifiers:tools"}})
    data = Data(idx=0, prompt="q", expected_tool_calls=EXPECTED)
    nodes = [MessageNode(message=UserMessage(content="q"))]
    for at, path in enumerate(PATHS):
        call = Called(id=f"c{at}", name="read", arguments=json.dumps({"path": path}))
        answer = AssistantMessage(content="", tool_calls=[call])
        nodes.append(MessageNode(parent=len(nodes) - 1, message=answer, sampled=True))
        result = ToolMessage(tool_call_id=f"c{at}", content="x")
        nodes.append(MessageNode(parent=len(nodes) - 1, message=result))
    trace = traces.Trace(
        task=traces.TraceTask(type="Reading", data=data, key="t"),
        agent=traces.AgentInfo(config=AgentConfig()),
        nodes=nodes,
    )
    asyncio.run(Reading(data, config).score(trace))
    return trace.metrics[FIGURE]


def _inspect() -> Any:
    inspect_ai = pytest.importorskip("inspect_ai", reason="Inspect AI is not installed")
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.solver import generate, use_tools
    from inspect_ai.tool import ToolDef

    from trajmeter.hosts.inspect import tools

    async def read(path: str) -> str:
        return path

    outputs = [ModelOutput.for_tool_call("mockllm/model", "read", {"path": path}) for path in PATHS]
    outputs.append(ModelOutput.from_content("mockllm/model", "done"))
    for output in outputs:  # else Inspect downloads a table to count tokens with
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    tool = ToolDef(read, "read", "Read a file.", {"path": "Its path."})
    task = inspect_ai.Task(
        dataset=[Sample(id="t", input="q", metadata={"expected_tool_calls": EXPECTED})],
        solver=[use_tools(tool), generate()],
        scorer=tools(),
    )
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = inspect_ai.eval(task, model=model, display="none", log_format="json")
    (f1,) = [each for each in log.results.scores if each.name == "f1"]
    assert (f1.scored_samples, f1.unscored_samples) == (1, 0)
    return f1.metrics["mean"].value


HOSTS: dict[str, Callable[[], Any]] = {
    "session": _session,
    "messages": _messages_of_a_session,
    "pytest": _pytest,
    "trl": _trl,
    "data": _data,
    "opentelemetry": _opentelemetry,
    "pydantic-evals": _pydantic_evals,
    "langsmith": _langsmith,
    "deepeval": _deepeval,
    "verifiers": _verifiers,
    "inspect": _inspect,
}
"""What each reports of the attempt."""


@pytest.mark.parametrize("host", HOSTS)
def test_all_hosts_give_one_value(
    host: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where some keep their logs
    assert HOSTS[host]() == VALUE
