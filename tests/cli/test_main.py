from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import warnings
from itertools import permutations
from typing import TYPE_CHECKING, TypeAlias

import pytest
from typer.testing import CliRunner

import trajmeter
from trajmeter.cli import ExitCode, _application, _main
from trajmeter.errors import (
    BackendError,
    ConfigurationError,
    ExtraMissingError,
    InternalError,
    ReadError,
)
from trajmeter.frameworks.compare import PROFILE
from trajmeter.judges import DEFAULT_MODEL
from trajmeter.metrics.quality import FRAMEWORK_PACKAGES
from trajmeter.scoring.sources import DEFAULT_METRICS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run: TypeAlias = Callable[..., tuple[int, str, str]]

# A suite that runs in the background may ignore interrupts, and its children inherit that.
PROGRAM = [
    sys.executable,
    "-c",
    (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from trajmeter.cli import main; sys.exit(main())"
    ),
]


def _process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *arguments],
        capture_output=True,
        check=False,
        text=True,
        env={**os.environ, **environment},
    )


def test_the_first_code_that_applies_is_the_one() -> None:
    order = [143, 130, 3, 2, 4, 1, 5, 0]
    for several in permutations(ExitCode, 3):
        assert ExitCode.first_of(*several) == min(several, key=order.index)


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (ConfigurationError("no such thing"), 2, "trajmeter: error: no such thing\n"),
        (ExtraMissingError("pip install x"), 2, "trajmeter: error: pip install x\n"),
        (BackendError("is broken"), 2, "trajmeter: error: is broken\n"),
        (OSError(5, "Broken", "a.txt"), 2, "trajmeter: error: a.txt: Broken\n"),
        (OSError(28, "No space left"), 2, "trajmeter: error: No space left\n"),
        (ReadError("a.jsonl: \x1b[0m"), 4, "trajmeter: error: a.jsonl: \\x1b[0m\n"),
        (KeyboardInterrupt(), 130, "trajmeter: interrupted\n"),
    ],
)
def test_an_error_becomes_a_message_and_a_code(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, message: str
) -> None:
    def fail(_arguments: object, _settings: object) -> int:
        raise error

    monkeypatch.setattr(_main, "_run", fail)
    assert run("score") == (code, "", message)


@pytest.mark.parametrize("error", [InternalError("panic"), AttributeError("x"), SystemExit(1)])
def test_a_crash_shows_where_and_does_not_look_like_a_gate(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail(_arguments: object, _settings: object) -> int:
        raise error

    monkeypatch.setattr(_main, "_run", fail)
    code, out, err = run("score")
    assert (code, out) == (3, "")
    assert err.startswith("Traceback")
    assert err.endswith("please report it with the traceback above\n")


def test_a_warning_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def warn(_arguments: object, _settings: object) -> int:
        warnings.warn("the plug-in is broken", RuntimeWarning, stacklevel=1)
        return 0

    monkeypatch.setattr(_main, "_run", warn)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert run("score") == (0, "", "trajmeter: warning: the plug-in is broken\n")


def test_the_version_names_the_backend(run: Run) -> None:
    code, out, err = run("--version")
    assert (code, err) == (0, "")
    assert out == f"trajmeter {trajmeter.__version__} ({trajmeter.backend()} kernels)\n"


def test_without_a_command_the_help_is_shown(run: Run) -> None:
    code, out, err = run()
    assert code in (0, 2)  # typer has changed its mind about this
    assert "score" in out + err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["--help"], "Score trajectories, write one row per attempt"),
        (["score", "--help"], "trajmeter score preds.jsonl --tasks gold.jsonl"),
        (["metrics", "show", "--help"], "trajmeter metrics show context"),
    ],
)
def test_every_command_explains_itself(arguments: list[str], shown: str) -> None:
    result = CliRunner(env={"COLUMNS": "100"}).invoke(_application.application(), arguments)
    assert result.exit_code == 0
    assert shown in result.output


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize(
    "command",
    [
        "",
        "score",
        "view",
        "convert",
        "merge",
        "summarize",
        "report",
        "agreement",
        "run",
        "compare",
        "judge",
        "average",
        "quality",
        "price",
        "metrics list",
        "metrics show",
    ],
)
def test_help_says_what_a_person_needs_in_any_width(command: str, columns: int) -> None:
    app = _application.application()
    shown, short = (
        CliRunner(env={"COLUMNS": str(columns)}).invoke(app, [*command.split(), option]).output
        for option in ("--help", "-h")
    )
    assert shown == short
    lines = [line.rstrip() for line in shown.splitlines()]
    assert max(map(len, lines)) <= columns
    for noise in (
        "<bool>",
        "<str>",
        "<file>",
        "<dir>",
        "<list",
        "range>",
        "BOOLEAN",
        "default: (",
        "......",
    ):
        assert noise not in shown
    assert not re.search(r"--[\w-]*…", shown), "an option's name is cut"
    examples = [line for line in lines if line.lstrip().startswith("trajmeter ")]
    # An example stands whole on a line of its own, to be copied.
    assert bool(examples) == (command not in ("", "metrics list"))
    assert not any(line.lstrip().startswith("Example") and "trajmeter" in line for line in lines)


