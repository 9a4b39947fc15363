"""Prints the lowest versions that pyproject.toml allows, as constraints for pip.

python .ci/lowest.py package > lowest.txt    # of the package and its extras: make test-lowest
python .ci/lowest.py hosts > lowest.txt      # of the hosts' environments
PIP_CONSTRAINT=lowest.txt make test-hosts
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

__all__ = ["lowest"]

_GROUP = re.compile(r"^host-[\w-]+ = \[(.*?)\]$", re.MULTILINE | re.DOTALL)
_LOWEST = re.compile(r'"([\w.-]+)(?:\[[\w,-]+\])?>=([\w.]+)')


def lowest(manifest: str, of: str) -> list[str]:
    """Lines of constraints: what the ``package`` or each group of ``hosts`` requires at least."""
    if of == "package":
        texts = [manifest.partition("[project]")[2].partition("\n[project.scripts]")[0]]
    else:
        texts = _GROUP.findall(manifest.split("[dependency-groups]")[1].partition("\n[")[0])
    found = {pair for text in texts for pair in _LOWEST.findall(text)}
    return [f"{name}=={version}" for name, version in sorted(found)]


if __name__ == "__main__":
    manifest = Path(__file__).parents[1] / "pyproject.toml"
    print("\n".join(lowest(manifest.read_text(encoding="utf-8"), sys.argv[1])))  # noqa: T201 - for a shell
