"""Index of this package's formats, and of features without which a file is not in a format.

Reading a file imports only the formats that are possible for it. The index only rules formats out;
their own evidence decides which one it is. A test checks the index against the formats.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.errors import ReadError
from trajmeter.readers._files.document_values import object_document
from trajmeter.records import Task, Trajectory

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from trajmeter.readers._recognition.beginnings import Beginning

__all__ = ["INDEX", "WORDS", "Marks", "Place"]

_JSON = ".json"
_LIST = "messages"
"""Key of the list in a folder's file, if one is examined."""


class Marks(NamedTuple):
    """Features of a file or folder in a format; any one of them suffices."""

    words: frozenset[bytes] = frozenset()
    """JSON keys or values, one of which must occur in its beginning."""
    beside: frozenset[bytes] = frozenset()
    """Further keys or values, one of which must occur too."""
    magic: bytes | None = None
    """The bytes with which it begins."""
    is_text: bool = False
    """Whether it is not JSON, and does not begin like Parquet or an archive."""
    is_broken: bool = False
    """Whether its first line is not a JSON value."""
    folder: re.Pattern[str] | None = None
    """A pattern for the name of the folder or of something in it; folder names end in ``/``."""
    keys: frozenset[str] = frozenset()
    """Keys that the first JSON file in the folder must all have."""
    parent: str | None = None
    """Name of the folder above one whose files need not have these keys."""

    def are_in(self, head: Beginning) -> bool:
        """Whether a file with this beginning may be in the format."""
        if head.is_binary:
            return self.magic is not None and head.content.startswith(self.magic)
        if not head.is_json:
            return self.is_text
        if head.holds_any(self.words) and (not self.beside or head.holds_any(self.beside)):
            return True
        if self.is_broken and not head.ends_as_json:
            return True
        return bool(self.words) and head.has_escapes

    def may_name(self, folder: Path, names: Iterable[str]) -> bool:
        """Whether a folder with this name and these contents may be in the format."""
        return self.folder is not None and any(map(self.folder.fullmatch, (folder.name, *names)))

    def are_in_folder(self, folder: Path, names: Collection[str]) -> bool:
        """Whether a folder may be in the format; names of its subfolders end in ``/``."""
        if not self.may_name(folder, names):
            return False
        if not self.keys or folder.parent.name == self.parent:
            return True
        files = (each for each in names if each.rstrip("/").endswith(_JSON))
        first = min(files, key=lambda each: each.rstrip("/"), default="/")
        if first.endswith("/"):  # folders, pipes and devices are not opened
            return False
        try:
            document = object_document(folder / first, _LIST)
        except (OSError, ReadError):
            return True
        return document is None or self.keys <= {key for key, _ in document.members}


class Place(NamedTuple):
    """A format of this package."""

    module: str
    """Its module, below :mod:`trajmeter.readers`."""
    makes: type[Task | Trajectory]
    """Whether it is read as tasks or as trajectories."""
    keys: frozenset[str] = frozenset()
    """Keys of its records; none for formats of whole files."""
    marks: Marks = Marks()
    """Features that its files and folders must have."""


def _records(module: str, *keys: str, makes: type[Any] = Trajectory) -> Place:
    return Place(module, makes, keys=frozenset(keys))


def _files(
    module: str,
    words: Iterable[str] = (),
    beside: Iterable[str] = (),
    **marks: Any,  # noqa: ANN401 - fields of Marks
) -> Place:
    return Place(
        module, Trajectory, marks=Marks(words=_encoded(words), beside=_encoded(beside), **marks)
    )


def _encoded(words: Iterable[str]) -> frozenset[bytes]:
    return frozenset(word.encode() for word in words)


