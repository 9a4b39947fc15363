"""Tables that compare agents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajmeter.reports.cells import NOTHING, amount, mean, visible
from trajmeter.reports.tables import Table, fitting, with_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from trajmeter.reports.scores.arrangement import Arrangement
    from trajmeter.summaries.summary import AttemptsSummary, FigureSummary, MetricSummary

__all__ = ["figures_by_agent", "figures_of_run"]

# From this number, agents without any figure of a family are omitted, as in mixed files.
_MANY = 3


def figures_of_run(
    metric: MetricSummary,
    overall: AttemptsSummary,
    groups: Sequence[AttemptsSummary],
    width: int | None,
) -> Iterator[Table]:
    """Tables of the family's figures of the run: those that compare agents, then the others.

    Args:
        metric: The family.
        overall: All attempts.
        groups: Attempts of each agent and model.
        width: Maximum length of a line; ``None`` for no limit.
    """
    naming, agents = _naming(groups), _labels(groups)
    runs = [dict(_flat(group.aggregates[metric.name], metric)) for group in groups]
    names = dict.fromkeys(name for run in runs for name in run)
    others = [name for name in names if name not in metric.headlines]
    texts = [name for name in others if any(isinstance(run.get(name), str) for run in runs)]
    cells = [{name: _cell(value) for name, value in run.items()} for run in runs]

    if metric.headlines:
        title = f"{metric.name} by agent and model"
        yield from fitting(_agent_rows(title, naming, agents, cells, metric.headlines), width)
    title = f"{metric.name}: figures of the run"
    numbers = {name: name for name in others if name not in texts}
    by_figure = _figure_rows(title, agents, cells, numbers)
    if len(list(fitting(by_figure, width))) == 1:
        yield by_figure
    else:
        yield from fitting(with_values(_agent_rows(title, naming, agents, cells, numbers)), width)
    for name in texts:
        rows = zip(agents, (cell.get(name, NOTHING) for cell in cells), strict=True)
        yield Table(f"{metric.name}: {name}", (naming, name), tuple(rows), texts=(0, 1))
    for name, headings in metric.listings.items():
        values = overall.aggregates[metric.name][name]
        listing = tuple((visible(text), amount(value)) for text, value in values.items())
        yield Table(f"{metric.name}: {name}", headings, listing)


def figures_by_agent(
    metric: str, arrangement: Arrangement, groups: Sequence[AttemptsSummary], width: int | None
) -> Iterator[Table]:
    """Tables of means over the agents' attempts: the grid, then some of the other figures.

    Args:
        metric: Name of the family.
        arrangement: Arrangement of its figures.
        groups: Attempts of each agent and model.
        width: Maximum length of a line; ``None`` for no limit.
    """
    naming = _naming(groups)
    names = [*arrangement.headlines.values()]
    names += [name for row in arrangement.grid.values() for name in row.values()]
    members = list(zip(_labels(groups), groups, strict=True))
    scored = [member for member in members if any(member[1].figures[name].scored for name in names)]
    title = f"{metric} by agent and model"
    if scored and len(members) - len(scored) >= _MANY:
        title += f" ({len(scored)} of {len(members)} have any)"
        members = scored

    header = tuple(dict.fromkeys(key for row in arrangement.grid.values() for key in row))
    rows: list[tuple[str, ...]] = []
    for label, row in arrangement.grid.items():
        if any(group.figures[name].scored for _, group in members for name in row.values()):
            heading = label
            for agent, group in members:
                figures = (group.figures[row[key]] if key in row else None for key in header)
                rows.append((heading, agent, *(_figure(each) if each else "" for each in figures)))
                heading = ""
    grid = Table(f"{title}: macro", ("", naming, *header), tuple(rows), texts=(0, 1))
    yield from fitting(grid, width)
    title = f"{title}: other figures" if arrangement.grid else f"{title}: macro"
    headings = {name: heading for heading, name in arrangement.headlines.items()}
    agents = [agent for agent, _ in members]
    cells = [{name: _figure(group.figures[name]) for name in headings} for _, group in members]
    yield from fitting(with_values(_agent_rows(title, naming, agents, cells, headings)), width)


def _naming(groups: Sequence[AttemptsSummary]) -> str:
    """Heading for the names of attempts."""
    return "file" if groups and all(group.source for group in groups) else "agent / model"


def _agent_rows(
    title: str,
    naming: str,
    agents: Sequence[str],
    cells: Sequence[Mapping[str, str]],
    headings: Mapping[str, str],
) -> Table:
    """One row per agent, one column per figure."""
    rows = (
        (agent, *(own.get(name, NOTHING) for name in headings))
        for agent, own in zip(agents, cells, strict=True)
    )
    return Table(title, (naming, *headings.values()), tuple(rows))


def _figure_rows(
    title: str,
    agents: Sequence[str],
    cells: Sequence[Mapping[str, str]],
    headings: Mapping[str, str],
) -> Table:
    """One row per figure that any agent has, one column per agent."""
    table = with_values(_agent_rows(title, "figure", agents, cells, headings))
    if not table.rows:
        return table
    header, *rows = zip(table.header, *table.rows, strict=True)
    return Table(title, header, tuple(rows))


def _flat(
    figures: Mapping[str, Any], metric: MetricSummary, prefix: str = ""
) -> Iterator[tuple[str, Any]]:
    """Figures of a run by dotted path, without those shown as separate tables."""
    for key, value in figures.items():
        name = f"{prefix}{key}"
        if name in metric.listings or isinstance(value, list):
            continue
        if isinstance(value, dict) and value.keys() != {"value", "scored", "total"}:
            yield from _flat(value, metric, f"{name}.")
        else:
            yield name, value


def _cell(value: dict[str, Any] | float | str | None) -> str:
    if isinstance(value, dict):
        return mean(value["value"], value["scored"], value["total"])
    return visible(value) if isinstance(value, str) else amount(value)


def _figure(figure: FigureSummary) -> str:
    return mean(figure.macro, figure.scored, figure.total)


def _labels(groups: Sequence[AttemptsSummary]) -> list[str]:
    """Names of sets of attempts: agent and model, or the file, shortened if still distinct."""
    files = {group.source for group in groups if group.source is not None}
    shortenings: tuple[Callable[[str], str], ...] = (_stem, _name, str)
    shorten = next(
        short for short in shortenings if len({short(file) for file in files}) == len(files)
    )
    return [_label(group, shorten) for group in groups]


def _label(group: AttemptsSummary, shorten: Callable[[str], str]) -> str:
    names = (group.agent, group.model, group.instance)
    named = " / ".join(filter(None, names))
    if named or group.source is None:
        return visible(named or "unnamed")
    return visible(shorten(group.source))


def _stem(file: str) -> str:
    return Path(file).stem


def _name(file: str) -> str:
    return Path(file).name
