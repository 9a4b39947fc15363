"""Remote files by URI: read in place, in parts, and written atomically."""

from __future__ import annotations

from trajmeter.remote.filesystems import given_options, take_options
from trajmeter.remote.paths import (
    RemotePath,
    arrow_file,
    arrow_source,
    is_named_in_utf8,
    is_remote,
    path_of,
)

__all__ = [
    "RemotePath",
    "arrow_file",
    "arrow_source",
    "given_options",
    "is_named_in_utf8",
    "is_remote",
    "path_of",
    "take_options",
]
