"""Aider's histories: of the chat, of the user's input, and of the model's messages."""

from __future__ import annotations

from trajmeter.readers.aider.chat import CHAT_HISTORIES
from trajmeter.readers.aider.messages import INPUT_HISTORIES, MESSAGE_HISTORIES

__all__ = ["CHAT_HISTORIES", "INPUT_HISTORIES", "MESSAGE_HISTORIES"]
