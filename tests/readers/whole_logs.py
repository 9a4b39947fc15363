"""A small log in every format, with content in each place that its reader looks at."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.metrics.speedup.runs import own
from tests.readers import test_autogen as autogen
from tests.readers import test_fork_records as fork
from tests.readers import test_odd_logs as coding
from tests.readers import test_openai_agents as agents
from tests.readers import test_rule_cases as rules
from tests.readers import test_smolagents as smol
from tests.readers import test_tau2_bench as tau
from tests.readers import test_tau_bench as old_tau
from tests.readers import test_verifiers as verifiers
from tests.readers.benchmark_rows.test_attempts import ROWS
from tests.readers.fceval import test_captured_output as captured
from tests.readers.inspect.archives import archive
from tests.readers.inspect.samples import HEADER, begin, ran, sample
from tests.readers.langfuse import test_observations as langfuse
from tests.readers.langsmith import test_runs as langsmith
from tests.readers.messages.test_turns import ONE_CALL
from tests.readers.mlflow import examples as mlflow
from tests.readers.openhands import test_events as events
from tests.readers.openhands import test_sdk as sdk
from tests.readers.opentelemetry import test_spans as otel
from tests.readers.swe_agent import runs as swe
from tests.readers.test_data_sets import NEBIUS, SWE_AGENT

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LOGS", "Log"]


class Log(NamedTuple):
    """A log: files of lines of JSON, of text, or of bytes, by where they lie."""

    files: dict[str, list[Any] | str | bytes]
    is_folder: bool = False
    """Whether the folder is read, not the first file."""

    def write(self, folder: Path) -> Path:
        """Write the files; return the path to read."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self.content(content))
        first = next(iter(self.files))
        return folder / first.partition("/")[0] if self.is_folder else folder / first

    @staticmethod
    def content(content: list[Any] | str | bytes) -> bytes:
        """Return the content of a file."""
        if isinstance(content, bytes):
            return content
        # Halves of surrogate pairs are what programs write of text that they cut.
        lines = content if isinstance(content, str) else "\n".join(map(json.dumps, content))
        return lines.encode("utf-8", "surrogatepass")


def lines(*values: Any, name: str = "log.jsonl") -> Log:
    return Log({name: [*values]})


ANSWER = {
    "role": "assistant",
    "content": "Look.\n```bash\ncat a.py\n```",
    "timestamp": 1.5,
    "extra": {
        "actions": [{"command": "cat a.py", "tool_call_id": "c1"}],
        "cost": 0.5,
        "timestamp": 1.5,
        "response": {"usage": {"prompt_tokens": 9, "completion_tokens": 2}},
    },
}
OBSERVED = {
    "role": "tool",
    "tool_call_id": "c1",
    "content": "…",
    "extra": {"raw_output": "x\n", "returncode": 0, "timestamp": 2.5},
}
CLAIMED = "<explore_context>\nFile: a.py\nLines: 1-2\n</explore_context>\n"
RESULT = f"{CLAIMED}<returncode>0</returncode>\n<output>\nx\n</output>"
INFO = {
    "config": {"agent_type": "a.A", "model": {"model_name": "m", "model_kwargs": {}}},
    "exit_status": "Submitted",
    "submission": "diff --git a/a.py b/a.py\n",
    "model_stats": {"instance_cost": 0.5, "api_calls": 1},
}
STEP = {"files": ["a.py"], "spans": {"a.py": [{"type": "line", "start": 1, "end": 4}]}}
GOLD = {"file": "a.py", "start_line": 3, "end_line": 9, "content": "x"}
LOCATED = {
    "instance_id": "acme__fix-1",
    "found_files": ["a.py"],
    "found_related_locs": {"a.py": ["function: f"]},
    "found_edit_locs": {"a.py": ["line: 3"]},
}
TERMINAL = {
    "id": "0",
    "trial_name": "t.1-of-1.r",
    "task_id": "t",
    "is_resolved": True,
    "failure_mode": "agent_timeout",
    "parser_results": {"test_a": "passed"},
    "total_input_tokens": 900,
    "agent_started_at": "2026-01-01T00:00:00Z",
    "agent_ended_at": "2026-01-01T00:00:09Z",
    "parser_extra_metrics": own("a:m", f=(1.0, 2.0)),
}
AIDER = """# aider chat started at 2026-03-01 10:00:00

> Aider v0.86.2
> Model: openai/m with diff edit format
#### Fix it.

Done.

> Tokens: 2k sent, 8 received. Cost: $0.01 message, $0.01 session.
"""
BLOCK = "--- BEGIN CONTEXT ---\nFile: a.py\nLine number range: 1-2\n--- END CONTEXT ---\n"
OWN = {
    "task_id": "t",
    "turns": [{"tool_calls": [{"name": "f"}], "views": [{"path": "a.py"}], "usage": {}}],
    "final_patch": "",
}
COMPLETION = {
    "messages": [{"role": "user", "content": "Fix it."}],
    "response": {"model": "m", "choices": [{"message": ONE_CALL["openai"][1]}], "usage": {}},
    "cost": 0.5,
    "timestamp": 1.0,
}
SAMPLES = [sample(), sample(events=[begin("a", "b", "c"), ran(1)])]
FAILED: dict[str, Any] = {
    "status": {"code": 2, "message": "gone"},
    "events": [{"name": "exception"}],
}
SPANS = [otel.chat(1, otel.READ), otel.tool(5, **FAILED), otel.chat(8, otel.SAY)]
READ = events.call(1, "read", {"path": "/workspace/widget/a.py", "view_range": [1, 2]})

