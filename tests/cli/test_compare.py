"""``trajmeter compare``, ``average``, ``quality`` and ``price``."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from trajmeter.cli import ExitCode, main
from trajmeter.frameworks.result_files import read_evaluation, write_evaluation
from trajmeter.frameworks.results import FrameworkEvaluation, QuestionResult


@pytest.fixture
def results(tmp_path: Path) -> list[str]:
    files = []
    for i, name in enumerate(("Anchor", "Buoy [bold]")):
        question = QuestionResult(
            question_id="q1",
            question_text="?",
            actual_answer="pier",
            latency_seconds=1.0 + i,
            total_tokens=100,
            estimated_cost_usd=0.01,
            correctness_score=5.0 - i,
        )
        file = tmp_path / f"{i}.json"
        write_evaluation(
            FrameworkEvaluation(framework_name=name, scenario_name="s", questions=(question,)), file
        )
        files.append(str(file))
    return files


@pytest.fixture
def runs(results: list[str], tmp_path: Path) -> list[str]:
    """Two equal runs of the first framework."""
    again = tmp_path / "again.json"
    again.write_bytes(Path(results[0]).read_bytes())
    return [results[0], str(again)]


def test_frameworks_are_shown_side_by_side(
    results: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *results]) == ExitCode.OK
    printed = capsys.readouterr().out
    assert "Buoy [bold]" in printed
    (line,) = [line for line in printed.splitlines() if line.startswith("Avg Correctness")]
    assert line.split()[-2:] == ["5.0", "4.0"]


@pytest.mark.parametrize(("suffix", "begins"), [(".md", "# Framework"), (".html", "<!doctype")])
def test_a_report_is_written_as_its_suffix_says(
    results: list[str], tmp_path: Path, suffix: str, begins: str
) -> None:
    report = tmp_path / f"report{suffix}"
    assert main(["compare", *results, "-o", str(report)]) == ExitCode.OK
    assert report.read_text().startswith(begins)


def test_single_runs_beside_their_average_are_reported(
    results: list[str], runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    average = str(tmp_path / "average.json")
    assert main(["average", *runs, "-o", average]) == ExitCode.OK
    assert main(["compare", results[0], average, results[1]]) == ExitCode.OK
    warning = "Anchor: single runs (1) are listed next to an average and count as separate results"
    assert warning in capsys.readouterr().out
    assert main(["compare", average, results[1]]) == ExitCode.OK
    assert "stand beside" not in capsys.readouterr().out


def test_an_average_never_takes_the_place_of_a_run(
    results: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = Path(results[0]).read_bytes()
    assert main(["average", results[0], results[0], "-o", results[0]]) == ExitCode.USAGE
    assert "is an input; write the results to another file" in capsys.readouterr().err
    assert Path(results[0]).read_bytes() == before


def test_json_holds_every_figure(results: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *results, "--format", "json"]) == ExitCode.OK
    printed = json.loads(capsys.readouterr().out)
    anchor = printed["results"][0]
    assert anchor["summary"]["avg_correctness"] == {
        "value": 5.0,
        "n": 1,
        "of": 1,
        "run_stddev": None,
    }
    assert anchor["latency"] == {"p50": 1.0, "p95": 1.0, "n": 1}
    assert anchor["questions"]["q1"]["excerpt"] == "pier"


def test_an_unreadable_result_is_reported_and_the_others_are_compared(
    results: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"framework_name": "C"}')
    assert main(["compare", *results, str(broken)]) == ExitCode.UNREADABLE_INPUT
    captured = capsys.readouterr()
    assert "broken.json: scenario_name: required, but missing" in captured.err
    assert "Anchor" in captured.out
    assert main(["compare", str(broken)]) == ExitCode.UNREADABLE_INPUT


def test_wrong_reports_and_profiles_are_usage_errors(
    results: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *results, "-o", "report.pdf"]) == ExitCode.USAGE
    assert "a report file must end in .md or .html" in capsys.readouterr().err
    assert main(["compare", *results, "--profile", "x"]) == ExitCode.USAGE


def test_runs_are_averaged_into_a_result_file(
    results: list[str], runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    average = tmp_path / "average.json"
    assert main(["average", *runs, "-o", str(average), "--format", "json"]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["run_count"] == 2
    assert read_evaluation(average).total_tokens == 200
    assert main(["average", *runs, "-o", "average.txt"]) == ExitCode.USAGE
    assert "average.txt: expected a file that ends in .json" in capsys.readouterr().err
    assert main(["average", *results]) == ExitCode.USAGE
    assert "must share their framework_name" in capsys.readouterr().err


def test_a_run_listed_twice_is_averaged_once(
    runs: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["average", *runs, runs[0], "--format", "json"]) == ExitCode.OK
    captured = capsys.readouterr()
    assert json.loads(captured.out)["run_count"] == 2
    assert f"{runs[0]}: listed twice; read once" in captured.err


def test_an_average_among_the_runs_is_named(
    runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    average = str(tmp_path / "average.json")
    assert main(["average", *runs, "-o", average]) == ExitCode.OK
    assert main(["average", *runs, average]) == ExitCode.USAGE
    assert "average.json is an average of several runs; pass single runs" in capsys.readouterr().err


def test_figures_of_an_average_are_rounded_on_the_terminal(
    runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = read_evaluation(Path(runs[0]))
    (question,) = run.questions
    changed = {"latency_seconds": 2.0, "estimated_cost_usd": 12_345.67, "correctness_score": 4.0}
    dear = run.model_copy(update={"questions": (question.model_copy(update=changed),)})
    write_evaluation(dear, tmp_path / "dear.json")
    assert main(["average", *runs, str(tmp_path / "dear.json")]) == ExitCode.OK
    lines = capsys.readouterr().out.splitlines()
    shown = {line.split()[0]: line.split()[-1] for line in lines if line}
    assert shown["avg_latency"] == "1.333"  # (1 + 1 + 2) / 3
    assert shown["avg_correctness"] == "4.667"  # (5 + 5 + 4) / 3
    assert shown["total_cost_usd"] == "12,345.7"  # 0.01 + 0.01 + 12,345.67
    assert shown["total_tokens"] == "300"


def test_a_small_cost_is_not_rounded_away(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["price", "gpt-5-mini", "--prompt-tokens", "12345"]) == ExitCode.OK
    (cost,) = [line for line in capsys.readouterr().out.splitlines() if "cost_usd" in line]
    assert cost.split() == ["cost_usd", "0.003086"]  # 12,345 x 0.25 / 1,000,000


@pytest.mark.skipif(sys.platform != "linux", reason="file names are text elsewhere")
@pytest.mark.parametrize("form", ["table", "markdown", "md", "json"])
def test_a_file_name_that_is_no_utf8_is_shown_escaped(
    results: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    odd = Path(results[0]).rename(tmp_path / "caf\udce9.json")
    again = Path(shutil.copy(odd, tmp_path / "again.json"))
    assert main(["compare", str(odd), str(again), "--format", form]) == ExitCode.OK
    printed = capsys.readouterr().out
    assert "caf" in printed
    if form == "json":
        first, _ = json.loads(printed)["results"]
        assert first["file"] == r"caf\udce9.json"


@pytest.mark.parametrize(("command", "name"), [("compare", "a.md"), ("average", "a.json")])
def test_the_folder_of_a_result_is_made_unless_a_file_is_in_its_place(
    results: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, name: str
) -> None:
    output = tmp_path / "no" / "such" / name
    assert main([command, results[0], results[0], "-o", str(output)]) == ExitCode.OK
    assert output.stat().st_size > 0
    capsys.readouterr()
    below = output / name
    assert main([command, results[0], results[0], "-o", str(below)]) == ExitCode.USAGE
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"{below}: {output} is a file, expected a folder" in captured.err


def test_quality_is_measured_and_a_broken_file_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "agent.py"
    file.write_text("import langgraph\nimport helper\n")
    call = ["quality", str(file), "--framework", "LangGraph", "--format", "json"]
    assert main(call) == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["static_metrics"]["num_framework_imports"] == 1
    assert main([*call, "--package", "helper"]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["static_metrics"]["num_framework_imports"] == 2
    capsys.readouterr()
    assert main(["quality", str(file), "--framework", "Gull"]) == ExitCode.OK
    message = "no packages are known for framework 'Gull'; name them with --package"
    assert message in capsys.readouterr().err
    file.write_text("def broken(:\n")
    assert main(["quality", str(file)]) == ExitCode.UNREADABLE_INPUT
    assert "agent.py, line 1" in capsys.readouterr().err


def test_prices_are_printed_with_their_table(capsys: pytest.CaptureFixture[str]) -> None:
    call = ["price", "openai/gpt-5-mini", "--prompt-tokens", "1000000", "--format", "json"]
    assert main(call) == ExitCode.OK
    printed = json.loads(capsys.readouterr().out)
    assert (printed["cost_usd"], printed["priced"]) == (0.25, True)
    assert printed["price_table"].startswith("genai-prices ")
    assert main(["price", "no-such-model", "--prompt-tokens", "5"]) == ExitCode.OK
    assert "False" in capsys.readouterr().out


def test_without_tokens_the_price_of_a_million_is_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["price", "gpt-5-mini", "--format", "json"]) == ExitCode.OK
    printed = json.loads(capsys.readouterr().out)
    assert (printed["prompt_usd_per_million"], printed["completion_usd_per_million"]) == (0.25, 2.0)
    assert (printed["priced"], "cost_usd" in printed) == (True, False)
    assert main(["price", "no-such-model"]) == ExitCode.OK
    shown = dict(line.split() for line in capsys.readouterr().out.splitlines()[2:5])
    assert shown["prompt_usd_per_million"] == "-"


def test_published_results(reference_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = reference_data / "compare"
    report = json.loads((root / "results/expected_reports.json").read_text())["reports"][0]
    files = [str(root / name) for name in report["files"]]
    call = ["compare", *files, "--format", "json", "--profile", "framework-comparison"]
    assert main(call) == ExitCode.OK
    printed = json.loads(capsys.readouterr().out)
    for result, expected in zip(printed["results"], report["unrounded"], strict=True):
        assert result["summary"]["avg_latency"]["value"] == pytest.approx(expected["avg_latency"])


def test_files_of_one_name_are_reported_apart_by_their_folders(
    results: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other" / "0.json"
    write_evaluation(read_evaluation(results[0]), other)
    assert main(["compare", results[0], str(other), "--format", "json"]) == ExitCode.OK
    printed = json.loads(capsys.readouterr().out)
    assert [result["file"] for result in printed["results"]] == [results[0], str(other)]


def test_names_in_result_files_do_not_reach_the_terminal_as_they_are(
    runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = read_evaluation(Path(runs[0]))
    file = tmp_path / "\x1b]0;named\x07.json"
    write_evaluation(run.model_copy(update={"extra_aggregates": {"a\x1b]52;c;eA==\nb": 1.0}}), file)
    assert main(["average", str(file)]) == ExitCode.OK
    assert r"extra_aggregates.a\x1b]52;c;eA==\nb" in capsys.readouterr().out
    recording = tmp_path / "replies.jsonl"
    recording.touch()
    main(["judge", str(file), "--judge-replay", str(recording)])
    captured = capsys.readouterr()
    assert r"\x1b]0;named\x07.json" in captured.out + captured.err
    assert "\x1b" not in captured.out + captured.err
