"""The results of a run of the benchmarks, kept in a file, and the table that README makes of them.

``python -m benches --output benches/results.json`` writes the file; ``python -m benches.results``
renders it into README.md, between two markers.
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

__all__ = ["Machine", "Results", "Row", "in_readme", "markdown_line"]

RESULTS = Path(__file__).parent / "results.json"
README = Path(__file__).parents[1] / "README.md"
_MARKED = re.compile(r"(?<=<!-- benchmarks -->\n).*(?=<!-- end of benchmarks -->)", re.DOTALL)
_TWIN = "python"


@dataclass(frozen=True)
class Machine:
    """What the benchmarks ran on."""

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
    """One case on one number of threads."""

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
        """Results measured today, on this machine."""
        today = dt.datetime.now(tz=dt.timezone.utc).date()
        return cls(command=command, date=str(today), machine=Machine.this(), rows=rows)

    @classmethod
    def read(cls, path: Path) -> Results:
        """Read what `write` wrote."""
        fields = json.loads(path.read_text(encoding="utf-8"))
        machine, rows = Machine(**fields.pop("machine")), fields.pop("rows")
        return cls(**fields, machine=machine, rows=[Row(**row) for row in rows])

    def write(self, path: Path) -> None:
        """Write the results as JSON."""
        text = json.dumps(asdict(self), indent=2, ensure_ascii=False)
        path.write_text(f"{text}\n", encoding="utf-8")


def in_readme(results: Results) -> str:
    """Render what README shows: for each kernel, the workload that most peers were timed on."""
    others = sorted({peer for row in _shown(results) for peer in row.ratios} - {_TWIN})
    headings = ("measured", "threads", "Python twin", "other libraries")
    lines = [
        f"Measured by `{results.command}` on {results.date}: {results.machine}.",
        "Each figure says how many times longer a peer takes than the compiled kernel.",
        "",
        markdown_line(headings),
        markdown_line(["---"] * len(headings)),
    ]
    for row in _shown(results):
        twin = _times(row.ratios[_TWIN]) if _TWIN in row.ratios else "-"
        peers = [f"{peer} {_times(row.ratios[peer])}" for peer in others if peer in row.ratios]
        lines.append(markdown_line((row.case, str(row.threads), twin, ", ".join(peers) or "-")))
    return "\n".join(lines) + "\n"


def markdown_line(cells: Iterable[str]) -> str:
    """Render one line of a table."""
    return f"| {' | '.join(cells)} |"


def _shown(results: Results) -> list[Row]:
    """Choose one workload a kernel: of those with the most peers, the last and largest."""
    chosen: dict[str, Row] = {}
    for row in results.rows:
        best = chosen.get(row.kernel)
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


def main() -> None:
    """Render the committed results into README.md."""
    table = in_readme(Results.read(RESULTS))
    text = README.read_text(encoding="utf-8")
    README.write_text(_MARKED.sub(lambda _: table, text), encoding="utf-8")


if __name__ == "__main__":
    main()
