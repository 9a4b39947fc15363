"""Lists of messages, as programs exchange them with models, and files of them."""

from __future__ import annotations

from trajmeter.readers.messages.attempt import from_messages
from trajmeter.readers.messages.lists import MESSAGE_LISTS, MESSAGE_RECORDS
from trajmeter.readers.messages.turns import MessageTurns, message_turns
from trajmeter.readers.messages.usage import message_usage

__all__ = [
    "MESSAGE_LISTS",
    "MESSAGE_RECORDS",
    "MessageTurns",
    "from_messages",
    "message_turns",
    "message_usage",
]
