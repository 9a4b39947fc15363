"""Logs read into columns in Rust, beside reading them as records."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.readers.both_ways import as_batches, as_records
from trajmeter.schemas import trajectory_schema

pytestmark = pytest.mark.usefixtures("rust")

COLUMNS = tuple(trajectory_schema().names)

FRAGMENTS = (
    "```bash\nls -la\n```",
    "```bash \t\n\n```",
    "```bash\n\n\nx```",
    "```bashls```",
    "```bash\u00a0\nx\n```",
    "```bash\nunclosed",
    "```bash\ngrep '```' x\n\n```\n",
    "<returncode>0</returncode>",
    "<returncode>-1</returncode>",
    "<returncode>-0</returncode>",
    "<returncode>1234567890123456789</returncode>",
    "<returncode>\u0663</returncode>",
    "<returncode>x</returncode>",
    "<output>\n",
    "</output>",
    "<returncode>1</returncode>\n<output>\nx\n</output>",
    "<output_head>\nx\n</output_head>\n<elided_chars>\n",
    "<returncode>0</returncode><output_head>\n<output>\nx</output>",
    "Please always provide EXACTLY ONE action",
    "The last command <command>ls</command> timed out",
    "ERROR: The context format is incorrect",
    "Step response timed out after 5 s",
    "Command not executed. The user rejected your command",
    "Interrupted by user: Stop.",
    "x",
    "\n",
    '\u00e9 \\ " \x00',
    "<PATCH_CONTEXT>\nFile: /testbed/a.py\nLines: 3-1\nLines: 7 - 9x\n</PATCH_CONTEXT>",
    "<PATCH_CONTEXT>File: /home/r/b.py\x85Lines:1-2\nFile: /home/q\nLines: 1-2</PATCH_CONTEXT>",
    "<PATCH_CONTEXT>\nFile: c.py\nLines: \u0663-4\n</PATCH_CONTEXT>",
    "```bash\ncat a.py | head -3; grep -n x /repo/b.py\n```",
    "<returncode>0</returncode>\n<output>\nx\ny\n3:x\n</output>",
)
texts = st.lists(st.sampled_from(FRAGMENTS), max_size=4).map("".join)
contents = st.one_of(
    texts,
    st.none(),
    st.lists(
        st.fixed_dictionaries({"type": st.just("text")}, optional={"text": texts | st.none()}),
        max_size=2,
    ),
)
counts = st.one_of(st.none(), st.integers(0, 9), st.just(2**63), st.just(-1), st.just(2.0))
amounts = st.one_of(
    st.none(), st.sampled_from([0, 1, 2.5, -0.0, 1e308, -1e308, 10**19, True, "1.5"])
)
ids = st.sampled_from([None, "", "a", "b"])
details = st.none() | st.fixed_dictionaries(
    {},
    optional={
        "cached_tokens": counts,
        "cache_write_tokens": counts,
        "reasoning_tokens": counts,
        "x": st.just([1]),
    },
)
arguments = st.sampled_from([None, "{}", {"command": "ls"}, [1, 2.50], '"\\u00e9"', True])
calls = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["message", "function_call", None]),
        "content": contents,
        "id": ids,
        "call_id": ids | st.just(""),
        "name": st.sampled_from(["bash", "", None]),
        "arguments": arguments,
        "function": st.none()
        | st.fixed_dictionaries(
            {}, optional={"name": st.sampled_from(["f", None]), "arguments": arguments}
        ),
    },
)
items = st.none() | st.lists(calls, max_size=2)
choices = st.none() | st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "message": st.none()
            | st.fixed_dictionaries({}, optional={"content": contents, "tool_calls": items})
        },
    ),
    max_size=2,
)
extras = st.fixed_dictionaries(
    {},
    optional={
        "response": st.none()
        | st.fixed_dictionaries(
            {},
            optional={
                "output": items,
                "choices": choices,
                "usage": st.none()
                | st.fixed_dictionaries(
                    {},
                    optional={
                        "prompt_tokens": counts,
                        "input_tokens": counts,
                        "completion_tokens": counts,
                        "output_tokens": counts,
                        "total_tokens": counts,
                        "prompt_tokens_details": details,
                        "input_tokens_details": details,
                        "completion_tokens_details": details,
                        "output_tokens_details": details,
                        "cache_read_input_tokens": counts,
                        "cache_creation_input_tokens": counts,
                    },
                ),
            },
        ),
        "cost": amounts,
        "timestamp": amounts,
        "interrupt_type": st.sampled_from(
            [None, "FormatError", "UserInterruption", "UserRejection", "UserNewTask", 3]
        ),
        "model_response": st.sampled_from([None, "", "x", 3]),
        "actions": st.none()
        | st.lists(
            st.fixed_dictionaries({}, optional={"command": texts | st.none(), "tool_call_id": ids}),
            max_size=3,
        ),
        "returncode": st.sampled_from([0, 1, -1, None, True, "0", 0.0, 2**64]),
        "exception_info": st.sampled_from([None, "", "broken", "action was not executed", 3]),
        "raw_output": texts | st.sampled_from([None, 3]),
        "exception_str": st.sampled_from([None, "", "no key", 3]),
    },
)
messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["assistant", "user", "system", "tool", "exit", None])},
    optional={
        "content": contents,
        "timestamp": amounts,
        "object": st.sampled_from(["response", None]),
        "usage": st.none() | st.fixed_dictionaries({}, optional={"input_tokens": counts}),
        "tool_call_id": ids,
        "call_id": ids,
        "output": items | texts | st.just(3),
        "extra": extras | st.none(),
    },
)
infos = st.fixed_dictionaries(
    {},
    optional={
        "exit_status": st.sampled_from([None, "", "Submitted", "LimitsExceeded", "E"]),
        "submission": st.sampled_from([None, "", "diff"]),
        "mini_version": st.sampled_from([None, "1.0"]),
        "context_error": st.sampled_from([None, "x"]),
        "model_stats": st.none() | st.fixed_dictionaries({}, optional={"instance_cost": amounts}),
        "config": st.none()
        | st.fixed_dictionaries(
            {},
            optional={
                "agent": st.none()
                | st.fixed_dictionaries(
                    {},
                    optional={
                        "step_limit": counts,
                        "cost_limit": amounts,
                        "action_regex": st.sampled_from(
                            [
                                *(None, "", 3, "(.*?)", "<output>(.*?)</output>"),
                                *(r"```bash\s*\n(.*?)\n```", "```bash(.*?)```"),
                            ]
                        ),
                    },
                ),
                "agent_type": st.sampled_from([None, "", "default"]),
                "environment": st.none()
                | st.fixed_dictionaries(
                    {},
                    optional={
                        "image": st.sampled_from([None, "", "m/x_m_r:pr", "_m_/_m_r/q"]),
                        "cwd": st.sampled_from([None, "", "/", "/repo", "/repo/", "/proc/r"]),
                    },
                ),
                "model": st.none()
                | st.fixed_dictionaries(
                    {},
                    optional={
                        "model_name": st.sampled_from([None, "m", "openai/m", "a/m", "openai/"])
                    },
                ),
            },
        ),
    },
)
runs = st.fixed_dictionaries(
    {
        "trajectory_format": st.sampled_from(
            ["mini-swe-agent-1", "mini-swe-agent-1.1", "mini-swe-agent-1.", "mini-swe-agent-2"]
        ),
        "messages": st.lists(messages, max_size=6),
    },
    optional={
        "info": infos | st.none(),
        "instance_id": st.sampled_from([None, "", "task"]),
        "note": st.sampled_from([None, [1, {"x": "<returncode>"}], "\u00e9"]),
    },
)
wrong = st.sampled_from([None, 3, -0.0, 2.5, "x", [], {}, [1], ["x"], {"x": 1}, True])


@st.composite
def changed(draw: st.DrawFn) -> Any:
    """A run in which some value may have become another."""
    run = deepcopy(draw(runs))
    where: Any = run
    while where and draw(st.integers(0, 5)):
        key = (
            draw(st.sampled_from(sorted(where)))
            if isinstance(where, dict)
            else draw(st.integers(0, len(where) - 1))
        )
        if isinstance(where[key], (dict, list)) and where[key] and draw(st.booleans()):
            where = where[key]
            continue
        where[key] = deepcopy(draw(wrong))
        break
    return run


SUBSTITUTIONS = (
    (": ", ": \\ud800", 0),
    ("x", "\\ud800", 1),
    ("/", "\\/", 0),
    ("<", "\\u003c", 1),
    ("\\n", "\\u000a", 1),
    ('"role": ', '"role": "user", "role": ', 1),
    ('"messages"', '"messages": [], "messages"', 1),
    ("{", "{ \n {", 1),
    ("null", "NaN", 1),
    ("null", "[" * 120 + "]" * 120, 1),
    ("[]", "[" * 210 + "]" * 210, 1),
    ("1", "1e400", 1),
    ("}", "}}", 1),
    ("{", "\n{", 1),
    ("{", "{\n\n", 1),
    ("}", "}\r\n \n", 1),
)


@st.composite
def logs(draw: st.DrawFn) -> bytes:
    """A file, as it is written and as no file should be."""
    run = draw(changed() | runs)
    text = json.dumps(
        run, indent=draw(st.sampled_from([None, None, 2])), ensure_ascii=draw(st.booleans())
    )
    for old, new, count in draw(st.lists(st.sampled_from(SUBSTITUTIONS), max_size=1)):
        text = text.replace(old, new, count)
    content = text.encode() + draw(st.sampled_from([b"", b"\n", b"\r\n\n"]))
    if draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(content)))
        content = content[:at] + draw(st.sampled_from([b"", b"\xff", b"}"]))
    return draw(st.sampled_from([b"", b"", b"", b"\xef\xbb\xbf", b" "])) + content


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs")


@given(content=logs())
@example(content=b'{"trajectory_format": "mini-swe-agent-1", "messages": []}')
@example(content=b'{"trajectory_format": "mini-swe-agent-1"}')
@example(content=b'{"trajectory_format": "mini-swe-agent-1", "messages": [], "info": []}')
@example(content=b'{"trajectory_format": "mini-swe-agent-1", "messages": [[]]}')
def test_same_rows_and_problems_as_records(content: bytes, folder: Path) -> None:
    for name, profiles in (("run.traj.json", ()), ("run.json", ("contextbench",))):
        path = folder / name
        path.write_bytes(content)
        read, _ = as_batches(path, COLUMNS, profiles=profiles)
        assert read == as_records(path, COLUMNS, profiles=profiles)


@pytest.mark.parametrize(
    ("old", "new"),
    [("/", r"\/"), ("<", r"\u003c"), (r"\n", r"\u000a"), ("q", "é"), ("q", r"\ud83d\ude00")],
)
@pytest.mark.parametrize("version", ["1", "1.1"])
def test_texts_however_they_are_escaped(folder: Path, version: str, old: str, new: str) -> None:
    """Results are found in JSON as it is written, where there is one way to write it."""
    said = {"role": "assistant", "content": "```bash\ncat q\n```"}
    gave = '<returncode>0</returncode>\n<output>\nq "\\\t\n</output>'
    extra = {"actions": [{"command": "cat q"}]}
    raw = {"returncode": 0, "raw_output": 'q "\\\t\n'}
    messages = [{**said, "extra": extra}, {"role": "user", "content": gave, "extra": raw}]
    run = {"trajectory_format": f"mini-swe-agent-{version}", "messages": messages}
    path = folder / "escaped.traj.json"
    path.write_text(json.dumps(run).replace(old, new), encoding="utf-8")
    read, as_record = as_batches(path, COLUMNS)
    assert (read, as_record) == (as_records(path, COLUMNS), 0)
    (row,) = read.rows
    assert "'result': '" in row


@pytest.mark.parametrize("pattern", ["```bash(.*?)```", "```bash\n(.*?)\n```", "(.*?)"])
def test_fences_that_a_pattern_names_as_tags(folder: Path, pattern: str) -> None:
    said = {"role": "assistant", "content": "```bash\ncat `x` ```y``` \n```"}
    run = {
        "trajectory_format": "mini-swe-agent-1",
        "info": {"config": {"agent": {"action_regex": pattern}}},
        "messages": [said],
    }
    path = folder / "tagged.traj.json"
    path.write_text(json.dumps(run))
    read, _ = as_batches(path, COLUMNS)
    assert read == as_records(path, COLUMNS)
    assert len(read.rows) == 1


@pytest.mark.parametrize("counts", [{"input_tokens": -1}, {"prompt_tokens": -1, "total_tokens": 3}])
def test_counts_below_zero_are_not_known(folder: Path, counts: dict[str, int]) -> None:
    message = {"role": "assistant", "extra": {"response": {"usage": counts}}}
    path = folder / "counted.traj.json"
    path.write_text(json.dumps({"trajectory_format": "mini-swe-agent-1.1", "messages": [message]}))
    read, as_record = as_batches(path, COLUMNS)
    assert (read, as_record) == (as_records(path, COLUMNS), 0)


@pytest.mark.parametrize("details", [{}, {"cached_tokens": None}, {"cached_tokens": 5}, None])
def test_cache_tokens_may_be_outside_the_details(
    folder: Path, details: dict[str, int | None] | None
) -> None:
    counts = {"prompt_tokens": 90, "cache_read_input_tokens": 7, "cache_creation_input_tokens": 3}
    usage = {**counts, "prompt_tokens_details": details}
    message = {"role": "assistant", "extra": {"response": {"usage": usage}}}
    path = folder / "cached.traj.json"
    path.write_text(json.dumps({"trajectory_format": "mini-swe-agent-1.1", "messages": [message]}))
    read, as_record = as_batches(path, COLUMNS)
    assert (read, as_record) == (as_records(path, COLUMNS), 0)
    assert "'cache_write_tokens': 3" in read.rows[0]


@given(runs)
def test_most_runs_are_certain(folder: Path, run: Any) -> None:
    """Values that files do hold are read in Rust."""
    run = deepcopy(run)
    run["trajectory_format"] = "mini-swe-agent-1.1"
    run["info"] = None
    for message in run["messages"]:
        message.pop("usage", None)
        message.pop("output", None)
        message["extra"] = {"returncode": 1, "cost": 2.5, "response": {"usage": None}}
        message["timestamp"] = 5
    path = folder / "plain.traj.json"
    path.write_text(json.dumps(run))
    read, as_record = as_batches(path, COLUMNS)
    assert (len(read.rows), as_record) == (1, 0)


def test_a_folder_of_logs_and_others(tmp_path: Path) -> None:
    run = {"trajectory_format": "mini-swe-agent-1", "messages": []}
    for number in range(600):
        odd = {} if number % 100 else {"instance_id": number}
        text = json.dumps(run | odd, indent=None if number % 2 else 1)
        (tmp_path / f"{number:03}.traj.json").write_text(text)
    (tmp_path / "100.traj.json").write_text('{"what": 1}')
    (tmp_path / "200.traj.json").unlink()
    (tmp_path / "200.traj.json").mkdir()
    (tmp_path / "300.traj.json").write_text("")
    with pytest.warns(UserWarning, match=r"1 file is left out.*100\.traj\.json$"):
        read, as_record = as_batches(tmp_path, COLUMNS)
    with pytest.warns(UserWarning, match=r"1 file is left out.*100\.traj\.json$"):
        assert read == as_records(tmp_path, COLUMNS)
    # A wrong id is reported in its row; an empty file has none.
    assert (len(read.rows), len(read.problems), as_record) == (597, 1, 5)


def test_recorded_logs(reference_data: Path) -> None:
    for folder in ("logs/mini-swe-agent", "minisweagent"):
        logs = f"{reference_data / folder}/**/*.traj.json"
        read, as_record = as_batches(Path(logs), COLUMNS)
        assert read == as_records(Path(logs), COLUMNS)
        assert (bool(read.rows), read.problems, as_record) == (True, [], 0)
