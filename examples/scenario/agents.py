"""Two toy agents for the example scenario: plain Python, no model, no network."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from trajmeter.frameworks.harness import Answer, AnswerUsage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajmeter.frameworks.harness import Document

_COMMON = frozenset(
    {"a", "an", "and", "are", "at", "doe", "how", "i", "in", "it", "many", "not", "of", "on"}
    | {"the", "to", "wa", "what", "when", "with"}
)


def _words(text: str) -> set[str]:
    found = re.findall(r"[a-z0-9]+", text.lower())
    return {word.removesuffix("s") for word in found} - _COMMON


class Searcher:
    """Answers with the sentence that shares the most words with the question."""

    name = "Searcher"

    def __init__(self) -> None:
        self._sentences: list[tuple[str, str]] = []

    async def ingest(self, documents: Sequence[Document], settings: Mapping[str, Any]) -> None:
        """Split the documents into sentences."""
        del settings
        self._sentences = [
            (document.name, sentence.strip())
            for document in documents
            for sentence in re.split(r"(?<=\.)\s+", document.text.partition("\n\n")[2])
            if sentence.strip()
        ]

    async def query(self, question: str) -> Answer:
        """Search once."""
        return self._answer(question, [self._best(_words(question), seen=[])])

    async def cleanup(self) -> None:
        """Forget the sentences."""
        self._sentences.clear()

    def _best(self, wanted: set[str], seen: Sequence[tuple[str, str]]) -> tuple[str, str]:
        unseen = [sentence for sentence in self._sentences if sentence not in seen]
        return max(unseen, key=lambda sentence: len(_words(sentence[1]) & wanted))

    def _answer(self, question: str, found: Sequence[tuple[str, str]]) -> Answer:
        text = " ".join(sentence for _, sentence in found)
        return Answer(
            text=text,
            sources_used=tuple(dict.fromkeys(name for name, _ in found)),
            usage=AnswerUsage(
                prompt_tokens=40 * len(found) + len(question.split()),
                completion_tokens=len(text.split()),
                model_name="gpt-5-mini",
            ),
            metadata={"tool_trace": [{"tool": "search"} for _ in found]},
        )


class Chainer(Searcher):
    """Searches three times, each time for what is asked or new and not found yet."""

    name = "Chainer"

    async def query(self, question: str) -> Answer:
        """Follow a chain of sentences."""
        if "cat" in _words(question):
            raise LookupError("no document mentions it")
        found: list[tuple[str, str]] = []
        wanted = _words(question)
        for _ in range(3):
            found.append(self._best(wanted, found))
            wanted ^= _words(found[-1][1])
        return self._answer(question, found)
