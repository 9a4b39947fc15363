"""Records: what was asked (Task), what an agent did (Trajectory), what became of it (Score)."""

from __future__ import annotations

from trajmeter.records.measurements import (
    InvalidReason,
    Measurement,
    Measurements,
    PytestSummary,
    RunLog,
    SnapshotSummary,
    measured,
)
from trajmeter.records.outcomes import Cause, Outcome, Score
from trajmeter.records.question import Hop, Question
from trajmeter.records.record import LARGEST_COUNT, Record
from trajmeter.records.result_file import (
    CodeQuality,
    CodeReview,
    JudgeRecord,
    StaticMetrics,
    UnreviewedCode,
)
from trajmeter.records.source import ReadProblem, Source
from trajmeter.records.task import Assertion, GoldRange, GoldRole, Task
from trajmeter.records.trajectory import (
    LEAK_KINDS,
    Extent,
    Failure,
    Leak,
    ToolCall,
    Trajectory,
    Turn,
    Usage,
    Verdict,
    View,
)

__all__ = [
    "LARGEST_COUNT",
    "LEAK_KINDS",
    "Assertion",
    "Cause",
    "CodeQuality",
    "CodeReview",
    "Extent",
    "Failure",
    "GoldRange",
    "GoldRole",
    "Hop",
    "InvalidReason",
    "JudgeRecord",
    "Leak",
    "Measurement",
    "Measurements",
    "Outcome",
    "PytestSummary",
    "Question",
    "ReadProblem",
    "Record",
    "RunLog",
    "Score",
    "SnapshotSummary",
    "Source",
    "StaticMetrics",
    "Task",
    "ToolCall",
    "Trajectory",
    "Turn",
    "UnreviewedCode",
    "Usage",
    "Verdict",
    "View",
    "measured",
]
