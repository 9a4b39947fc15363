"""Records: the problem (Task), what an agent did (Trajectory), and the result (Score)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.lazy import lazy_getattr
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
from trajmeter.records.record import LARGEST_COUNT, Record
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

if TYPE_CHECKING:
    from trajmeter.records.question import Hop, Question
    from trajmeter.records.result_file import (
        CodeQuality,
        CodeReview,
        JudgeRecord,
        StaticMetrics,
        UnreviewedCode,
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

_MODULES = {
    "CodeQuality": "result_file",
    "CodeReview": "result_file",
    "Hop": "question",
    "JudgeRecord": "result_file",
    "Question": "question",
    "StaticMetrics": "result_file",
    "UnreviewedCode": "result_file",
}
"""Modules that only comparisons of frameworks need, loaded on first use."""

__getattr__ = lazy_getattr(__name__, _MODULES)
