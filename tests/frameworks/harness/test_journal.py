"""The journal: an interrupted evaluation is resumed, and nothing that was written is lost."""

from __future__ import annotations

import asyncio
import multiprocessing
import re
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import pytest

from tests.frameworks.harness.toys import Whole
from tests.judges.scripted import GOOD, REVIEW, ScriptedModel
from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.frameworks.harness import (
    AskingOptions,
    EvaluationOptions,
    Framework,
    Journal,
    Progress,
    RunOptions,
    evaluate,
    fingerprint,
    open_journal,
)
from trajmeter.frameworks.result_files import read_evaluation
from trajmeter.frameworks.results import FrameworkEvaluation, QuestionResult
from trajmeter.frameworks.scenario import Scenario
from trajmeter.judges import Judge, Prompt, Reply
from trajmeter.prices import price_usd
from trajmeter.records import Question

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Callable

QUESTIONS = ("where", "who", "when")


@pytest.fixture
def scenario(tmp_path: Path) -> Scenario:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "a.md").write_text("pier")
    return Scenario(
        name="harbour",
        folder=str(tmp_path),
        documents_dir=str(documents),
        questions=tuple(Question(id=f"q{i}", text=text) for i, text in enumerate(QUESTIONS)),
    )


def result(question_id: str) -> QuestionResult:
    return QuestionResult(question_id=question_id, question_text="?", extra_metrics={"k": None})


