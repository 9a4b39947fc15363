from __future__ import annotations

import io
from typing import TYPE_CHECKING, Annotated

import pytest
from pydantic import BaseModel
from rich.console import Console

from tests.metrics.fakes import AnswerMetric, RankMetric
from trajmeter.metrics import Figure, Group, Result
from trajmeter.records import Cause, Outcome, Source, Task, Trajectory
from trajmeter.reports.cells import visible
from trajmeter.reports.scores import print_report, score_report, to_markdown
from trajmeter.reports.tables import Table
from trajmeter.reports.terminal import print_table
from trajmeter.scoring.files import score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

    from trajmeter.metrics import AnyMetric
    from trajmeter.summaries.summary import Summary

TASKS = (
    Task(id="one", expected_answer="a b"),
    Task(id="two", expected_answer="c"),
    Task(id="none", expected_answer=""),
)
ATTEMPTS = (
    Trajectory(task_id="one", agent="crab", model="m", final_output="a"),
    Trajectory(task_id="two", agent="crab", model="m", final_output="c"),
    Trajectory(task_id="none", agent="heron", final_output="anything"),
    Trajectory(task_id="three", agent="heron", final_output="x"),
    Trajectory(task_id="two", agent="heron", final_output="boom"),
)


def _summary(metrics: Sequence[AnyMetric], attempts: Sequence[Trajectory] = ATTEMPTS) -> Summary:
    return score(attempts, tasks=TASKS, metrics=metrics).summary


def _printed(summary: Summary, width: int) -> str:
    stream = io.StringIO()
    print_report(score_report(summary, width=width), Console(file=stream, width=width))
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


REPORT = """\
5 attempts · answer (version 7), rank (version 1)

figures of all attempts, by family
family  figures  values  scored  by a rule  abstained  not scored
─────────────────────────────────────────────────────────────────
answer        2      10       4          0          2           4
rank          1       5       5          0          0           0

answer: figures of the run
figure          crab / m        heron
─────────────────────────────────────
longest                1            8
mean_length  1.000 (2/2)  8.000 (1/2)

answer
                 coverage
─────────────────────────
words    macro      0.750
         micro      0.667
         scored       2/5
letters  macro      0.667
         micro      0.500
         scored       2/5

answer: other figures
figure  macro  sum  scored
──────────────────────────
length  3.333   10     3/5

answer by agent and model: macro
         agent / model     coverage
───────────────────────────────────
words    crab / m       0.750 (2/2)
         heron              - (0/3)
letters  crab / m       0.667 (2/2)
         heron              - (0/3)

answer: not in the means, or set by a rule
outcome     cause         attempts  figures
───────────────────────────────────────────
not scored  metric_error         1  parts
not scored  missing_gold         1  parts
abstained                        2  length
abstained                        1  parts

rank
figure  macro  sum  scored
──────────────────────────
rank    1.200    6     5/5

rank by agent and model: macro
agent / model         rank
──────────────────────────
crab / m       1.500 (2/2)
heron          1.000 (3/3)

errors
metric  attempts  message
──────────────────────────────────────────────────────────
answer         1  RuntimeError: it went off (fakes.py:{line})
"""


def test_the_report_in_full() -> None:
    # words: 1/2 and 1/1, so macro 0.750 and micro 2/3; letters: 1/3 and 1/1, micro 2/4
    summary = _summary([AnswerMetric(), RankMetric()])
    (error,) = summary.errors
    line = error.message.rpartition(":")[2].rstrip(")")
    assert _printed(summary, 80) + "\n" == REPORT.format(line=line)


def test_one_family_needs_no_table_of_families() -> None:
    several = score_report(_summary([AnswerMetric(), RankMetric()])).tables
    one = score_report(_summary([AnswerMetric()])).tables
    assert several[0].title == "figures of all attempts, by family"
    assert several[0].title not in [table.title for table in one]


def test_outcomes_add_up_to_the_number_of_values() -> None:
    # words and letters of 5 attempts each: 2 scored, 1 abstained, 2 not scored
    table = score_report(_summary([AnswerMetric(), RankMetric()])).tables[0]
    for _, figures, values, *parts in table.rows:
        assert int(values) == 5 * int(figures) == sum(map(int, parts))


def test_the_report_as_markdown_has_the_same_tables() -> None:
    report = score_report(_summary([AnswerMetric(), RankMetric()]))
    text = to_markdown(report)
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == [
        table.title for table in report.tables
    ]
    assert "| letters | macro | 0.667 |\n|  | micro | 0.500 |\n|  | scored | 2/5 |\n" in text


