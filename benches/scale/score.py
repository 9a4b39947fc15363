"""Score one file in units: ``python -m benches.scale.score FILE METRIC OUTPUT WORKERS``.

``-t TASKS -s SNAPSHOTS`` may follow, for metrics that need repositories, and ``--threads N``.
"""

from __future__ import annotations

import sys

import trajmeter


def main() -> None:
    """Score."""
    file, metric, output, workers, *options = sys.argv[1:]
    beside = dict(zip(options[::2], options[1::2], strict=True))
    run = trajmeter.score_files(
        file,
        output=output,
        metrics=[metric],
        tasks=beside.get("-t", ()),
        snapshots=beside.get("-s"),
        workers=int(workers),
        threads=int(beside["--threads"]) if "--threads" in beside else None,
    )
    assert run.is_complete
    assert any(each.scored for each in run.summary.overall.figures.values())


if __name__ == "__main__":
    main()