INDEX: dict[str, Place] = {
    "agentless-folders": _files(
        "agentless",
        folder=re.compile(r"(edit_location_individual|file_level_combined)/|all_preds\.jsonl"),
    ),
    "agentless-trajectories": _records(
        "agentless",
        "2_embedding_selected_files",
        "3_final_combined_files",
        "4_related_elements",
        "5_sampled_edit_locs_and_patches",
        "6_final_selected_patch",
    ),
    "aider-chat-histories": _files("aider", is_text=True),
    "aider-input-histories": _files("aider", is_text=True),
    "aider-message-histories": _files("aider", is_text=True),
    "asciinema-casts": _files("asciinema", ("version",)),
    "asv-results": _records("asv_results", "result_columns"),
    "atif-trajectories": _records("atif", "schema_version"),
    "autogen-results": _records("autogen", "messages"),
    "autogen-states": _records("autogen", "agent_states", "llm_context"),
    "benchmark-rows": _files(
        "benchmark_rows", ("agent_nop", "agent_seconds"), magic=b"PAR1", is_text=True
    ),
    "claude-code-sessions": _files("claude_code", ("sessionId", "isSidechain")),
    "claude-code-streams": _files("claude_code", ("session_id", "num_turns")),
    "codex-exec-streams": _files(
        "codex",
        ("thread.started", "session.created", "turn.started", "item.started", "item.completed"),
    ),
    "codex-rollouts": _files(
        "codex",
        (
            "compacted",
            "event_msg",
            "instructions",
            "response_item",
            "session_meta",
            "turn_context",
        ),
    ),
    "contextbench-fork-records": _records("fork_records", "raw_response_path"),
    "contextbench-fork-responses": _records("fork_records", "response_format"),
    "contextbench-gold": _records(
        "contextbench",
        "add_ctx",
        "base_commit",
        "gold_context",
        "gold_ctx",
        "init_ctx",
        "patch",
        makes=Task,
    ),
    "contextbench-predictions": _records("contextbench", "traj_data"),
    "fc-eval-captured-output": _files("fceval", is_text=True, is_broken=True),
    "fc-eval-runs": _files(
        "fceval",
        ("trial_name", "parser_extra_metrics"),
        folder=re.compile(r".*/|results\.json|.+\.agent-.*", re.DOTALL),
    ),
    "harbor-trials": _files("harbor", ("trial_name",), folder=re.compile(r"result\.json/?")),
    "inspect-archives": _files("inspect", magic=b"PK\x03\x04"),
    "inspect-documents": _files("inspect", ("eval",)),
    "langfuse-traces": _files(
        "langfuse",
        ("observations", "traceId", "trace_id", "userId", "user_id"),
        ("dataType", "data_type", "sessionId", "session_id", "startTime", "start_time"),
        magic=b"PAR1",
        is_text=True,
        folder=re.compile(r"observations(_v2)?/?"),
    ),
    "langsmith-runs": _files("langsmith", ("run_type",)),
    "message-lists": _files(
        "messages",
        ("role", "lc", "kind", "type"),
        (
            "call_id",
            "content",
            "data",
            "function_call",
            "id",
            "kwargs",
            "parts",
            "summary",
            "tool_calls",
        ),
    ),
    "message-records": _records(
        "messages", "conversation", "conversations", "history", "messages", "trajectory"
    ),
    "mini-swe-agent-1": _records("mini_swe_agent", "info", "trajectory_format"),
    "mini-swe-agent-2": _records("mini_swe_agent", "trajectory_format"),
    "mlflow-traces": _files(
        "mlflow",
        ("trace_id", "request_id", "mlflow.traceRequestId", "mlflow.spanType"),
        ("trace", "spans", "trace_metadata", "request_metadata"),
        magic=b"PAR1",
        is_text=True,
    ),
    "openai-agents-traces": _files("openai_agents", ("trace", "trace.span")),
    "openhands": _records("openhands", "history", "test_result"),
    "openhands-completions": _files(
        "openhands",
        folder=re.compile(r".*\.json/?", re.DOTALL),
        keys=frozenset({"response", "timestamp"}),
        parent="llm_completions",
    ),
    "openhands-conversation": _files("openhands", folder=re.compile(r"base_state\.json/?")),
    "openhands-rows": _records("data_sets", "messages", "trajectory"),
    "openhands-sdk": _records("openhands", "history", "test_result"),
    "opentelemetry-spans": _files("opentelemetry", ("resourceSpans", "parent_id"), magic=b"PAR1"),
    "prometheus-logs": _files("prometheus", is_text=True),
    "rule-cases": _records("rule_cases", "prompt", "user_message", makes=Task),
    "rule-executions": _records("rule_executions", "duration_ms", "output", "token_usage"),
    "smolagents-memories": _files(
        "smolagents", ("step_number", "plan", "system_prompt", "task_images")
    ),
    "smolagents-runs": _records("smolagents", "steps"),
    "swe-agent": _records("swe_agent", "trajectory"),
    "swe-agent-checkpoints": _files("swe_agent", ("action", "patch_context")),
    "swe-agent-context": _records("swe_agent", "file_line_ranges", "viewed_files"),
    "swe-agent-patch-contexts": _files("swe_agent", is_text=True),
    "swe-agent-rows": _records("data_sets", "trajectory"),
    "swe-bench-predictions": _records("swe_bench", "model_patch"),
    "task-records": _records("own_records", "id", makes=Task),
    "tau-bench-results": _records("tau_bench", "traj"),
    "tau2-results": _files("tau2_bench", ("environment_info",), folder=re.compile(r"simulations/")),
    "tau2-simulations": _records("tau2_bench", "termination_reason"),
    "trajectory-records": _records("own_records", "task_id"),
    "verifiers-episodes": _files("verifiers", ("env",), beside=("task",)),
    "verifiers-tasks": _records("verifiers", "task", makes=Task),
    "verifiers-traces": _records("verifiers", "nodes"),
}
"""Formats by name."""

WORDS = frozenset().union(*(place.marks.words | place.marks.beside for place in INDEX.values()))
"""The words of all formats."""
