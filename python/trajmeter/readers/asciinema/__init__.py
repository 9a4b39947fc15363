"""Terminal recordings written by asciinema."""

from __future__ import annotations

from trajmeter.readers.asciinema.casts import CASTS

__all__ = ["CASTS"]
