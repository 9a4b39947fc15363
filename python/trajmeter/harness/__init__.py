"""The harness: runs a scenario's questions against agents, with time-outs, repeats and resume."""

from __future__ import annotations

from trajmeter.harness.agents import (
    Agent,
    Answer,
    AnswerUsage,
    Document,
    FunctionAgent,
    load_agent,
    read_answer,
)
from trajmeter.harness.evaluating import EvaluationOptions, Framework, evaluate
from trajmeter.harness.journal import Journal, fingerprint
from trajmeter.harness.questions import AskingOptions, ask_question
from trajmeter.harness.running import RunOptions, read_documents, run_scenario

__all__ = [
    "Agent",
    "Answer",
    "AnswerUsage",
    "AskingOptions",
    "Document",
    "EvaluationOptions",
    "Framework",
    "FunctionAgent",
    "Journal",
    "RunOptions",
    "ask_question",
    "evaluate",
    "fingerprint",
    "load_agent",
    "read_answer",
    "read_documents",
    "run_scenario",
]
