"""Prints the lowest versions of the hosts that pyproject.toml allows, as constraints for pip.

python .ci/lowest.py > lowest.txt
PIP_CONSTRAINT=lowest.txt make test-hosts
"""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["lowest"]

_GROUP = re.compile(r"^host-[\w-]+ = \[(.*?)\]$", re.MULTILINE | re.DOTALL)
_LOWEST = re.compile(r'"([\w.-]+)(?:\[[\w,-]+\])?>=([\w.]+)')


def lowest(manifest: str) -> list[str]:
    """Lines of constraints: what each group of a host requires, at its lower bound."""
    groups = manifest.split("[dependency-groups]")[1].partition("\n[")[0]
    found = {pair for group in _GROUP.findall(groups) for pair in _LOWEST.findall(group)}
    return [f"{name}=={version}" for name, version in sorted(found)]


if __name__ == "__main__":
    manifest = Path(__file__).parents[1] / "pyproject.toml"
    print("\n".join(lowest(manifest.read_text(encoding="utf-8"))))  # noqa: T201 - for a shell
