"""Temporary git repositories with a fixed author and date."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["commit", "git"]

_ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{role}_NAME": "Crab" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": "crab@example.org" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_DATE": "2020-01-01T00:00:00Z" for role in ("AUTHOR", "COMMITTER")},
}


def git(folder: Path, *words: str, input_bytes: bytes | None = None) -> str:
    """Run git in a folder and return its output."""
    done = subprocess.run(
        ["git", "-c", "core.autocrlf=false", "-C", str(folder), *words],  # noqa: S607 - any git
        check=True,
        capture_output=True,
        input=input_bytes,
        env=_ENVIRONMENT,
    )
    return done.stdout.decode().strip()


def commit(folder: Path, files: Mapping[str, bytes | str | None]) -> str:
    """Commit files and give the commit's id: content, where a link leads, or ``None`` for none."""
    if not (folder / ".git").exists():
        folder.mkdir(parents=True, exist_ok=True)
        git(folder, "init", "--quiet", "--initial-branch=main")
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.is_symlink() or content is None:
            place.unlink()
        if isinstance(content, bytes):
            place.write_bytes(content)
        elif content is not None:
            place.symlink_to(content)
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "Change files")
    return git(folder, "rev-parse", "HEAD")