def evaluated(
    scenario: Scenario,
    framework: Framework,
    folder: Path,
    *,
    runs: int = 1,
    reviewer: Judge | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> tuple[Path, FrameworkEvaluation]:
    options = EvaluationOptions(RunOptions(AskingOptions()), runs=runs, reviewer=reviewer)
    return asyncio.run(
        evaluate(scenario, framework, options=options, folder=folder, progress=progress)
    )


class StopHere(Exception):  # noqa: N818 - no error, but the end of a call
    """Ends an evaluation before it is complete, as Ctrl-C does."""


def stop_at(question_id: str) -> Callable[[Progress], None]:
    def stop(progress: Progress) -> None:
        if progress.result.question_id == question_id:
            raise StopHere

    return stop


def test_what_is_finished_is_not_asked_again(scenario: Scenario, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    agent = Whole()
    with pytest.raises(StopHere):
        evaluated(scenario, Framework("W", agent), folder, progress=stop_at("q1"))
    assert agent.calls[-1] == "cleanup"
    assert [file.suffix for file in folder.iterdir()] == [".journal"]

    again = Whole()
    reports: list[tuple[int, str]] = []
    file, evaluation = evaluated(
        scenario,
        Framework("W", again),
        folder,
        progress=lambda p: reports.append((p.finished, p.result.question_id)),
    )
    assert again.calls == ["ingest None", "when", "cleanup"]
    assert reports == [(3, "q2")]
    assert [question.question_id for question in evaluation.questions] == ["q0", "q1", "q2"]
    assert list(folder.iterdir()) == [file]


def test_an_answer_whose_judging_was_interrupted_is_only_judged_again(
    scenario: Scenario, tmp_path: Path
) -> None:
    class Interrupted(ScriptedModel):
        async def reply(self, prompt: Prompt) -> Reply:
            if len(self.prompts) == 2:
                raise StopHere
            return await super().reply(prompt)

    def judged(agent: Whole, model: ScriptedModel) -> FrameworkEvaluation:
        options = EvaluationOptions(RunOptions(AskingOptions(judge=Judge(model, price_usd))))
        framework = Framework("W", agent)
        folder = tmp_path / "results"
        return asyncio.run(evaluate(scenario, framework, options=options, folder=folder))[1]

    first = Whole()
    with pytest.raises(StopHere):
        judged(first, Interrupted(GOOD, GOOD))
    assert first.calls == ["ingest None", *QUESTIONS, "cleanup"]
    again, judge = Whole(), ScriptedModel(GOOD)
    evaluation = judged(again, judge)
    assert again.calls == []
    assert len(judge.prompts) == 1
    last = evaluation.questions[2]
    assert (last.actual_answer, last.prompt_tokens, last.correctness_score) == ("pier", 1_000, 5.0)
    assert last.sources_retrieved == ("a.md",)
    assert last.latency_seconds is not None


def test_every_run_keeps_its_questions(scenario: Scenario, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    seen: list[Progress] = []

    def stop_in_the_second_run(progress: Progress) -> None:
        seen.append(progress)
        if progress.run == 2:
            raise StopHere

    framework = Framework("W", Whole())
    with pytest.raises(StopHere):
        evaluated(scenario, framework, folder, runs=2, progress=stop_in_the_second_run)
    first = read_evaluation(next(folder.glob("*_run1.json")))
    file, evaluation = evaluated(scenario, framework, folder, runs=2, progress=seen.append)
    assert [(p.run, p.finished) for p in seen] == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]
    assert evaluation.run_count == 2
    assert sorted(path.name for path in folder.iterdir()) == [
        file.name,
        *(f"{file.stem}_run{number}.json" for number in (1, 2)),
    ]
    # what was finished before keeps its times
    assert read_evaluation(folder / f"{file.stem}_run1.json") == first


def test_evaluations_of_one_second_lose_nothing(scenario: Scenario, tmp_path: Path) -> None:
    framework = Framework("W", Whole())
    files = [evaluated(scenario, framework, tmp_path / "results", runs=2)[0] for _ in range(3)]
    assert len(set(files)) == 3
    assert len(list((tmp_path / "results").iterdir())) == 9
    for file in files:
        assert re.fullmatch(r"w_harbour_\d{8}_\d{6}\.json", file.name)
        assert read_evaluation(file).run_count == 2


def _evaluate_elsewhere(scenario: Scenario, folder: Path) -> str:
    return evaluated(scenario, Framework("W", Whole()), folder)[0].name


def test_evaluations_of_several_processes_lose_nothing(scenario: Scenario, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(3, mp_context=spawn) as pool:
        names = list(pool.map(_evaluate_elsewhere, [scenario] * 6, [folder] * 6))
    assert sorted(names) == sorted(file.name for file in folder.iterdir())
    assert len(set(names)) == 6


def test_a_journal_in_use_is_left_to_its_owner(tmp_path: Path) -> None:
    with open_journal(tmp_path, "w_s", "d") as ours:
        ours.run(1).write(result("q0"))
        with open_journal(tmp_path, "w_s", "d") as theirs:
            assert theirs.run(1).finished == {}
            assert theirs.named_at > ours.named_at
    with open_journal(tmp_path, "w_s", "d") as resumed:
        assert list(resumed.run(1).finished) == ["q0"]


def _open_many_elsewhere(folder: Path) -> list[str]:
    names = []
    for _ in range(50):
        with warnings.catch_warnings(record=True) as seen, open_journal(folder, "w_s", "d") as ours:
            assert ours.run(1).finished == {}
            ours.run(1).write(result("q0"))
            file = folder / f"w_s_{ours.named_at:%Y%m%d_%H%M%S}.json"
            with file.open("x"):
                ours.remove()
        assert seen == []
        names.append(file.name)
    return names


def test_journals_that_others_begin_and_remove_meanwhile_do_no_harm(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(4, mp_context=spawn) as pool:
        names = [name for part in pool.map(_open_many_elsewhere, [tmp_path] * 4) for name in part]
    assert sorted(names) == sorted(file.name for file in tmp_path.iterdir())
    assert len(set(names)) == 200


def test_a_journal_that_is_gone_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / ".w_s_20260101_000000.journal").symlink_to(tmp_path / "gone")
    with open_journal(tmp_path, "w_s", "d") as journal:
        assert journal.run(1).finished == {}


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed there")
def test_a_journal_that_is_removed_while_it_is_opened_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_journal(tmp_path, "w_s", "d") as journal:
        journal.run(1).write(result("q0"))
    (file,) = tmp_path.iterdir()
    lock = fcntl.flock

    def removed_and_locked(stream: BinaryIO, operation: int) -> None:
        file.unlink(missing_ok=True)
        lock(stream, operation)

    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", removed_and_locked)
        with open_journal(tmp_path, "w_s", "d") as journal:
            assert journal.run(1).finished == {}


def _refuse_what_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files be deleted as Windows does it: none that is open."""
    unlink = Path.unlink
    opened: list[BinaryIO] = []
    take = Journal.__init__

    def remembered(self: Journal, stream: BinaryIO, *rest: Any) -> None:
        opened.append(stream)
        take(self, stream, *rest)

    def deleted(self: Path, *, missing_ok: bool = False) -> None:
        if any(not stream.closed and stream.name == str(self) for stream in opened):
            raise PermissionError(13, "used by another process", str(self))
        unlink(self, missing_ok=missing_ok)

    monkeypatch.setattr(Journal, "__init__", remembered)
    monkeypatch.setattr(Path, "unlink", deleted)


def test_a_journal_is_removed_where_no_open_file_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _refuse_what_is_open(monkeypatch)
    with open_journal(tmp_path, "w_s", "d") as journal:
        journal.run(1).write(result("q0"))
        journal.remove()
    with open_journal(tmp_path, "w_s", "d"):  # it holds nothing
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed there")
def test_a_journal_is_held_until_it_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[bool] = []
    unlink = Path.unlink

    def watched(self: Path, *, missing_ok: bool = False) -> None:
        with self.open("rb") as another:
            try:
                fcntl.flock(another, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                held.append(True)
        unlink(self, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", watched)
    with open_journal(tmp_path, "w_s", "d") as journal:
        journal.run(1).write(result("q0"))
        journal.remove()
    assert held == [True]


def test_a_journal_that_another_just_begins_is_passed_over_in_silence(tmp_path: Path) -> None:
    (tmp_path / ".w_s_20260101_000000.journal").touch()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with open_journal(tmp_path, "w_s", "d") as journal:
            assert journal.run(1).finished == {}


def test_a_journal_of_other_options_is_kept_with_a_warning(tmp_path: Path) -> None:
    with open_journal(tmp_path, "w_s", "d") as journal:
        journal.run(1).write(result("q0"))
    (kept,) = tmp_path.iterdir()
    with (
        pytest.warns(UserWarning, match=rf"{kept.name}: kept from an interrupted run"),
        open_journal(tmp_path, "w_s", "other") as journal,
    ):
        assert journal.run(1).finished == {}
    assert list(tmp_path.iterdir()) == [kept]  # the other held nothing
    with open_journal(tmp_path, "w_s", "d") as journal:
        assert journal.run(1).finished == {"q0": result("q0")}


def test_an_incomplete_last_line_is_dropped(tmp_path: Path) -> None:
    with open_journal(tmp_path, "w_s", "d") as journal:
        journal.run(1).write(result("q0"))
    (file,) = tmp_path.iterdir()
    with file.open("ab") as cut:
        cut.write('{"question": {"result": "ü'.encode()[:-1])  # even inside a character
    with open_journal(tmp_path, "w_s", "d") as journal:
        journal.run(1).write(result("q1"))
    with open_journal(tmp_path, "w_s", "d") as journal:
        assert list(journal.run(1).finished) == ["q0", "q1"]


def test_a_broken_journal_names_its_line(tmp_path: Path) -> None:
    with open_journal(tmp_path, "w_s", "d") as journal:
        journal.run(1).write(result("q0"))
    (file,) = tmp_path.iterdir()
    header = file.read_text().splitlines()[0]
    file.write_text(f'{header}\n{{"question": {{}}}}\n')
    with pytest.raises(ReadError, match=rf"{file.name}:2: not a line of a journal"):
        open_journal(tmp_path, "w_s", "d")
    file.write_text("nonsense\n")
    with pytest.raises(ReadError, match=rf"{file.name}:1: not a journal"):
        open_journal(tmp_path, "w_s", "d")


def test_a_folder_that_cannot_be_written_is_reported_before_anything_is_asked(
    scenario: Scenario, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    agent = Whole()
    with pytest.raises(ConfigurationError, match=r"file: a file, expected a folder for"):
        evaluated(scenario, Framework("W", agent), tmp_path / "file")
    assert agent.calls == []


def test_a_changed_agent_or_document_begins_anew(scenario: Scenario, tmp_path: Path) -> None:
    file = tmp_path / "agent.py"
    digests = set()
    for text in ("a = 1", "a = 2"):
        file.write_text(text)
        digests.add(fingerprint(scenario, files={"source": file}))
    digests |= {fingerprint(scenario, files={}), fingerprint(scenario, files={}, judge="m")}
    assert len(digests) == 4


def test_a_review_is_asked_for_once(scenario: Scenario, tmp_path: Path) -> None:
    source = tmp_path / "agent.py"
    source.write_text("def f() -> int:\n    return 1\n")
    framework = Framework("W", Whole(), source)
    model = ScriptedModel(REVIEW)
    reviewer = Judge(model, price_usd)
    folder = tmp_path / "results"
    with pytest.raises(StopHere):
        evaluated(scenario, framework, folder, reviewer=reviewer, progress=stop_at("q0"))
    _, evaluation = evaluated(scenario, framework, folder, reviewer=reviewer)
    assert len(model.prompts) == 1
    assert evaluation.code_quality is not None
    assert evaluation.code_quality.code_review is not None
    assert evaluation.code_quality.judge is not None
    assert evaluation.code_quality.judge.attempts == 1


def test_a_review_that_failed_is_asked_for_again(scenario: Scenario, tmp_path: Path) -> None:
    source = tmp_path / "agent.py"
    source.write_text("a = 1\n")
    framework = Framework("W", Whole(), source)
    folder = tmp_path / "results"
    with pytest.raises(StopHere):
        evaluated(
            scenario,
            framework,
            folder,
            reviewer=Judge(ScriptedModel("no json"), price_usd, reply_attempts=1),
            progress=stop_at("q0"),
        )
    _, evaluation = evaluated(
        scenario, framework, folder, reviewer=Judge(ScriptedModel(REVIEW), price_usd)
    )
    assert evaluation.code_quality is not None
    assert evaluation.code_quality.code_review is not None
