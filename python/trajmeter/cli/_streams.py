"""The standard streams of the program, on a terminal and elsewhere."""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

if TYPE_CHECKING:
    from typing import TextIO

__all__ = ["prepare_streams", "stdout_bytes"]

# Characters that control a terminal or change text direction, which JSON contains as they are. The
# ones below 0x20 are escaped in JSON, and colour the tables.
_CONTROLS = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class _TerminalText(io.TextIOWrapper):
    """Text for a terminal, in which characters that control it are escaped as in JSON."""

    def __init__(self, stream: io.TextIOWrapper) -> None:
        super().__init__(
            stream.buffer, stream.encoding, "backslashreplace", line_buffering=stream.line_buffering
        )
        self._replaced = stream  # kept, because it closes their buffer when it is deleted

    def write(self, text: str, /) -> int:
        super().write(text if text.isascii() and "\x7f" not in text else _escaped(text))
        return len(text)


class _TerminalBytes(io.RawIOBase):
    """UTF-8 for a terminal, where it is shown as text is."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def writable(self) -> bool:
        return True

    def write(self, content: Any, /) -> int:  # noqa: ANN401 - whatever holds bytes
        self._stream.write(self._decoder.decode(bytes(content)))
        return len(content)

    def flush(self) -> None:
        self._stream.flush()


def _escaped(text: str) -> str:
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def prepare_streams() -> None:
    """Escape characters that a terminal lacks or obeys, and replace closed streams."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # it was closed before the program started
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open until the process ends
            setattr(sys, name, nowhere)
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
            if stream.isatty() and not isinstance(stream, _TerminalText):
                setattr(sys, name, _TerminalText(stream))


def stdout_bytes() -> BinaryIO:
    """Stdout for UTF-8."""
    if isinstance(sys.stdout, _TerminalText):
        return cast("BinaryIO", _TerminalBytes(sys.stdout))
    return sys.stdout.buffer