@pytest.mark.parametrize("width", [20, 30, 40, 60, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    lines = _printed(_summary([Given(EVERYTHING), RankMetric()]), width).splitlines()
    assert max(map(len, lines)) <= width


def test_a_grid_that_does_not_fit_becomes_a_list() -> None:
    def table(width: int) -> Table:
        tables = score_report(_summary([AnswerMetric()]), width=width).tables
        return next(table for table in tables if table.title == "answer")

    assert table(25).header == ("", "", "coverage")
    assert table(24).header == ("figure", "macro", "micro", "sum", "scored")
    assert [row[0] for row in table(24).rows] == [
        "length",
        "parts.words.coverage",
        "parts.letters.coverage",
    ]


RATE = Figure(low=0, high=1, higher_is_better=True, numerator=("hits",), denominator=("tries",))


class Shared(Group):
    rate: Annotated[float | None, RATE] = None
    hits: int = 0
    tries: int = 0


class Alone(Group):
    only_here: Annotated[float | None, Figure(higher_is_better=False)] = None
    note: int | None = None


class Later(BaseModel):
    near: Shared
    far: Shared


class EverythingResult(Result):
    near: Shared
    far: Shared
    later: Later
    alone: Alone
    yes: bool | None = None


_SHARED = Shared(rate=0.5, hits=1, tries=2)
EVERYTHING = EverythingResult(
    near=_SHARED,
    far=Shared(outcome=Outcome.ASSIGNED, cause=Cause.TIMED_OUT, rate=0.0),
    later=Later(near=_SHARED, far=Shared(outcome=Outcome.NOT_SCORED, cause=Cause.NO_STEPS)),
    alone=Alone(only_here=12345.678, note=1234567),
    yes=True,
)


OUTCOMES = "given: not in the means, or set by a rule"


class Given:
    """Gives one result to every attempt."""

    name = "given"
    version = "1"
    requires = ()
    parameters: Mapping[str, JsonValue] = {"profile": "strict"}

    def __init__(self, result: Result) -> None:
        self._result = result
        self.result_type = type(result)

    def score(self, task: Task | None, trajectory: Trajectory) -> Result:
        return self._result


def test_groups_of_the_same_name_show_their_paths() -> None:
    report = score_report(_summary([Given(EVERYTHING)], ATTEMPTS[:1]))
    assert report.heading == "1 attempt · given (version 1, profile strict)"
    grid, others, outcomes = report.tables
    assert [row[0] for row in grid.rows if row[0]] == ["near", "far", "later.near"]
    assert [row[2] for row in grid.rows if row[1] == "macro"] == ["0.500", "0.000", "0.500"]
    assert others.rows == (
        ("yes", "1.000", "-", "1/1"),
        ("alone.only_here", "12,345.7", "-", "1/1"),
        ("alone.note", "1,234,567.0", "1,234,567", "1/1"),
    )
    assert outcomes.rows == (
        ("not scored", "no_steps", "1", "later.far"),
        ("assigned", "timed_out", "1", "far"),
    )


def test_a_figure_that_nobody_has_appears_only_among_the_outcomes() -> None:
    nothing = EverythingResult(
        near=_SHARED, far=_SHARED, later=Later(near=_SHARED, far=_SHARED), alone=Alone()
    )
    report = score_report(_summary([Given(nothing)], ATTEMPTS[:1]))
    assert [table.title for table in report.tables] == ["given", OUTCOMES]
    assert report.tables[1].rows == (("abstained", "", "1", "alone"),)


def test_file_names_are_shortened_if_still_distinct() -> None:
    def labels(*files: str) -> tuple[str, ...]:
        attempts = [Trajectory(task_id="one", source=Source(file=file)) for file in files]
        tables = score_report(_summary([RankMetric()], attempts)).tables
        (table,) = (table for table in tables if "by agent" in table.title)
        return tuple(row[0] for row in table.rows if row[0])

    assert labels("a/x.jsonl", "a/y.jsonl") == ("x", "y")
    assert labels("a/x.jsonl", "a/x.json") == ("x.jsonl", "x.json")
    assert labels("a/x.jsonl", "b/x.jsonl") == ("a/x.jsonl", "b/x.jsonl")


def test_figures_without_a_direction_stand_for_a_family_that_has_no_others() -> None:
    class Counted(Result):
        calls: int

    tables = score_report(_summary([Given(Counted(calls=3))], ATTEMPTS)).tables
    assert tables[1].title == "given by agent and model: macro"
    assert tables[1].header == ("agent / model", "calls")


def test_no_attempts_make_a_short_report() -> None:
    report = score_report(_summary([RankMetric()], []))
    assert (report.heading, report.tables) == ("0 attempts · rank (version 1)", ())


def test_text_is_never_read_for_markup() -> None:
    stream = io.StringIO()
    print_table(
        Table("", ("[bold]x",), (("[/nothing] [link=a]b",),)), Console(file=stream, width=80)
    )
    assert "[/nothing] [link=a]b" in stream.getvalue()
    assert "[bold]x" in stream.getvalue()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain \N{CRAB} text", "plain \N{CRAB} text"),
        ("\x1b[31mred\x07", r"\x1b[31mred\x07"),
        ("a\nb\tc", r"a\nb\tc"),
        ("\u202edrawkcab\ud800", r"\u202edrawkcab\ud800"),
    ],
)
def test_invisible_characters_are_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown
