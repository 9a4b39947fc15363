"""Writes constraints.txt from what pip froze on each supported Python.

Called by ``make constraints`` with one file a version: ``3.10=frozen.txt 3.11=frozen.txt ...``,
oldest first. Where the versions of Python disagree about a package, each gets its own line.
"""

from __future__ import annotations

import re
import sys
from itertools import groupby
from pathlib import Path

_HEADER = "# Every tool and dependency of development and CI, pinned by `make constraints`.\n"


def _frozen(path: Path) -> dict[str, str]:
    pins = re.findall(r"^([\w.-]+)==(\S+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[-_.]+", "-", package).lower(): version for package, version in pins}


def _lines(package: str, pins: dict[str, str | None]) -> list[str]:
    """The lines of one package, whose version each Python names or, needing none, leaves open."""
    known = [(python, pin) for python, pin in pins.items() if pin is not None]
    runs = [(pin, next(run)[0]) for pin, run in groupby(known, key=lambda item: item[1])]
    lines = []
    for place, (pin, first) in enumerate(runs):
        since = [f'python_version >= "{first}"'] if place > 0 else []
        until = [f'python_version < "{python}"' for _, python in runs[place + 1 : place + 2]]
        marker = " and ".join(since + until)
        lines.append(f"{package}=={pin}; {marker}" if marker else f"{package}=={pin}")
    return lines


def main(arguments: list[str]) -> None:
    """Merge the frozen lists named in the arguments."""
    frozen = {
        python: _frozen(Path(path)) for python, path in (item.split("=") for item in arguments)
    }
    packages = sorted({package for pins in frozen.values() for package in pins})
    lines = [
        line
        for package in packages
        for line in _lines(package, {python: pins.get(package) for python, pins in frozen.items()})
    ]
    text = _HEADER + "\n".join(lines) + "\n"
    Path("constraints.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
