"""Tables that compare agents: whose figures stand first, and how they fit a terminal."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import pytest
from pydantic import BaseModel
from rich.console import Console

from trajmeter.metrics import Figure, Headline, Listing, Mean, Result, metric
from trajmeter.records import Source, Task, Trajectory
from trajmeter.reports.scores import print_report, score_report, to_markdown
from trajmeter.scoring.files import score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

    from trajmeter.reports.tables import Table
    from trajmeter.summaries.summary import Summary

EXAMPLE = Path(__file__).parents[3] / "examples" / "context"


class RaceResult(Result):
    metres: Annotated[int | None, Figure(higher_is_better=True)] = None


class Rounds(BaseModel):
    mean: Annotated[Mean, Headline()]
    best: int | None


class RaceFigures(BaseModel):
    runs: int
    rounds: Rounds
    pace: Annotated[float | None, Headline("metres each")]
    falls: Annotated[Mean, Headline("falls")]
    farthest: str | None
    cheers: Annotated[dict[str, int], Listing("cheer", "times")]


class RaceAggregator:
    def __init__(self) -> None:
        self.metres: list[int] = []
        self.names: list[str] = []

    def add(self, task: Task | None, trajectory: Trajectory, result: Result) -> None:
        assert isinstance(result, RaceResult)
        self.names.append(trajectory.task_id)
        if result.metres is not None:
            self.metres.append(result.metres)

    def figures(self) -> RaceFigures:
        run, total = self.metres, len(self.names)
        mean = sum(run) / len(run) if run else None
        return RaceFigures(
            runs=total,
            rounds=Rounds(
                mean=Mean(value=mean, scored=len(run), total=total), best=max(run, default=None)
            ),
            pace=mean,
            falls=Mean(value=None, scored=0, total=total),
            farthest=self.names[run.index(max(run))] if run else None,
            cheers=dict.fromkeys(self.names, total),
        )


class RaceMetric:
    """Metres are what the output says; nothing without one."""

    name = "race"
    version = "1"
    requires = ()
    parameters: Mapping[str, JsonValue] = {}
    result_type = RaceResult

    def score(self, task: Task | None, trajectory: Trajectory) -> RaceResult:
        said = trajectory.final_output
        return RaceResult(metres=None if said is None else int(said))

    def aggregator(self) -> RaceAggregator:
        return RaceAggregator()


def attempt(agent: str, metres: int | None, task_id: str = "lap") -> Trajectory:
    said = None if metres is None else str(metres)
    return Trajectory(task_id=task_id, agent=agent, model="m", final_output=said)


ATTEMPTS = (attempt("crab", 4), attempt("crab", 2, "[i]hill"), attempt("heron", None))
NAMES = [f"walker-of-the-northern-shore-{number}" for number in range(8)]


def race(attempts: Sequence[Trajectory]) -> Summary:
    return score(attempts, metrics=[RaceMetric()]).summary


def printed(summary: Summary, width: int) -> list[str]:
    stream = io.StringIO()
    print_report(score_report(summary, width=width), Console(file=stream, width=width))
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def tables(summary: Summary, width: int | None = None) -> dict[str, Table]:
    return {table.title: table for table in score_report(summary, width=width).tables}


REPORT = """\
3 attempts · race (version 1)

race by agent and model
agent / model       rounds  metres each    falls
────────────────────────────────────────────────
crab / m       3.000 (2/2)        3.000  - (0/2)
heron / m          - (0/1)            -  - (0/1)

race: figures of the run
figure       crab / m  heron / m
────────────────────────────────
runs                2          1
rounds.best         4          -

race: farthest
agent / model  farthest
───────────────────────
crab / m       lap
heron / m      -

race: cheers
cheer    times
──────────────
lap          3
[i]hill      3

race: all attempts
figure  macro  sum  scored
──────────────────────────
metres  3.000    6     2/3

