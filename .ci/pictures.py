"""Makes the pictures of README.md and docs/ from the bundled examples.

Called by ``make pictures``. ``docs/coverage.svg`` shows how much of the gold lines agents had seen
after each step; ``docs/report.png`` and ``docs/comparison.png`` are the reports of the examples as
headless Chromium shows them.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

import trajmeter
from trajmeter.reports.charts import Curve, CurveChart, standalone

_ROOT = Path(__file__).parents[1]
_DOCS = _ROOT / "docs"
_CONTEXT = _ROOT / "examples" / "context"
_SCENARIO = _ROOT / "examples" / "scenario"
_TASKS = ("shelf__shelf-1", "shelf__shelf-2")
_WIDTH, _HEIGHT = 1200, 1500


def _coverage() -> CurveChart:
    scores = trajmeter.score(
        _CONTEXT / "predictions.jsonl",
        tasks=_CONTEXT / "gold.jsonl",
        snapshots=_CONTEXT / "snapshots.jsonl",
    )
    curves = [
        (f"{row['model']}, {row['task_id']}", (0.0, *row["context.trajectory.line.coverage"]))
        for row in scores.rows
        if row["task_id"] in _TASKS
    ]
    return CurveChart(
        "Gold lines seen after each step",
        tuple(
            Curve(name, tuple(map(float, range(len(shares)))), shares, series=place)
            for place, (name, shares) in enumerate(sorted(curves))
        ),
        "step",
        "share of gold lines seen",
        high_end=1.0,
    )


def _trajmeter(*arguments: str, folder: Path) -> None:
    """Run the command; its tables are not what is wanted here."""
    command = [sys.executable, "-m", "trajmeter", *arguments]
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)


def _report(folder: Path) -> Path:
    rows, page = folder / "context.jsonl", folder / "report.html"
    log, gold = str(_CONTEXT / "predictions.jsonl"), str(_CONTEXT / "gold.jsonl")
    snapshots = str(_CONTEXT / "snapshots.jsonl")
    _trajmeter("score", log, "-t", gold, "--snapshots", snapshots, "-o", str(rows), folder=folder)
    shown = ("--trajectories", log, "-t", gold, "--snapshots", snapshots)
    _trajmeter("report", rows.name, *shown, "-o", page.name, folder=folder)
    return page


def _comparison(folder: Path) -> Path:
    agents = ("--agent", "agents:Searcher", "--agent", "agents:Chainer")
    judged = ("--mode", "capability", "--judge-replay", "judge.jsonl", "--output", str(folder))
    _trajmeter("run", ".", *agents, *judged, folder=_SCENARIO)
    results = sorted(file.name for file in folder.glob("*_lighthouse_*.json"))
    _trajmeter("compare", *results, "-o", "comparison.html", folder=folder)
    return folder / "comparison.html"


def main() -> None:
    """Make the pictures."""
    pictures = [_DOCS / "coverage.svg"]
    pictures[0].write_text(standalone(_coverage()), encoding="utf-8")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with TemporaryDirectory() as made, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for page in (_report(Path(made)), _comparison(Path(made))):
            shown = browser.new_page(viewport={"width": _WIDTH, "height": _HEIGHT})
            shown.goto(page.as_uri())
            picture = _DOCS / f"{page.stem}.png"
            shown.screenshot(path=picture)
            pictures.append(picture)
        browser.close()
    for picture in pictures:
        sys.stdout.write(f"{picture.relative_to(_ROOT)}\n")


if __name__ == "__main__":
    main()
