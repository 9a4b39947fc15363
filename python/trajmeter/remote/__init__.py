"""Remote files by URI: read in place, in parts, and written atomically."""

from __future__ import annotations

from trajmeter.remote.filesystems import adopt_options, known_options
from trajmeter.remote.paths import RemotePath, is_remote, path_of
from trajmeter.remote.sources import arrow_file, arrow_source, is_named_in_utf8

__all__ = [
    "RemotePath",
    "adopt_options",
    "arrow_file",
    "arrow_source",
    "is_named_in_utf8",
    "is_remote",
    "known_options",
    "path_of",
]
