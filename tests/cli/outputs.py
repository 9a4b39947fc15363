"""What commands print: JSON lines, and streams that are terminals."""

from __future__ import annotations

import io
import json
from typing import Any


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def json_lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]
