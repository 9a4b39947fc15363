"""The harness: runs a scenario's questions against agents, with time-outs, repeats and resume."""

from __future__ import annotations

from trajmeter.frameworks.harness.agents import (
    Agent,
    AgentError,
    Answer,
    AnswerUsage,
    Document,
    FunctionAgent,
    read_answer,
)
from trajmeter.frameworks.harness.evaluation import Evaluated, EvaluationOptions, Progress, evaluate
from trajmeter.frameworks.harness.journal import Journal, RunJournal
from trajmeter.frameworks.harness.loading import Framework, load_agent
from trajmeter.frameworks.harness.questions import AskingOptions, ask_question
from trajmeter.frameworks.harness.resume import fingerprint, open_journal
from trajmeter.frameworks.harness.run import RunOptions, read_documents, run_scenario
from trajmeter.frameworks.harness.workers import AgentWorkers

__all__ = [
    "Agent",
    "AgentError",
    "AgentWorkers",
    "Answer",
    "AnswerUsage",
    "AskingOptions",
    "Document",
    "Evaluated",
    "EvaluationOptions",
    "Framework",
    "FunctionAgent",
    "Journal",
    "Progress",
    "RunJournal",
    "RunOptions",
    "ask_question",
    "evaluate",
    "fingerprint",
    "load_agent",
    "open_journal",
    "read_answer",
    "read_documents",
    "run_scenario",
]
