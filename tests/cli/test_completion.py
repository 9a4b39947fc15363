"""Completion of commands, options and names in a shell."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, TypeAlias

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run: TypeAlias = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_of_a_shell_is_shown(
    run: Run, shell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shellingham.detect_shell", lambda: (shell, f"/bin/{shell}"))
    code, out, err = run("--show-completion")
    assert (code, err) == (0, "")
    assert "_TRAJMETER_COMPLETE" in out


def test_the_completion_of_a_shell_is_installed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("bash", "/bin/bash"))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run("--install-completion")[0] == 0
    script = tmp_path / ".bash_completions" / "trajmeter.sh"
    assert "_TRAJMETER_COMPLETE" in script.read_text()
    assert str(script) in (tmp_path / ".bashrc").read_text()


def test_a_shell_without_completion_is_a_usage_error(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("tcsh", "/bin/tcsh"))
    code, _, err = run("--show-completion")
    assert (code, err) == (2, "Shell tcsh not supported.\n")


def test_a_shell_completes_commands_and_names() -> None:
    def completed(words: str, position: int) -> list[str]:
        asked = {"COMP_WORDS": words, "COMP_CWORD": str(position)}
        done = subprocess.run(
            [sys.executable, "-m", "trajmeter"],
            capture_output=True,
            check=True,
            text=True,
            env={**os.environ, "_TRAJMETER_COMPLETE": "complete_bash", **asked},
        )
        return done.stdout.split()

    assert completed("trajmeter sc", 1) == ["score"]
    assert completed("trajmeter score --format m", 3) == ["markdown", "md"]
    assert completed("trajmeter score --metrics turns,t", 3) == ["turns,tools"]
    assert completed("trajmeter metrics show con", 3) == ["context"]
    assert completed("trajmeter bench -m my_metric.py@", 3) == []
    assert completed("trajmeter view --input-format ati", 3) == ["atif-trajectories"]
