"""``trajmeter run`` over the example scenario: files, resume, errors, and nothing lost."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.test_main import PROGRAM
from tests.judges.endpoint import endpoint
from tests.judges.scripted import GOOD
from trajmeter.cli import ExitCode, main
from trajmeter.frameworks.result_files import read_evaluation
from trajmeter.frameworks.results import AnswerOutcome

SCENARIO = Path(__file__).parents[2] / "examples" / "scenario"
AGENTS = ("--agent", "agents:Searcher", "--agent", "agents:Chainer", "--mode", "capability")


@pytest.fixture(autouse=True)
def _in_the_scenario(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SCENARIO)
    monkeypatch.setattr(sys, "path", [*sys.path])


def _call(*options: str) -> list[str]:
    return ["run", ".", "--agent", "agents:Searcher", *options]


def test_the_example_is_judged_from_its_recording(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(
        ["run", ".", *AGENTS, "--judge-replay", "judge.jsonl", "-o", str(tmp_path), "-f", "json"]
    )
    assert code == ExitCode.OK
    printed = json.loads(capsys.readouterr().out)
    searcher, chainer = printed["results"]
    assert searcher["summary"]["avg_correctness"]["value"] == 2.5  # (5 + 2 + 2 + 1) / 4
    # (5 + 5 + 4 + 0) / 4: the question it failed scores 0
    assert chainer["summary"]["avg_correctness"]["value"] == 3.5
    assert chainer["outcomes"] == {"answered": 3, "timed_out": 0, "failed": 1}
    assert chainer["extra_aggregates"]["multi_hop_chain_success_rate"] == 1.0
    files = sorted(tmp_path.iterdir())
    assert [file.name.split("_")[0] for file in files] == ["chainer", "searcher"]
    evaluation = read_evaluation(files[0])
    assert evaluation.questions[3].outcome is AnswerOutcome.FAILED
    assert evaluation.questions[3].error == "LookupError: no document mentions it"
    assert evaluation.code_quality is not None
    assert evaluation.code_quality.code_review is not None


@pytest.mark.parametrize("name", ["results", "heron's results"])
def test_results_go_to_a_folder(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    file.touch()
    assert main([*_call("--skip-judge", "--skip-code-quality"), "-o", str(file)]) == ExitCode.USAGE
    assert "'--output' / '-o': folder" in capsys.readouterr().err


def test_repeated_runs_have_a_file_each_and_one_for_their_average(tmp_path: Path) -> None:
    code = main(
        [
            "run",
            ".",
            "--agent",
            "agents:Searcher",
            "--runs",
            "2",
            "--skip-judge",
            "--skip-code-quality",
            "-o",
            str(tmp_path),
        ]
    )
    assert code == ExitCode.OK
    stems = sorted(file.stem for file in tmp_path.iterdir())
    assert [stem[-5:] for stem in stems if "_run" in stem] == ["_run1", "_run2"]
    average = read_evaluation(tmp_path / f"{stems[0]}.json")
    assert (average.run_id, average.run_count) == (-1, 2)
    assert average.avg_correctness is None
    first = read_evaluation(tmp_path / f"{stems[1]}.json")
    assert average.total_tokens == 2 * (first.total_tokens or 0)


def test_a_live_judge_is_recorded_and_its_key_stands_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    key = "sk-secret-of-the-run"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    recording = tmp_path / "judge.jsonl"
    with endpoint(GOOD) as server:
        live = tmp_path / "live"
        asked = ["--judge-base-url", server.address, "--judge-record", str(recording)]
        code = main(_call("--skip-code-review", *asked, "-o", str(live)))
    assert code == ExitCode.OK
    replayed = tmp_path / "replayed"
    again = _call("--skip-code-review", "--judge-replay", str(recording), "-o", str(replayed))
    assert main(again) == ExitCode.OK
    (first,), (second,) = list(live.iterdir()), list(replayed.iterdir())
    scores = [q.correctness_score for q in read_evaluation(first).questions]
    assert scores == [q.correctness_score for q in read_evaluation(second).questions] == [5.0] * 4
    captured = capsys.readouterr()
    written = [file.read_text() for file in tmp_path.rglob("*") if file.is_file()]
    assert all(key not in text for text in (captured.out, captured.err, *written))


def test_why_an_answer_was_not_judged_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-run")
    with endpoint(401) as server:
        code = main(_call("--judge-base-url", server.address, "-o", str(tmp_path)))
    assert code == ExitCode.UNJUDGED
    assert len(server.requests) == 1  # the review; a wrong key is wrong for everything else too
    captured = capsys.readouterr()
    err = (
        r"q1 answered \d+\.\d\d s, not judged: judge_error: not asked, because the judge was given"
    )
    assert re.search(err, captured.err)
    assert "Searcher: answers that the judge did not score: judge_error 4." in captured.out
    assert "Searcher: no code review: judge_error." in captured.out
    assert "sk-secret" not in captured.out + captured.err


@pytest.mark.parametrize("runs", ["1", "2"])
@pytest.mark.parametrize("again", ["judge", "run"])
def test_answers_that_a_judge_failed_at_are_judged_without_asking_the_agents_again(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    again: str,
    runs: str,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-run")
    options = ["--skip-code-review", "--runs", runs, "-o", str(tmp_path)]
    with endpoint(403) as server:
        code = main(_call("--judge-base-url", server.address, *options))
    assert code == ExitCode.UNJUDGED
    file = min(tmp_path.iterdir(), key=lambda file: len(file.name))
    hint = f"answers not judged: {4 * int(runs)}; to judge them: "
    hint += f"trajmeter judge {shlex.quote(str(file))}"
    assert hint in capsys.readouterr().err
    before = read_evaluation(file)

    calls = {
        "judge": ["judge", str(file), "-f", "json"],
        "run": _call("--rejudge", "-o", str(tmp_path), "-f", "json"),
    }
    with endpoint(404) as server:
        still = [*calls[again], "--judge-base-url", server.address]
        assert main(still) == ExitCode.UNJUDGED
    capsys.readouterr()
    with endpoint(GOOD) as server:
        assert main([*calls[again], "--judge-base-url", server.address]) == ExitCode.OK
    assert len(server.requests) == 4 * int(runs)
    printed = json.loads(capsys.readouterr().out)
    if again == "judge":
        assert printed == [{"file": str(file), "judged": 4 * int(runs), "unjudged": 0}]
    after = read_evaluation(file)
    assert [q.correctness_score for q in after.questions] == [5.0] * 4
    assert [q.latency_seconds for q in after.questions] == [
        q.latency_seconds for q in before.questions
    ]


def test_judging_again_needs_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = _call("--rejudge", "--judge-replay", "judge.jsonl", "-o", str(tmp_path))
    assert main(call) == ExitCode.USAGE
    assert "no results of Searcher to judge" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, ExitCode.INTERRUPTED), (signal.SIGTERM, ExitCode.TERMINATED)],
)
def test_an_interrupted_run_keeps_what_was_finished_and_resumes(
    tmp_path: Path, number: int, code: ExitCode
) -> None:
    agent = tmp_path / "slow_agent.py"
    agent.write_text(
        "import pathlib, time\n"
        "def answer(question):\n"
        "    with open('asked.txt', 'a') as asked: asked.write(question + '\\n')\n"
        "    if 'cat' in question and not pathlib.Path('go').exists(): time.sleep(600)\n"
        "    return question\n"
    )
    call = [*PROGRAM]
    call += ["run", str(SCENARIO), "--agent", "slow_agent:answer", "--skip-judge"]
    call += ["--skip-code-quality", "-o", "results"]
    with subprocess.Popen(
        call, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as process:
        asked = tmp_path / "asked.txt"
        while not (asked.exists() and "cat" in asked.read_text()):
            assert process.poll() is None
            time.sleep(0.02)
        os.kill(process.pid, number)
        _, err = process.communicate()
    assert process.returncode == code
    assert "run the same command again to resume" in err
    assert not list((tmp_path / "results").glob("*.json"))

    (tmp_path / "go").touch()
    again = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert again.returncode == ExitCode.OK
    (file,) = (tmp_path / "results").iterdir()
    assert len(read_evaluation(file).questions) == 4
    questions = asked.read_text().splitlines()
    assert len(questions) == 5  # the four, and the one that was under way once more
    assert sum("cat" in question for question in questions) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name at least one agent"),
        (["--agent", "agents"], "expected module:object"),
        (["--agent", "agents:Searcher", "--agent", "agents:Searcher"], "two agents are called"),
        (
            ["--agent", "x=agents:Searcher", "--agent", "x=agents:Chainer"],
            "name one with --agent NAME=agents:Chainer",
        ),
        (["--agent", "a b=agents:Searcher", "--agent", "A_b=agents:Chainer"], "two agents are"),
        (["--agent", "=agents:Searcher"], "expected a name before the '='"),
        (["--agent", "agents:Searcher", "--mode", "fast"], "no mode 'fast'"),
        (["--agent", "agents:Searcher", "--profile", "other"], "unknown profile 'other'"),
        (["--agent", "agents:Searcher"], "set the environment variable OPENAI_API_KEY"),
    ],
)
def test_a_wrong_call_says_what_is_wrong_before_anything_is_asked(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert main(["run", ".", *arguments, "-o", str(tmp_path)]) == ExitCode.USAGE
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("review", ["--skip-code-review", "--skip-code-quality"])
@pytest.mark.parametrize(
    "option",
    [
        ["--judge", "gpt-5-mini"],
        ["--judge-base-url", "http://127.0.0.1:1"],
        ["--judge-requests-per-minute", "5"],
        ["--judge-timeout-seconds", "5"],
        ["--judge-record", "new.jsonl"],
        ["--judge-replay", "judge.jsonl"],
    ],
)
def test_options_of_a_judge_are_refused_where_nothing_is_judged(
    option: list[str], review: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = _call("--skip-judge", review, *option, "-o", str(tmp_path))
    assert main(call) == ExitCode.USAGE
    assert f"judge options have no effect with --skip-judge and {review}" in (
        capsys.readouterr().err
    )
    assert list(tmp_path.iterdir()) == []


def test_options_of_a_judge_serve_its_review_where_answers_are_not_judged(tmp_path: Path) -> None:
    # The recording holds the review of the agents in capability mode.
    call = _call("--mode", "capability", "--skip-judge", "--judge-replay", "judge.jsonl")
    assert main([*call, "-o", str(tmp_path)]) == ExitCode.OK
    (file,) = tmp_path.iterdir()
    evaluation = read_evaluation(file)
    assert evaluation.avg_correctness is None
    assert evaluation.code_quality is not None
    assert evaluation.code_quality.code_review is not None


@pytest.mark.parametrize("options", [["--dry-run"], ["--agent", "agents:Searcher"]])
def test_an_unknown_scenario_profile_is_placed(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "spec.yaml").write_text("name: s\nevaluation: {profile: multihop}\n")
    (tmp_path / "questions.yaml").write_text("questions: [{id: q, text: why}]\n")
    assert main(["run", str(tmp_path), *options]) == ExitCode.USAGE
    err = capsys.readouterr().err
    assert "spec.yaml: evaluation.profile: unknown scenario profile 'multihop'; available" in err


def test_a_dry_run_prints_the_scenario_as_it_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", ".", "--dry-run", "--mode", "capability"]) == ExitCode.OK
    printed = json.loads(capsys.readouterr().out)
    assert printed["settings"] == {"llm_model": "gpt-5-mini", "top_k": 2, "max_steps": 3}
    assert len(printed["questions"]) == 4


@pytest.mark.skipif(sys.platform != "linux", reason="file names are text elsewhere")
def test_a_scenario_in_a_folder_whose_name_is_no_utf8_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "caf\udce9"
    shutil.copytree(SCENARIO, folder)
    assert main(["run", str(folder), "--dry-run"]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["folder"].endswith(r"caf\udce9")


def test_an_agent_that_cannot_prepare_does_not_keep_the_others_from_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "unprepared_agent.py").write_text(
        "class Agent:\n"
        "    def ingest(self, documents, settings): raise OSError('no index')\n"
        "    def query(self, question): return question\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    broken = ["run", ".", "--agent", "Broken=unprepared_agent:Agent"]
    rest = ["--skip-judge", "--skip-code-quality", "-o", str(tmp_path / "results")]
    assert main([*broken, "--agent", "agents:Searcher", *rest]) == ExitCode.USAGE
    assert "Broken: ingest failed: OSError: no index" in capsys.readouterr().err
    (file,) = (tmp_path / "results").glob("*.json")
    assert file.name.startswith("searcher_")
    assert main([*broken, *rest]) == ExitCode.USAGE
    assert "no agent could be run" in capsys.readouterr().err
