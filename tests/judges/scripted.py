"""A judging model with scripted replies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.judges import ExchangeError, Prompt, Reply

if TYPE_CHECKING:
    from collections.abc import Sequence

GOOD = '{"reasoning": "fine", "correctness": 5, "completeness": 4, "faithfulness": 3}'
REVIEW = (
    '{"reasoning": "small", "readability": 5, "idiomatic_usage": 4, "error_handling": 3, '
    '"extensibility": 4, "testability": 5, "documentation": 2, "abstraction": 4}'
)


class ScriptedModel:
    """Replies or raises, one step of the script per call."""

    name = "gpt-5-mini"
    replayed = False

    def __init__(self, *script: str | Reply | ExchangeError) -> None:
        self._script: Sequence[str | Reply | ExchangeError] = script
        self.prompts: list[Prompt] = []

    async def reply(self, prompt: Prompt) -> Reply:
        step = self._script[len(self.prompts)]
        self.prompts.append(prompt)
        if isinstance(step, ExchangeError):
            raise step
        return (
            Reply(text=step, prompt_tokens=100, completion_tokens=10)
            if isinstance(step, str)
            else step
        )
