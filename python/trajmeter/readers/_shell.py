"""What a shell command shows of source files, by the rules of ContextBench's mini-swe-agent reader.

The rules are narrow and odd, and scores of recorded runs rest on them:

- A command that holds one of ``_WRITES`` anywhere, even within another word, shows nothing.
- The command is cut at ``&&``, ``||`` and ``;``; each piece shows at most one file.
- Only ``nl … | sed -n``, ``sed -n``, ``head -n``, ``cat`` and ``grep`` are known, in this order.
- Only files with the extensions of ``_FILE`` count, and no folder is joined to a path.
- Only numbers written in the command make a range; nothing looks at what the command printed.
"""

from __future__ import annotations

import re

__all__ = ["Shown", "shown"]

Shown = tuple[str, tuple[int, int] | None]

_WRITES = ("sed -i", "echo ", "mkdir", "rm ", "git add", "git commit", "COMPLETE_TASK")
_PIECES = re.compile(r"&&|\|\||;")
_FILE = (
    r"(?P<path>[^\s'\"|]+\.(?:py|js|java|go|rs|cpp|c|hpp|h|tsx|ts|jsx|rb|php|cs|kt|scala|swift))\b"
)
_RANGE = r"['\"]?(?P<first>\d{1,18}),(?P<last>\d{1,18})p['\"]?"
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\s*nl\s+-\w+\s+{_FILE}\s*\|\s*sed\s+-n\s+{_RANGE}",
        rf"\s*sed\s+-n\s+{_RANGE}\s+{_FILE}",
        rf"\s*head\s+-n\s+(?P<last>\d{{1,18}})\s+{_FILE}",
        rf"\s*cat\s+{_FILE}",
        rf"\s*(?:git\s+)?grep\s.*?{_FILE}",
    )
)


def shown(command: str) -> list[Shown]:
    """The files that a command shows, each with its first and last line where they are written."""
    if any(mark in command for mark in _WRITES):
        return []
    found: list[Shown] = []
    for piece in _PIECES.split(command):
        match = next(filter(None, (pattern.match(piece) for pattern in _PATTERNS)), None)
        if match is not None:
            numbers = match.groupdict()
            last = numbers.get("last")
            lines = None if last is None else (int(numbers.get("first") or 1), int(last))
            found.append((match["path"], lines))
    return found
