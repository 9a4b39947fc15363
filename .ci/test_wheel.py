"""Installs a wheel into an empty environment, as users do, and runs the tests on it there.

    python .ci/test_wheel.py dist/trajmeter-0.1.0-py3-none-any.whl --extras data tests/kernels

The environment is beside the wheel, and the checkout's package is not on its path: what is tested
is what was built. A wheel of pure Python, by its name, is tested without the extension.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import venv
from pathlib import Path

__all__ = ["command_of", "environment_of", "main"]

ROOT = Path(__file__).parents[1]


def environment_of(wheel: Path, environment: dict[str, str]) -> dict[str, str]:
    """Variables of the tests: without the extension, if the wheel has none."""
    kept = {name: value for name, value in environment.items() if name != "PYTHONPATH"}
    if wheel.name.endswith("-none-any.whl"):
        kept["TRAJMETER_TEST_BACKEND"] = "python"
    return kept


def command_of(python: Path, wheel: Path, extras: str) -> list[str]:
    """How the wheel and the tools of its tests are installed."""
    wanted = f"{wheel.resolve()}[{extras}]" if extras else str(wheel.resolve())
    pins = ["--constraint", "constraints.txt"]
    return [str(python), "-m", "pip", "install", "--quiet", *pins, "--group", "test", wanted]


def main(arguments: list[str]) -> int:
    """Install and test the wheel that the arguments name; its exit code is that of the tests."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--extras", default="all", help="extras to install; none if empty")
    options, tests = parser.parse_known_args(arguments)
    place = options.wheel.resolve().parent / "empty"
    venv.create(place, clear=True, with_pip=True)
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--upgrade", "pip"], check=True)
    subprocess.run(command_of(python, options.wheel, options.extras), check=True, cwd=ROOT)
    variables = environment_of(options.wheel, dict(os.environ))
    shown = [python, "-c", "import trajmeter; print('kernels:', trajmeter.backend())"]
    subprocess.run(shown, check=True, cwd=place, env=variables)
    pytest = [python, "-m", "pytest", "--quiet", "--numprocesses", "auto", *(tests or ["tests"])]
    return subprocess.run(pytest, check=False, cwd=ROOT, env=variables).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
