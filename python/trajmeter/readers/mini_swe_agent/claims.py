"""Runs of mini-swe-agent 1 under the profile ``contextbench``: views as ContextBench counts them.

In ContextBench's runs the agent claims, in ``<explore_context>`` tags, what it is about to see, and
the harness repeats the claim; each block of claims with a range, in a message of any role, is a
step. Commands count only without such a block, by the rules of
:mod:`trajmeter.readers.mini_swe_agent.contextbench`. A turn with several blocks is followed by
turns that have only the views of one block each and no usage, so that usage can be summed.
Claims are not checked against what was printed. The final context is the last ``<PATCH_CONTEXT>``
block, and is empty if that block has no range.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from trajmeter.readers.contextbench.views import NewView, Span, views_of
from trajmeter.readers.mini_swe_agent.contextbench import (
    path_in_repository,
    repository_of,
    views_shown,
)
from trajmeter.readers.mini_swe_agent.run import Message, run_fields, text_of, validated
from trajmeter.records import Trajectory, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pydantic import JsonValue

    from trajmeter.readers.mini_swe_agent.run import Run
    from trajmeter.records import Source

__all__ = ["bash_blocks", "between_tags", "declared_views", "read_claims"]

_BASH = re.compile(r"```bash\s*\n")
_FENCE = "```"

_CLAIM = "explore_context"
_FINAL = "PATCH_CONTEXT"
_ASKS_FOR_CLAIMS = re.compile(r"<(?:EXPLORE|PATCH)_CONTEXT>")
_LINES = re.compile(r"\s*(\d{1,18})\s*-\s*(\d{1,18})")

_NONE = Usage(input_tokens=0, output_tokens=0, total_tokens=0, cost_usd=0.0)


def bash_blocks(text: str) -> Iterator[str]:
    """The commands in an answer of the model.

    As in the harness, a block ends at the next fence that begins a line or, without one, at the
    next fence, because a command may contain others.
    """
    end = 0
    # A regular expression for whole blocks would search for each end repeatedly.
    while found := _BASH.search(text, end):
        begin = found.end()
        end = text.find(f"\n{_FENCE}", begin - 1) + 1 or text.find(_FENCE, begin)
        if end < 0:
            return
        yield text[begin:end].removesuffix("\n")
        end += len(_FENCE)


def _first_block(text: str) -> str | None:
    """The first command in an answer for ContextBench: it ends at a fence that begins a line.

    Its first line is never the fence, so that an empty block includes what follows it.
    """
    found = _BASH.search(text)
    end = -1 if found is None else text.find(f"\n{_FENCE}", found.end())
    return None if found is None or end < 0 else text[found.end() : end]


def read_claims(
    record: Mapping[str, JsonValue],
    source: Source,
    turn_of: Callable[[Run, Message, Message, list[Message]], dict[str, Any]],
) -> Trajectory:
    """Convert a run to a trajectory, with the fields of turns from its messages.

    Raises:
        pydantic.ValidationError: There is no list of messages.
    """
    run, unusable = validated(record)
    messages = run["messages"]
    repository = repository_of(run)
    blocks = [
        [_claims(block, repository) for block in _blocks(text_of(message), _CLAIM)]
        for message in messages
    ]
    has_claims = any(claims for found in blocks for claims in found)
    turns: list[dict[str, Any]] = []
    last = len(messages)
    starts = [n for n, message in enumerate(messages) if message.get("role") == "assistant"]
    turns += _steps(blocks[: starts[0] if starts else last])
    for number, (start, end) in enumerate(pairwise([*starts, last]), start=1):
        before = messages[start - 1] if start else {}
        turn = turn_of(run, before, messages[start], messages[start + 1 : end])
        steps = _steps(blocks[start:end]) if has_claims else _seen(messages[start], repository)
        others = steps[1:] if turn["usage"] is None else [{**s, "usage": _NONE} for s in steps[1:]]
        turns += [{"number": number, **turn, **(steps[0] if steps else {})}, *others]
    return Trajectory.model_validate(
        {
            **run_fields(run, source, unusable),
            "turns": turns,
            "final_views": _final_views(messages, repository),
        }
    )


def _steps(blocks: Iterable[Iterable[dict[str, list[Span]]]]) -> list[dict[str, list[NewView]]]:
    """The views of a turn for each block with a range; each is a step."""
    return [{"views": views_of(claims, claims)} for found in blocks for claims in found if claims]


def _seen(message: Message, repository: str | None) -> list[dict[str, list[NewView]]]:
    """The step of a message without claims: what its first bash block shows."""
    block = _first_block(text_of(message))
    views = None if block is None else views_shown([block], repository)
    return [] if views is None else [{"views": views}]


def _blocks(text: str, tag: str) -> Iterator[str]:
    return between_tags(text, f"<{tag}>", f"</{tag}>")


def between_tags(text: str, opening: str, closing: str) -> Iterator[str]:
    """The texts between opening tags and the next closing tags."""
    end = 0
    while (begin := text.find(opening, end)) >= 0:
        begin += len(opening)
        end = text.find(closing, begin)
        if end < 0:
            return
        yield text[begin:end]
        end += len(closing)


def _claims(block: str, repository: str | None) -> dict[str, list[Span]]:
    """The files of a block that have a range; reversed ranges are put in order."""
    spans: dict[str, list[Span]] = {}
    path: str | None = None
    for line in block.splitlines():
        key, _, value = line.strip().partition(":")
        if key == "File":
            path = path_in_repository(value, repository)
        elif key == "Lines" and path is not None and (lines := _LINES.match(value)):
            first, last = sorted((int(lines[1]), int(lines[2])))
            spans.setdefault(path, []).append({"start": first, "end": last})
    return spans


def declared_views(messages: Iterable[Message], repository: str | None) -> list[NewView] | None:
    """The context that the agent declared last; ``None`` if there is none."""
    for message in reversed([*messages]):
        if message.get("role") == "assistant":
            for block in reversed([*_blocks(text_of(message), _FINAL)]):
                if claims := _claims(block, repository):
                    return views_of(claims, claims)
    return None


def _final_views(messages: list[Message], repository: str | None) -> list[NewView] | None:
    """The declared context; ``None`` if the run was not asked to declare one."""
    texts = [text_of(message) for message in messages]
    declared = [block for text in texts for block in _blocks(text, _FINAL)]
    if not declared:
        return [] if any(map(_ASKS_FOR_CLAIMS.search, texts)) else None
    claims = _claims(declared[-1], repository)
    return views_of(claims, claims)
