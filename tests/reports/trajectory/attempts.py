"""One attempt with every feature, and the records it is read with."""

from __future__ import annotations

from trajmeter.metrics.context import ContextTracker, prepare
from trajmeter.records import (
    Extent,
    Failure,
    GoldRange,
    Leak,
    Source,
    Task,
    ToolCall,
    Trajectory,
    Turn,
    Usage,
    Verdict,
    View,
)
from trajmeter.reports.trajectory import Surroundings

__all__ = ["ATTEMPT", "FILES", "TASK", "beside"]

FILES = {"src/a.py": b"one\ntwo\nthree\nfour\n", "b.txt": b"\xff\r\nend"}

TASK = Task(
    id="t",
    question="Mend it.",
    gold_ranges=(GoldRange(path="src/a.py", first_line=2, last_line=3),),
)

ATTEMPT = Trajectory(
    task_id="t",
    agent="crab",
    model="m-1",
    attempt="2",
    source=Source(file="log.jsonl", line=3),
    turns=(
        Turn(
            text="Let me look.\nNow.",
            program="cat src/a.py",
            tool_calls=(
                ToolCall(
                    name="bash",
                    arguments={"command": "cat src/a.py"},
                    result="one\ntwo\n",
                    success=True,
                    duration_seconds=1.5,
                ),
                ToolCall(name="open", arguments=None),
            ),
            views=(
                View(path="src/a.py"),  # named, and viewed beside that
                View(path="/testbed/src/a.py", extent=Extent.LINES, start=2, end=2),
                View(path="src/a.py", extent=Extent.LINES, start=3, end=9),
            ),
            usage=Usage(
                input_tokens=1000,
                cached_input_tokens=200,
                output_tokens=20,
                reasoning_tokens=5,
                cost_usd=0.25,
            ),
            duration_seconds=3.0,
        ),
        Turn(
            number=7,
            agent="helper",
            program="make",
            tool_calls=(
                ToolCall(
                    name="edit", arguments={"text": "x" * 200}, success=False, error="No file"
                ),
                ToolCall(
                    name="look",
                    arguments='{"a": 1}',
                    result=[{"type": "text", "text": "seen"}, {"type": "image"}, 3],
                ),
                ToolCall(name="quiet", result=""),
            ),
            views=(
                View(path="b.txt", extent=Extent.WHOLE),
                View(path="b.txt", extent=Extent.BYTES, start=3, end=6),
                View(path="c.txt", extent=Extent.WHOLE),
                View(path="src/a.py", symbols=("f", "g")),
            ),
            error=Failure(reason="timeout", message="Stopped\nafter 30 s"),
        ),
        Turn(success=False, usage=Usage(total_tokens=80, cost_usd=0.5)),
    ),
    tool_calls=(ToolCall(name="late", turn=3), ToolCall(name="lost")),
    final_views=(View(path="src/a.py"),),
    final_output="Done.",
    final_patch="--- a\n+++ b\n",
    sources=("doc-1", "doc-2"),
    usage=Usage(input_tokens=1100, output_tokens=90, cost_usd=0.75, credits=2.5),
    duration_seconds=60.0,
    failure=Failure(reason="max_turns_exceeded"),
    passed=False,
    leaks=(
        Leak(kind="gold_patch", evidence="cat fix.patch", turn=7),
        Leak(kind="future", evidence="git log --all"),
    ),
    verdicts=(Verdict(name="polite", result="pass", reason="It is."),),
    unusable={"usage.total_tokens": "expected a number"},
)


def beside() -> Surroundings:
    """The task, a repository, and a tracker that has seen nothing."""
    tracker = ContextTracker(prepare(TASK, None))
    return Surroundings(task=TASK, tracker=tracker, files=FILES, content=FILES.get)