@pytest.mark.parametrize("extra", ["typer", "rich"])
def test_a_missing_extra_is_named(extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, extra, None)
    with pytest.raises(ExtraMissingError, match=rf"needs {extra}: pip install 'trajmeter\[cli\]'"):
        _application.application()


class TestProcess:
    """The same, as a program that another one calls."""

    def test_codes_and_streams(self, folder: Path) -> None:
        done = _process("score", "preds.jsonl", "-m", "metrics.py@length", "-f", "csv")
        assert (done.returncode, done.stderr) == (0, "")
        assert len(done.stdout.splitlines()) == 3
        (folder / "preds.jsonl").write_text("{\n")
        done = _process("score", "preds.jsonl", "-m", "metrics.py@length")
        assert done.returncode == 4
        assert done.stderr.startswith("unreadable: preds.jsonl:1")
        assert _process("score", "absent.jsonl").returncode == 2

    def test_no_colours_and_no_bars_where_nobody_looks(self, folder: Path) -> None:
        done = _process(
            "score", "preds.jsonl", "-m", "metrics.py@length,turns", TERM="xterm-256color"
        )
        assert "\x1b" not in done.stdout + done.stderr

    def test_an_encoding_without_the_characters_is_no_crash(self, folder: Path) -> None:
        line = '{"task_id": "one", "agent": "\N{CRAB}", "final_output": "a"}\n'
        (folder / "preds.jsonl").write_text(line + line.replace("\N{CRAB}", "b"), encoding="utf-8")
        done = _process("score", "preds.jsonl", "-m", "metrics.py@length", PYTHONIOENCODING="ascii")
        assert (done.returncode, done.stderr) == (0, "")
        assert "\\U0001f980" in done.stdout

    @pytest.mark.skipif(os.name == "nt", reason="signals and pipes of POSIX")
    @pytest.mark.parametrize("output_format", ["jsonl", "csv", "table", "json"])
    def test_a_reader_that_has_seen_enough_is_no_error(
        self, folder: Path, output_format: str
    ) -> None:
        # A row, or an agent of the summary, for each line: more than the pipe holds.
        lines = [
            f'{{"task_id": "one", "agent": "a{i}", "final_output": "a"}}\n' for i in range(3000)
        ]
        (folder / "preds.jsonl").write_text("".join(lines))
        arguments = ["score", "preds.jsonl", "-m", "metrics.py@length", "-f", output_format]
        with subprocess.Popen(
            [*PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.readline()
            process.stdout.close()
            assert process.wait(timeout=120) == 0
            assert process.stderr.read() == b""

    @pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
    @pytest.mark.parametrize(
        ("output_format", "suffix"),
        [("jsonl", "csv"), ("csv", "parquet"), ("table", "jsonl"), ("json", "parquet")],
    )
    def test_a_file_is_completed_whoever_reads_what_is_printed(
        self, folder: Path, output_format: str, suffix: str
    ) -> None:
        line = '{"task_id": "one", "agent": "a", "final_output": "a"}\n'
        (folder / "preds.jsonl").write_text(line * 3000 + "cut\n")
        arguments = ["score", "preds.jsonl", "-m", "metrics.py@length", "-f", output_format]
        with subprocess.Popen(
            [*PROGRAM, *arguments, "-o", f"out.{suffix}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.close()
            assert process.wait(timeout=120) == 4
            messages = process.stderr.read().decode().splitlines()
        assert messages[0].startswith("unreadable: preds.jsonl:3001: ")
        assert messages[1] == f"trajmeter: wrote 3,000 rows to out.{suffix}"
        assert (folder / f"out.{suffix}").exists()

    @pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
    @pytest.mark.parametrize(
        ("metric", "code"), [("metrics.py@length", 4), ("metrics.py@other", 2)]
    )
    def test_a_command_ends_as_ever_though_nobody_reads_its_messages(
        self, folder: Path, metric: str, code: int
    ) -> None:
        (folder / "preds.jsonl").write_text('{"task_id": "one", "final_output": "a"}\ncut\n')
        arguments = ["score", "preds.jsonl", "-m", metric, "-f", "jsonl", "-o", "out.jsonl"]
        with subprocess.Popen(
            [*PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        ) as process:
            assert process.stderr is not None
            process.stderr.close()
            assert process.wait(timeout=120) == code
        assert (folder / "out.jsonl").exists() == (code == 4)

    @pytest.mark.skipif(os.name == "nt", reason="the shell of POSIX")
    @pytest.mark.parametrize("closed", [">&-", "2>&-"])
    @pytest.mark.parametrize("output_format", ["jsonl", "csv", "table", "json"])
    def test_a_stream_that_was_closed_beforehand_is_no_crash(
        self, folder: Path, output_format: str, closed: str
    ) -> None:
        arguments = ["score", "preds.jsonl", "-m", "metrics.py@length", "-f", output_format]
        done = subprocess.run(
            ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *PROGRAM, *arguments],
            capture_output=True,
            check=False,
            cwd=folder,
            timeout=120,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert bool(done.stdout) == (closed == "2>&-")

    @pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
    @pytest.mark.parametrize(
        ("number", "code", "message"),
        [
            (signal.SIGINT, 130, b"trajmeter: interrupted\n"),
            (signal.SIGTERM, 143, b"trajmeter: terminated\n"),
        ],
    )
    def test_an_interrupt_writes_nothing_and_exits_with_its_code(
        self, folder: Path, number: int, code: int, message: bytes
    ) -> None:
        (folder / "slow.py").write_text(
            "import sys, time, trajmeter\n"
            "@trajmeter.metric\n"
            "def slow(task, trajectory):\n"
            "    print('started', file=sys.stderr, flush=True)\n"
            "    time.sleep(60)\n"
        )
        arguments = ["score", "preds.jsonl", "-m", "slow.py@slow", "-o", "out.jsonl"]
        with subprocess.Popen(
            [*PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stderr is not None
            assert process.stderr.readline() == b"started\n"
            process.send_signal(number)
            out, err = process.communicate(timeout=120)
        assert (process.returncode, out, err) == (code, b"", message)
        assert sorted(path.name for path in folder.glob("*out*")) == []


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "trajmeter", "--version"],
        capture_output=True,
        check=False,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"trajmeter {trajmeter.__version__} ({trajmeter.backend()} kernels)\n"


def test_help_names_the_defaults_and_the_known_frameworks() -> None:
    def help_of(command: str) -> str:
        result = CliRunner(env={"COLUMNS": "200"}).invoke(
            _application.application(), [command, "--help"]
        )
        return result.output

    assert f"(default: {', '.join(DEFAULT_METRICS)})" in help_of("score")
    assert f"(default: {DEFAULT_MODEL})" in help_of("run")
    assert f"{PROFILE}: reproduce" in help_of("compare")
    assert [name for name in FRAMEWORK_PACKAGES if name not in help_of("quality")] == []


def test_code_is_measured_as_the_original_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "agent.py"
    file.write_text("import os, sys\n")
    shown = []
    for options in ([], ["--profile", "framework-comparison"]):
        assert _main.main(["quality", str(file), "-f", "json", *options]) == ExitCode.OK
        measures = json.loads(capsys.readouterr().out)["static_metrics"]
        shown.append((measures["num_imports"], measures["avg_cyclomatic_complexity"]))
    assert shown == [(1, None), (2, 0.0)]


def test_a_file_that_looks_like_an_option_is_explained(run: Run, folder: Path) -> None:
    (folder / "-dash.jsonl").write_text((folder / "preds.jsonl").read_text())
    code, _, err = run("score", "-dash.jsonl", "-m", "turns")
    assert code == 2
    assert err.endswith("trajmeter: to name the file -dash.jsonl, write ./-dash.jsonl\n")
    for words in (["./-dash.jsonl"], ["--", "-dash.jsonl"]):
        code, _, err = run("score", "-m", "turns", *words)
        assert (code, err) == (0, "")
    assert "to name" not in run("score", "-m", "turn", "--", "-dash.jsonl")[2]
