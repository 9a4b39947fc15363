"""Turns from lists of messages; rows of them and Inspect logs, compared with only parsing them.

The list has 50 turns with a call and its result in each, as a harness passes them for one attempt.
Its tool is a reader of files, an unknown tool, or views are not requested. Rows hold such a list in
the formats of OpenAI and Anthropic, as JSON text, or as a run of SWE-agent with a command in the
text of each turn. The log has samples of 40 messages with an event for each, and a sandbox command
for each call. Turns are counted by ``turns``, which needs no views.
"""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import trajmeter
from trajmeter.readers.batches import TrajectoryBatches
from trajmeter.readers.tool_views import TOOL_VIEWS
from trajmeter.scoring.batches import BatchScorer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

    from trajmeter.readers.tool_views import ToolViews

TURNS = 50
ROWS = 600
SMOKE_ROWS = 3
SAMPLES = 2_000
SMOKE_SAMPLES = 3
ANSWERS = 19
OUTPUT = "".join(f"value_{line} = compute({line})\n" for line in range(25))


def messages(tool: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"role": "user", "content": "Mend it."}]
    for turn in range(TURNS):
        arguments = json.dumps({"path": f"src/module_{turn}.py"})
        call = {"id": f"c{turn}", "function": {"name": tool, "arguments": arguments}}
        found.append({"role": "assistant", "content": f"Step {turn}.", "tool_calls": [call]})
        found.append({"role": "tool", "tool_call_id": f"c{turn}", "content": OUTPUT})
    return found


@pytest.mark.benchmark(group="make a record of 50 turns of messages")
@pytest.mark.parametrize(
    ("tool", "views", "seen"),
    [("read_file", TOOL_VIEWS, TURNS), ("search_web", TOOL_VIEWS, 0), ("read_file", None, 0)],
    ids=["a tool that reads", "an unknown tool", "without views"],
)
def bench_from_messages(
    benchmark: BenchmarkFixture, tool: str, views: ToolViews | None, seen: int
) -> None:
    given = messages(tool)
    attempt = benchmark(trajmeter.from_messages, given, task_id="t", views=views)
    assert sum(call.result == OUTPUT for turn in attempt.turns for call in turn.tool_calls) == TURNS
    assert sum(len(turn.views or ()) for turn in attempt.turns) == seen


@pytest.mark.benchmark(group="make a record of 50 turns of messages")
def bench_from_objects_of_inspect(benchmark: BenchmarkFixture) -> None:
    model = pytest.importorskip("inspect_ai.model", reason="inspect-ai is not installed")
    tool = pytest.importorskip("inspect_ai.tool", reason="inspect-ai is not installed")
    given: list[Any] = [model.ChatMessageUser(content="Mend it.")]
    for turn in range(TURNS):
        arguments = {"path": f"src/module_{turn}.py"}
        call = tool.ToolCall(id=f"c{turn}", function="read_file", arguments=arguments)
        given.append(model.ChatMessageAssistant(content=f"Step {turn}.", tool_calls=[call]))
        given.append(
            model.ChatMessageTool(content=OUTPUT, tool_call_id=f"c{turn}", function="read_file")
        )
    attempt = benchmark(trajmeter.from_messages, given, task_id="t")
    assert sum(call.result == OUTPUT for turn in attempt.turns for call in turn.tool_calls) == TURNS
    assert sum(len(turn.views or ()) for turn in attempt.turns) == TURNS


def blocks(tool: str) -> list[dict[str, Any]]:
    """Return the same list in Anthropic's format."""
    found: list[dict[str, Any]] = [{"role": "user", "content": "Mend it."}]
    for turn in range(TURNS):
        call = {"type": "tool_use", "id": f"c{turn}", "name": tool, "input": {"path": "a.py"}}
        said = {"type": "text", "text": f"Step {turn}."}
        given = {"type": "tool_result", "tool_use_id": f"c{turn}", "content": OUTPUT}
        found.append({"role": "assistant", "content": [said, call]})
        found.append({"role": "user", "content": [given]})
    return found


@pytest.fixture(scope="module", params=[messages, blocks], ids=["OpenAI", "Anthropic"])
def rows(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path, int]:
    count = SMOKE_ROWS if request.config.getoption("--benchmark-disable") else ROWS
    path = tmp_path_factory.mktemp("rows") / "runs.jsonl"
    given = request.param("read_file")
    with path.open("w") as file:
        for number in range(count):
            file.write(json.dumps({"task_id": f"t{number}", "messages": given}) + "\n")
    return request.param.__name__, path, count


