"""Recordings of terminals, as asciinema writes them."""

from __future__ import annotations

from trajmeter.readers.asciinema.casts import CASTS

__all__ = ["CASTS"]
