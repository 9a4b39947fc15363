"""Judges: models that score what rules cannot, with every exchange recordable and replayable."""

from __future__ import annotations

from trajmeter.judges.asking import Judge, Judgement
from trajmeter.judges.assertions import AssertionVerdicts, ModelAssertionJudge
from trajmeter.judges.exchange import (
    AccessError,
    ChatModel,
    ExchangeError,
    Prompt,
    Reply,
    TransientError,
)
from trajmeter.judges.grading import AnswerScores, ReviewScores, judge_answer, review_code
from trajmeter.judges.openai import DEFAULT_MODEL, DEFAULT_TIMEOUT_SECONDS, OpenAIChat
from trajmeter.judges.recording import Recorder, Replay

__all__ = [
    "DEFAULT_MODEL",
    "DEFAULT_TIMEOUT_SECONDS",
    "AccessError",
    "AnswerScores",
    "AssertionVerdicts",
    "ChatModel",
    "ExchangeError",
    "Judge",
    "Judgement",
    "ModelAssertionJudge",
    "OpenAIChat",
    "Prompt",
    "Recorder",
    "Replay",
    "Reply",
    "ReviewScores",
    "TransientError",
    "judge_answer",
    "review_code",
]
