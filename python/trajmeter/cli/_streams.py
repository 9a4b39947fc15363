"""The standard streams of the program, on a terminal and elsewhere."""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
from pathlib import Path
from select import select
from typing import TYPE_CHECKING, Any, BinaryIO, cast

if TYPE_CHECKING:
    from typing import TextIO

__all__ = ["StdoutError", "prepare_streams", "stdout_bytes"]

# Characters that control a terminal or change text direction, which JSON contains as they are. The
# ones below 0x20 are escaped in JSON, and colour the tables.
_CONTROLS = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class StdoutError(OSError):
    """Stdout cannot be written, for another reason than that its reader is gone."""


class _StdoutFile(io.FileIO):
    """The file below stdout: writes all it is given, and says so where it cannot."""

    def write(self, content: Any, /) -> int:  # noqa: ANN401 - whatever holds bytes
        """Write everything, although the system may take less at once."""
        remaining = memoryview(content).cast("B")
        size = len(remaining)
        try:
            while remaining:
                written = super().write(remaining)
                if written is None:  # a pipe that another program made non-blocking is full
                    select([], [self], [])
                else:
                    remaining = remaining[written:]
        except BrokenPipeError:
            raise
        except OSError as error:
            raise StdoutError(
                error.errno, f"cannot be written: {error.strerror}", "stdout"
            ) from error
        return size


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


def _over_stdout_file(stream: io.TextIOWrapper) -> io.TextIOWrapper:
    """Stdout as Python opened it, but over :class:`_StdoutFile`."""
    stream.flush()
    file = _StdoutFile(stream.fileno(), "w", closefd=False)
    is_unbuffered = isinstance(stream.buffer, io.RawIOBase)  # PYTHONUNBUFFERED
    return io.TextIOWrapper(
        cast("BinaryIO", file) if is_unbuffered else io.BufferedWriter(file),
        stream.encoding,
        "backslashreplace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def prepare_streams() -> None:
    """Escape characters that a terminal lacks or obeys, and replace closed streams.

    Errors of stdout become :class:`StdoutError`.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        is_stdout_of_python = stream is sys.__stdout__
        if stream is None:  # it was closed before the program started
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open until the process ends
            setattr(sys, name, nowhere)
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
            if stream.isatty():
                if not isinstance(stream, _TerminalText):
                    setattr(sys, name, _TerminalText(stream))
            elif is_stdout_of_python:
                sys.stdout = _over_stdout_file(stream)


def stdout_bytes() -> BinaryIO:
    """Stdout for UTF-8."""
    if isinstance(sys.stdout, _TerminalText):
        return cast("BinaryIO", _TerminalBytes(sys.stdout))
    return sys.stdout.buffer
