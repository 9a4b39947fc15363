"""Records: what was asked (Task), what an agent did (Trajectory), what became of it (Score)."""

from __future__ import annotations

from trajmeter.records.code_quality import CodeQuality, CodeReview, StaticMetrics
from trajmeter.records.evaluation import AnswerOutcome, FrameworkEvaluation, QuestionResult
from trajmeter.records.judging import JudgeRecord
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
from trajmeter.records.scenario import Hop, Question, Scenario
from trajmeter.records.source import ReadProblem, Source
from trajmeter.records.task import Assertion, GoldRange, GoldRole, Task
from trajmeter.records.trajectory import (
    Extent,
    Failure,
    ToolCall,
    Trajectory,
    Turn,
    Usage,
    Verdict,
    View,
)

__all__ = [
    "LARGEST_COUNT",
    "AnswerOutcome",
    "Assertion",
    "Cause",
    "CodeQuality",
    "CodeReview",
    "Extent",
    "Failure",
    "FrameworkEvaluation",
    "GoldRange",
    "GoldRole",
    "Hop",
    "InvalidReason",
    "JudgeRecord",
    "Measurement",
    "Measurements",
    "Outcome",
    "PytestSummary",
    "Question",
    "QuestionResult",
    "ReadProblem",
    "Record",
    "RunLog",
    "Scenario",
    "Score",
    "SnapshotSummary",
    "Source",
    "StaticMetrics",
    "Task",
    "ToolCall",
    "Trajectory",
    "Turn",
    "Usage",
    "Verdict",
    "View",
    "measured",
]
