"""Layouts in which programs send back what a command printed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trajmeter.readers._logs.outputs import Output, output_of, script_of


def mini(**fields: object) -> str:
    return json.dumps({"returncode": 0, **fields}, indent=2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x\n", Output("x\n")),
        ("", Output("")),
        (
            '{"output": "x\\n", "metadata": {"exit_code": 3, "duration_seconds": 0.5}}',
            Output("x\n", 3, 0.5),
        ),
        ('{"output": "x", "metadata": {}}', Output("x")),
        ('{"a": 1}', Output('{"a": 1}')),
        ('{"output": ', Output('{"output": ')),
        (mini(output="x\n"), Output("x\n", 0)),
        (mini(output="", exception_info="timed out"), Output("timed out", 0)),
        (mini(output_head="a", output_tail="b", elided_chars=9), Output("a", 0, is_cut=True)),
        ("Exit code: 0\nWall time: 1.5 seconds\nOutput:\nx\n", Output("x\n", 0, 1.5)),
        (
            "Chunk ID: a1\nWall time: 1 second\nProcess exited with code -9\nOutput:\nOutput:\n",
            Output("Output:\n", -9, 1.0),
        ),
        (
            "Wall time: 1 seconds\nProcess running with session ID 7\nOutput:\nx",
            Output("x", None, 1),
        ),
        ("<returncode>2</returncode>\n<output>\nx\n</output>", Output("x\n", 2)),
        ("<returncode>0</returncode>\n<output>\n</output>\n", Output("", 0)),
        (
            "<returncode>0</returncode>\n<warning>\nlong\n</warning><output_head>\nx",
            Output("<warning>\nlong\n</warning><output_head>\nx", 0, is_cut=True),
        ),
        # A program that prints such lines itself.
        ("Exit code: 0\nall well\n", Output("Exit code: 0\nall well\n")),
        ("Output:\nx", Output("Output:\nx")),
        ("Exit code: 0", Output("Exit code: 0")),
        ("unsupported call: get", Output("unsupported call: get", is_refusal=True)),
    ],
)
def test_output_of(text: str, expected: Output) -> None:
    assert output_of(text) == expected


@pytest.mark.parametrize(
    ("command", "script"),
    [
        (["bash", "-lc", "cat a.py | head"], "cat a.py | head"),
        (["/bin/sh", "-c", "ls"], "ls"),
        (["bash", "run.sh"], "bash run.sh"),
        (["cat", "my file.py"], "cat 'my file.py'"),
        ("/bin/bash -lc \"sed -n '1,2p' a.py\"", "sed -n '1,2p' a.py"),
        ("ls -a", "ls -a"),
        ("echo 'open", "echo 'open"),
        ([], None),
        (None, None),
        ([1], None),
    ],
)
def test_script_of(command: Any, script: str | None) -> None:
    assert script_of(command) == script