LOGS = {
    "agentless-folders": Log(
        {
            "0_acme__fix-1/edit_location_individual/loc_merged_1-1_outputs.jsonl": [LOCATED],
            "0_acme__fix-1/all_preds.jsonl": [{**LOCATED, "model_patch": "diff"}],
        },
        is_folder=True,
    ),
    "agentless-trajectories": lines(coding.AGENTLESS, name="a_traj.json"),
    "aider-chat-histories": Log({".aider.chat.history.md": AIDER}),
    "aider-input-histories": Log({".aider.input.history": "\n# 2026-03-01 10:00:00.1\n+Fix it.\n"}),
    "aider-message-histories": Log({".aider.llm.history": coding.CONTENTS[-2]}),
    "asciinema-casts": lines(*coding.CAST, name="a.cast"),
    "asv-results": lines(
        {
            "version": 2,
            "commit_hash": "abc",
            "result_columns": ["result", "params"],
            "results": {"f": [[1.0, 2.0], [["1", "2"]]]},
        },
        name="a.json",
    ),
    "atif-trajectories": lines(coding.RECORDS["atif-trajectories"]),
    "autogen-results": lines({"messages": autogen.EVENTS, "stop_reason": "done"}),
    "autogen-states": lines(autogen.TEAM),
    "benchmark-rows": lines(*ROWS),
    "claude-code-sessions": lines(*coding.SESSION),
    "claude-code-streams": lines(*coding.STREAM),
    "codex-exec-streams": lines(*coding.EXEC),
    "codex-rollouts": lines(*coding.ROLLOUT),
    "contextbench-fork-records": lines(
        {"agent": "codex", "instance_id": "a", "status": "completed", "final_output": {}}
        | {"raw_response_path": "raw.json", "token_usage": {"input_tokens": 5}}
    ),
    "contextbench-fork-responses": lines(fork.CODEX, fork.CLAUDE),
    "contextbench-gold": lines({"inst_id": "a", "init_ctx": [GOLD], "add_ctx": [], "commit": "c"}),
    "contextbench-predictions": lines(
        {"instance_id": "a", "traj_data": {"pred_steps": [STEP], "pred_files": ["a.py"]}}
    ),
    "fc-eval-captured-output": Log({"pane.txt": captured.block("RESULT", captured.RESULT)}),
    "fc-eval-runs": Log(
        {
            "r/t/t.1-of-1.r/results.json": [TERMINAL],
            "r/run_metadata.json": [{"agent_name": "a", "model_name": "m"}],
            "r/t/t.1-of-1.r/commands.txt": "['ls', 'Enter']\n",
        },
        is_folder=True,
    ),
    "harbor-trials": Log(
        {
            "t/result.json": [{**coding.TRIAL, "task_checksum": "c"}],
            "t/agent/trajectory.json": [coding.RECORDS["atif-trajectories"]],
        },
        is_folder=True,
    ),
    "inspect-archives": Log(
        {
            "a.eval": archive(
                ("header.json", HEADER),
                *((f"samples/a_epoch_{n}.json", each) for n, each in enumerate(SAMPLES, start=1)),
            )
        }
    ),
    "inspect-documents": lines({**HEADER, "samples": SAMPLES}),
    "langfuse-traces": lines(langfuse.trace(*langfuse.OBSERVATIONS), *langfuse.TEXTS),
    "langsmith-runs": lines(*langsmith.RUNS, langsmith.nested(langsmith.RUNS)),
    "message-lists": lines(ONE_CALL["openai"], name="a.json"),
    "message-records": lines({"task_id": "t", "messages": ONE_CALL["anthropic"], "passed": 1}),
    "mini-swe-agent-1": lines(
        {
            "trajectory_format": "mini-swe-agent-1",
            "info": INFO,
            "messages": [ANSWER, {"role": "user", "content": RESULT, "timestamp": 2.5}],
            "instance_id": "acme__fix-1",
        }
    ),
    "mini-swe-agent-2": lines(
        {
            "trajectory_format": "mini-swe-agent-1.1",
            "info": INFO,
            "messages": [ANSWER, OBSERVED, {"role": "exit", "content": "", "extra": {}}],
        }
    ),
    "mlflow-traces": lines(mlflow.TRACE, {**mlflow.TRACE_2, "data": {"spans": mlflow.SPANS_2}}),
    "openai-agents-traces": lines(
        agents.TRACE, agents.response(1), agents.function(5), agents.agent()
    ),
    "openhands": lines(
        events.line(READ, events.answer(2, 1, "read", "1\tx\n2\ty", path="/workspace/widget/a.py"))
    ),
    "openhands-completions": Log({"acme__fix-1/m-1795312579.8.json": [COMPLETION]}, is_folder=True),
    "openhands-conversation": Log(
        {
            "c/base_state.json": [{"id": "c", "execution_status": "stuck", "agent": {"llm": {}}}],
            **{f"c/events/event-{n:05}-x.json": [each] for n, each in enumerate(sdk.RUN)},
        },
        is_folder=True,
    ),
    "openhands-rows": lines(NEBIUS),
    "openhands-sdk": lines(sdk.line(*sdk.RUN, sdk.FINISHED)),
    "opentelemetry-spans": lines(otel.export(*SPANS, otel.span("x", 0, 9))),
    "prometheus-logs": Log(
        {"acme__fix-1.log": BLOCK + BLOCK.replace("CONTEXT", "AGGREGATED CONTEXT")}
    ),
    "rule-cases": lines(rules.CASE),
    "rule-executions": lines({**rules.RESULT, "tool_calls": [{"name": "f", "arguments": {}}]}),
    "smolagents-memories": lines([smol.TASK, smol.step(1, smol.READ), smol.LAST], name="a.json"),
    "smolagents-runs": lines({"output": "x", "state": "success", "steps": [smol.TASK, smol.LAST]}),
    "swe-agent": lines(
        swe.run(swe.step("cat a.py\n", "x\n", state={"working_dir": "/acme"}, execution_time=0.5))
    ),
    "swe-agent-checkpoints": lines(*swe.CALLS, name="acme__widget-12.checkpoints.jsonl"),
    "swe-agent-context": lines(
        {
            "viewed_files": ["a.py"],
            "edited_files": [],
            "file_line_ranges": {"a.py": [{"start": 1, "end": 2, "type": "view"}]},
            "patch_context": "File: a.py\nLines: 1-2",
            "info": {"submission": "diff"},
        },
        name="a.context.json",
    ),
    "swe-agent-patch-contexts": Log({"a__b-1/patch_context.txt": "File: a.py\nLines: 1-2\n"}),
    "swe-agent-rows": lines(SWE_AGENT),
    "swe-bench-predictions": lines({"instance_id": "a", "model_patch": "", "n": [1]}),
    "task-records": lines(
        {
            "id": "t",
            "question": "x",
            "gold_ranges": [{"path": "a.py", "first_line": 1, "last_line": 2}],
        }
    ),
    "tau-bench-results": lines(old_tau.ATTEMPT),
    "tau2-results": lines(tau.RESULTS, name="results.json"),
    "tau2-simulations": lines(tau.SIMULATION),
    "trajectory-records": lines(OWN),
    "verifiers-episodes": lines(verifiers.episode(verifiers.trace()), name="traces.jsonl"),
    "verifiers-tasks": lines(verifiers.trace(), name="traces.jsonl"),
    "verifiers-traces": lines(verifiers.trace()),
}
"""Whole logs by the name of their format."""
