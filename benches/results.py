"""Results of benchmark runs: their files, and the tables that documents make of them.

``make bench`` writes a file for the command and one for the kernels. ``python -m benches.results``
renders a selection into README.md and all of them into docs/peers.md, between two markers.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
import re
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = [
    "COMMAND",
    "DOCUMENTS",
    "Machine",
    "Results",
    "Row",
    "in_full",
    "in_readme",
    "markdown_line",
    "with_tables",
]

_HERE = Path(__file__).parent
RESULTS = (_HERE / "commands.json", _HERE / "results.json")
"""Runs that the documents show: of the command, and of everything else."""
_MARKED = re.compile(r"(?<=<!-- benchmarks -->\n).*(?=<!-- end of benchmarks -->)", re.DOTALL)
_TWIN = "python"
COMMAND = "trajmeter"
"""What rows measure that go from file to file; the others measure kernels."""


@dataclass(frozen=True)
class Machine:
    """The machine that the benchmarks ran on."""

    processor: str
    """Model of the processor."""
    cores: int
    """Number of cores."""
    system: str
    """Operating system."""
    python: str
    """Version of Python."""
    numpy: str
    """Version of numpy."""

    @classmethod
    def this(cls) -> Machine:
        """Describe the machine that this process runs on."""
        return cls(
            processor=_processor(),
            cores=os.cpu_count() or 1,
            system=f"{platform.system()} {platform.machine()}",
            python=platform.python_version(),
            numpy=version("numpy"),
        )

    def __str__(self) -> str:
        return (
            f"{self.processor}, {self.cores} cores, {self.system}, "
            f"Python {self.python}, numpy {self.numpy}"
        )


@dataclass(frozen=True)
class Row:
    """A case on a number of threads."""

    case: str
    """Kernel and workload."""
    threads: int
    """How many threads the contenders could use."""
    seconds: float | None
    """Median time of one call of the subject; None if it was not kept."""
    ratios: Mapping[str, float]
    """For each peer, its time over the subject's."""

    @property
    def kernel(self) -> str:
        """What was measured."""
        return self.case.partition(":")[0]


@dataclass(frozen=True)
class Results:
    """A run of the benchmarks."""

    command: str
    """The command that ran them."""
    date: str
    """The day, as YYYY-MM-DD."""
    machine: Machine
    """What they ran on."""
    rows: Sequence[Row]
    """The cases, in the order of the benchmark files."""

    @classmethod
    def of(cls, command: str, rows: Sequence[Row]) -> Results:
        """Return results measured today, on this machine."""
        today = dt.datetime.now(tz=dt.timezone.utc).date()
        return cls(command=command, date=str(today), machine=Machine.this(), rows=rows)

    @classmethod
    def read(cls, path: Path) -> Results:
        """Read results that `write` wrote."""
        fields = json.loads(path.read_text(encoding="utf-8"))
        machine, rows = Machine(**fields.pop("machine")), fields.pop("rows")
        return cls(**fields, machine=machine, rows=[Row(**row) for row in rows])

    def write(self, path: Path) -> None:
        """Write the results as JSON."""
        text = json.dumps(asdict(self), indent=2, ensure_ascii=False)
        path.write_text(f"{text}\n", encoding="utf-8")


def in_readme(runs: Iterable[Results]) -> str:
    """Render the tables of README: the command, and one workload of each kernel."""
    return _tables((run, _commands(run), _kernels(run)) for run in runs)


def in_full(runs: Iterable[Results]) -> str:
    """Render the command and every workload of the kernels."""
    return _tables(
        (run, _commands(run), [row for row in run.rows if row.kernel != COMMAND and row.ratios])
        for run in runs
    )


def _tables(runs: Iterable[tuple[Results, Sequence[Row], Sequence[Row]]]) -> str:
    return "\n".join("\n".join(_part(*run)) + "\n" for run in runs)


def _part(results: Results, commands: Sequence[Row], kernels: Sequence[Row]) -> list[str]:
    lines = [f"Measured by `{results.command}` on {results.date}: {results.machine}."]
    if commands:
        lines += [
            "From file to file, the start of the process included. Each figure says how many times",
            "longer a peer takes on the same file than `trajmeter`.",
            "",
            *_table(("from file to file", "time", "peers"), map(_command_cells, commands)),
        ]
    if commands and kernels:
        lines += ["", "Kernels:", ""]
    if kernels:
        headings = ("measured", "threads", "Python twin", "other libraries")
        lines += [
            "Each figure says how many times longer a peer takes than the compiled kernel.",
            "",
            *_table(headings, map(_kernel_cells, kernels)),
        ]
    return lines


def _command_cells(row: Row) -> tuple[str, ...]:
    seconds = "-" if row.seconds is None else f"{row.seconds:.2f} s"
    return row.case.partition(": ")[2], seconds, _peers(row)


def _kernel_cells(row: Row) -> tuple[str, ...]:
    twin = _times(row.ratios[_TWIN]) if _TWIN in row.ratios else "-"
    return row.case, str(row.threads), twin, _peers(row)


def _peers(row: Row) -> str:
    peers = sorted(row.ratios.keys() - {_TWIN})
    return ", ".join(f"{peer} {_times(row.ratios[peer])}" for peer in peers) or "-"


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [markdown_line(each) for each in (headings, ["---"] * len(headings), *rows)]


def markdown_line(cells: Iterable[str]) -> str:
    """Render one line of a table."""
    return f"| {' | '.join(cells)} |"


def _commands(results: Results) -> list[Row]:
    """Return the rows of the command, on all threads."""
    most = {row.case: row for row in sorted(results.rows, key=lambda row: row.threads)}
    return [row for row in results.rows if row.kernel == COMMAND and most[row.case] is row]


def _kernels(results: Results) -> list[Row]:
    """Choose one workload per kernel: of those with the most peers, the last and largest."""
    chosen: dict[str, Row] = {}
    for row in results.rows:
        best = chosen.get(row.kernel)
        if row.kernel == COMMAND:
            continue
        if row.ratios and (best is None or len(row.ratios) >= len(best.ratios)):
            chosen[row.kernel] = row
    cases = {row.case for row in chosen.values()}
    return [row for row in results.rows if row.case in cases]


def _times(ratio: float) -> str:
    return f"{float(f'{ratio:.3g}'):,.10g}x"


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"


_ROOT = Path(__file__).parents[1]
DOCUMENTS = {_ROOT / "README.md": in_readme, _ROOT / "docs" / "peers.md": in_full}
"""The documents that show results, and what renders them."""


def with_tables(document: Path) -> str:
    """Return the text of a document with the committed results in it."""
    table = DOCUMENTS[document](Results.read(file) for file in RESULTS if file.exists())
    return _MARKED.sub(lambda _: table, document.read_text(encoding="utf-8"))


def main() -> None:
    """Render the committed results into the documents."""
    for document in DOCUMENTS:
        document.write_text(with_tables(document), encoding="utf-8")


if __name__ == "__main__":
    main()