race: not in the means, or set by a rule
outcome    cause  attempts  figures
───────────────────────────────────────
abstained                1  all figures"""


def test_figures_that_compare_agents_stand_first() -> None:
    # crab: (4 + 2) / 2; heron said nothing, which is no 0
    assert "\n".join(printed(race(ATTEMPTS), 80)) == REPORT


def test_a_blank_agent_or_model_is_not_part_of_a_name() -> None:
    first, *_ = score_report(race((attempt("crab", 4), attempt("", 2)))).tables
    assert [row[0] for row in first.rows] == ["crab / m", "m"]


def test_they_stand_first_in_markdown_too() -> None:
    title, first = to_markdown(score_report(race(ATTEMPTS))).split("\n\n")[1:3]
    assert title == "## race by agent and model"
    assert first.splitlines() == [
        "| agent / model | rounds | metres each | falls |",
        "| --- | ---: | ---: | ---: |",
        "| crab / m | 3.000 (2/2) | 3.000 | - (0/2) |",
        "| heron / m | - (0/1) | - | - (0/1) |",
    ]


def test_texts_are_aligned_to_the_left_in_markdown() -> None:
    text = to_markdown(score_report(race(ATTEMPTS)))
    assert "| agent / model | farthest |\n| --- | --- |\n| crab / m | lap |" in text
    assert r"| \[i\]hill | 3 |" in text


def test_headlines_come_first() -> None:
    summary = race(ATTEMPTS)
    (metric,) = summary.metrics
    assert metric.headlines == {
        "rounds.mean": "rounds",
        "pace": "metres each",
        "falls": "falls",
    }
    assert metric.listings == {"cheers": ("cheer", "times")}
    keys = list(summary.model_dump())
    assert keys.index("groups") < keys.index("overall")
    keys = list(summary.groups[0].model_dump())
    assert keys.index("aggregates") < keys.index("figures")


def test_files_are_named_as_such_where_no_agent_is() -> None:
    attempts = [Trajectory(task_id="lap", final_output="4", source=Source(file="a/x.jsonl"))]
    first = tables(race(attempts))["race by agent and model"]
    assert (first.header[0], first.rows[0][0]) == ("file", "x")


def test_many_agents_without_any_figure_are_left_out_and_counted() -> None:
    def titles(count: int) -> list[str]:
        attempts = [Trajectory(task_id="t", agent="crab", final_output="a")]
        attempts += [Trajectory(task_id="t", agent=f"silent-{n}") for n in range(count)]
        summary = score(attempts, metrics=[length]).summary
        return [title for title in tables(summary, 80) if " by agent" in title]

    @metric
    def length(task: Task | None, trajectory: Trajectory) -> int | None:
        return len(trajectory.final_output) if trajectory.final_output else None

    assert titles(2) == ["length by agent and model: macro"]
    assert titles(3) == ["length by agent and model (1 of 4 have any): macro"]


def test_one_agent_has_a_row_too() -> None:
    shown = tables(race(ATTEMPTS[:2]), 80)
    assert shown["race by agent and model"].rows == (
        ("crab / m", "3.000 (2/2)", "3.000", "- (0/2)"),
    )
    assert shown["race: figures of the run"].header == ("figure", "crab / m")


def test_an_agent_without_scores_is_still_listed() -> None:
    shown = tables(race(ATTEMPTS[2:]), 80)
    assert shown["race by agent and model"].rows == (("heron / m", "- (0/1)", "-", "- (0/1)"),)
    assert shown["race: figures of the run"].rows == (("runs", "1"),)
    assert "race: farthest" not in shown
    assert "race: all attempts" not in shown


def test_nobody_is_compared_where_nothing_was_attempted() -> None:
    assert tables(race([])) == {}


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_many_agents_of_long_names_fit(width: int) -> None:
    lines = printed(race([attempt(name, 4) for name in NAMES]), width)
    assert max(map(len, lines)) <= width
    first = lines[lines.index("race by agent and model") :]
    assert "1/1" in " ".join(first[: first.index("")])
    # No number is broken, whatever becomes of the names beside it.
    assert sum(line.count("4.000 (1/1)") for line in lines) == len(NAMES)


def test_many_agents_are_rows_where_they_do_not_fit_as_columns() -> None:
    summary = race([attempt(name, 4) for name in NAMES])
    title = "race: figures of the run"
    assert tables(summary)[title].header == ("figure", *(f"{name} / m" for name in NAMES))
    assert tables(summary, 80)[title].header == ("agent / model", "runs", "rounds.best")


def test_columns_that_do_not_fit_are_shared_out_among_tables() -> None:
    shown = tables(race(ATTEMPTS), 35)
    assert shown["race by agent and model"].header == ("agent / model", "rounds", "metres each")
    assert shown["race by agent and model (continued)"].header == ("agent / model", "falls")
    assert [row[0] for row in shown["race by agent and model (continued)"].rows] == [
        "crab / m",
        "heron / m",
    ]


def test_a_grid_that_becomes_a_list_still_compares_agents_by_every_figure() -> None:
    files = {name: EXAMPLE / f"{name}.jsonl" for name in ("predictions", "gold", "snapshots")}
    scores = score(files["predictions"], tasks=files["gold"], snapshots=files["snapshots"])
    report = score_report(scores.summary, width=60)
    by_agent = [each for each in report.tables if "by agent and model" in each.title]
    headings = {heading for each in by_agent for heading in each.header}
    assert {"final.line.f1", "trajectory.line.redundancy", "edit_location.f1"} <= headings
