"""Records: what was asked (Task), what an agent did (Trajectory), what became of it (Score)."""

from trajmeter.records._base import Record
from trajmeter.records.outcomes import Cause, Outcome, Score
from trajmeter.records.task import GoldRange, GoldRole, Task
from trajmeter.records.trajectory import Failure, Source, ToolCall, Trajectory, Turn, Usage
from trajmeter.records.views import Extent, View

__all__ = [
    "Cause",
    "Extent",
    "Failure",
    "GoldRange",
    "GoldRole",
    "Outcome",
    "Record",
    "Score",
    "Source",
    "Task",
    "ToolCall",
    "Trajectory",
    "Turn",
    "Usage",
    "View",
]
