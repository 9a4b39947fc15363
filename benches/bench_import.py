"""Time to import trajmeter and create a scorer, compared with their dependencies."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture


def _run(program: str) -> str:
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


@pytest.mark.benchmark(group="import")
@pytest.mark.parametrize(
    ("program", "printed"),
    [
        pytest.param("print('nothing')", "nothing\n", id="nothing"),
        pytest.param("import trajmeter; print(trajmeter.__name__)", "trajmeter\n", id="trajmeter"),
        pytest.param(
            "import trajmeter; print(trajmeter.backend() in ('rust', 'python'))",
            "True\n",
            id="kernels",
        ),
        pytest.param(
            "import trajmeter; print(trajmeter.Scorer(['context', 'tools', 'turns', 'rules']))",
            "<Scorer: context, tools, turns, rules; 0 tasks>\n",
            id="Scorer",
        ),
        pytest.param("import numpy, pydantic.main; print('its own')", "its own\n", id="own needs"),
    ],
)
def bench_import(benchmark: BenchmarkFixture, program: str, printed: str) -> None:
    assert benchmark(_run, program) == printed
