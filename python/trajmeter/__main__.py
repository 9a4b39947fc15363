"""``python -m trajmeter``: the command line, for when its script is not on the path."""

from __future__ import annotations

from trajmeter.cli import program

if __name__ == "__main__":
    program()
