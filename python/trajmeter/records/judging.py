"""What asking a judge took."""

from __future__ import annotations

from trajmeter.records.outcomes import Cause
from trajmeter.records.record import FileRecord

__all__ = ["JudgeRecord"]


class JudgeRecord(FileRecord):
    """What judging one answer, or reviewing one source file, took; apart from the agent's usage."""

    model: str | None = None
    """Model that judged."""
    cause: Cause | None = None
    """Why there is no score, or ``None`` where there is one."""
    message: str | None = None
    """The cause in words."""
    prompt_tokens: int = 0
    """Prompt tokens of all attempts."""
    completion_tokens: int = 0
    """Completion tokens of all attempts."""
    cost_usd: float | None = None
    """Cost in US dollars; ``None`` where the model has no known price."""
    attempts: int = 0
    """Calls made, retries included."""
    replayed: bool = False
    """Whether the replies came from a recording."""