def parse_rows(path: Path) -> int:
    with path.open("rb") as file:
        return sum(len(json.loads(line)["messages"]) // 2 for line in file)


def count_turns(path: Path) -> int:
    scorer = BatchScorer(["turns"])
    scored = scorer.score(TrajectoryBatches(path, columns=scorer.columns))
    counts = [count for batch in scored for count in batch["turns.recorded_turns"].to_pylist()]
    return sum(filter(None, counts))


@pytest.mark.benchmark(group="read and count rows of messages")
@pytest.mark.parametrize("counts", [False, True], ids=["json.loads", "turns"])
def bench_rows(
    benchmark: BenchmarkFixture,
    rows: tuple[str, Path, int],
    counts: bool,  # noqa: FBT001 - given by name
) -> None:
    name, path, number = rows
    benchmark.group = f"read and count rows of {name}, {path.stat().st_size / 1e6:.0f} MB"
    benchmark.extra_info["contender"] = "turns" if counts else "json.loads"
    assert benchmark(count_turns if counts else parse_rows, path) == number * TURNS


def fenced() -> list[dict[str, Any]]:
    """Return the same run as SWE-agent records it."""
    found: list[dict[str, Any]] = []
    for turn in range(TURNS):
        said = f"Step {turn}.\n```\nopen src/module_{turn}.py\n```"
        found.append({"role": "user", "text": OUTPUT, "mask": False})
        found.append({"role": "ai", "text": said, "mask": True})
    return found


@pytest.fixture(scope="module", params=["lists", "text", "texts of SWE-agent"])
def table(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path, int]:
    count = SMOKE_ROWS if request.config.getoption("--benchmark-disable") else ROWS
    path = tmp_path_factory.mktemp("table") / "runs.parquet"
    verdict, given = "resolved", messages("read_file")
    if request.param == "texts of SWE-agent":
        verdict, given = "target", fenced()
    turns: Any = json.dumps(given) if request.param == "text" else given
    runs = [{"instance_id": f"t{at}", verdict: 1, "trajectory": turns} for at in range(count)]
    parquet.write_table(pa.Table.from_pylist(runs), path)
    return request.param, path, count


def convert_rows(path: Path) -> int:
    found: list[Any] = parquet.read_table(path).column("trajectory").to_pylist()
    lists = (json.loads(each) if isinstance(each, str) else each for each in found)
    return sum(len(each) // 2 for each in lists)


@pytest.mark.benchmark(group="read and count rows of a data set in Parquet")
@pytest.mark.parametrize("work", [convert_rows, count_turns], ids=["to_pylist", "turns"])
def bench_data_set(
    benchmark: BenchmarkFixture, table: tuple[str, Path, int], work: Callable[[Path], int]
) -> None:
    kind, path, number = table
    benchmark.group = f"read and count rows of a data set in Parquet, messages as {kind}"
    benchmark.extra_info["contender"] = "to_pylist" if work is convert_rows else "turns"
    assert benchmark(work, path) == number * TURNS


def sample(number: int) -> dict[str, Any]:
    events: list[dict[str, Any]] = []
    kept: list[dict[str, Any]] = [{"role": "user", "content": "Mend it."}]
    at = "2026-01-02T03:04:05.123456+00:00"
    usage = {"input_tokens": 900, "output_tokens": 50, "input_tokens_cache_read": 500}
    for turn in range(ANSWERS):
        identity, span = f"c{number}-{turn}", f"s{turn}"
        arguments = {"command": f"cd /repo && sed -n '{turn},{turn + 24}p' src/a.py"}
        call = {"id": identity, "function": "bash", "arguments": arguments}
        said = {"role": "assistant", "content": f"Step {turn}.", "tool_calls": [call]}
        output = {"choices": [{"message": said}], "usage": usage}
        about = {"span_id": "agent", "timestamp": at, "completed": at}
        events += [
            {"event": "model", "model": "m", "output": output, **about},
            {
                "event": "span_begin",
                "id": span,
                "type": "tool",
                "name": "bash",
                "parent_id": "agent",
            },
            {"event": "tool", "id": identity, "function": "bash", "result": OUTPUT, **about},
            {"event": "sandbox", "action": "exec", "result": 0, "output": OUTPUT, "span_id": span},
            {"event": "span_end", "id": span},
        ]
        result = {"role": "tool", "tool_call_id": identity, "function": "bash", "content": OUTPUT}
        kept += [said, result]
    return {"id": f"t{number}", "epoch": 1, "input": "Mend it.", "messages": kept, "events": events}


@pytest.fixture(scope="module", params=[".eval", ".json"])
def log(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, int]:
    is_smoke = request.config.getoption("--benchmark-disable")
    count = SMOKE_SAMPLES if is_smoke else SAMPLES
    path = tmp_path_factory.mktemp("inspect") / f"run{request.param}"
    header = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}}
    if request.param == ".json":
        path.write_text(json.dumps({**header, "samples": [*map(sample, range(count))]}))
        return path, count
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(header))
        for number in range(count):
            archive.writestr(f"samples/t{number}_epoch_1.json", json.dumps(sample(number)))
    return path, count


def parse(path: Path) -> int:
    if path.suffix == ".json":
        with path.open("rb") as file:
            return sum(map(calls_of, json.load(file)["samples"]))
    calls = 0
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist()[1:]:
            with archive.open(name) as entry:
                calls += calls_of(json.load(io.TextIOWrapper(entry, "utf-8")))
    return calls


def calls_of(sample: dict[str, Any]) -> int:
    return sum(event["event"] == "tool" for event in sample["events"])


@pytest.mark.benchmark(group="read and count a log of Inspect")
@pytest.mark.parametrize("work", [parse, count_turns], ids=["unzip and json.load", "turns"])
def bench_inspect(
    benchmark: BenchmarkFixture, log: tuple[Path, int], work: Callable[[Path], int]
) -> None:
    path, samples = log
    benchmark.group = f"read and count a log of Inspect ({path.suffix})"
    benchmark.extra_info["contender"] = "json.load" if work is parse else "turns"
    assert benchmark(work, path) == samples * ANSWERS
