"""Context figures in plain Python, from a file of predictions to a file of figures.

``python benches/pure_context.py PREDS GOLD SNAPSHOTS OUT`` represents a benchmark's own evaluation:
it reads JSON lines, follows each trajectory step by step, and writes a line for each. It computes
coverage and precision of the final context and AUC-coverage of the steps, for files, definitions,
bytes and lines, but not redundancy and nothing about patches.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, TypeAlias

Spans: TypeAlias = "list[tuple[int, int]]"
Seen: TypeAlias = "dict[str, dict[Any, Any]]"


def _merged(spans: Spans) -> Spans:
    merged: Spans = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _measure(spans: Spans) -> int:
    return sum(end - start for start, end in spans)


def _shared(spans: Spans, others: Spans) -> int:
    return sum(
        max(min(end, other_end) - max(start, other_start), 0)
        for start, end in spans
        for other_start, other_end in others
    )


class Context:
    """What was seen: files, definitions, bytes and lines."""

    def __init__(self, snapshot: dict[str, Any]) -> None:
        self._snapshot = snapshot
        self.files: set[str] = set()
        self.symbols: set[tuple[str, int, int]] = set()
        self.spans: dict[str, Spans] = {}
        self.lines: dict[str, Spans] = {}

    def add(self, path: str, first: int, last: int) -> None:
        """Add lines of a file."""
        file = self._snapshot[path]
        starts = file["line_starts"]
        start, end = starts[first - 1], starts[last] if last < len(starts) else file["size"]
        self.files.add(path)
        self.spans[path] = _merged([*self.spans.get(path, []), (start, end)])
        self.lines[path] = _merged([*self.lines.get(path, []), (first, last + 1)])
        for _kind, begin, stop, _name in file["definitions"]:
            if begin < end and start < stop:
                self.symbols.add((path, begin, stop))

    def sizes(self) -> dict[str, int]:
        """Return how much was seen."""
        return {
            "file": len(self.files),
            "symbol": len(self.symbols),
            "span": sum(map(_measure, self.spans.values())),
            "line": sum(map(_measure, self.lines.values())),
        }

    def shared(self, gold: Context) -> dict[str, int]:
        """Return how much of what was seen is gold."""
        return {
            "file": len(self.files & gold.files),
            "symbol": len(self.symbols & gold.symbols),
            "span": sum(_shared(self.spans.get(p, []), spans) for p, spans in gold.spans.items()),
            "line": sum(_shared(self.lines.get(p, []), spans) for p, spans in gold.lines.items()),
        }

    def see(self, spans: dict[str, list[dict[str, Any]]]) -> None:
        """Add the files and lines of a step."""
        for path, views in spans.items():
            for view in views:
                self.add(path, view["start"], view["end"])


def score(data: dict[str, Any], gold: Context, snapshot: dict[str, Any]) -> dict[str, float]:
    """Return the figures of one prediction."""
    sizes = gold.sizes()
    seen = Context(snapshot)
    curves: dict[str, list[float]] = {name: [] for name in sizes}
    for step in data["pred_steps"]:
        seen.see(step["spans"])
        for name, size in seen.shared(gold).items():
            curves[name].append(size / sizes[name])
    final = Context(snapshot)
    final.see(data["pred_spans"])
    predicted, shared = final.sizes(), final.shared(gold)
    figures = {}
    for name in sizes:
        figures[f"final.{name}.coverage"] = shared[name] / sizes[name]
        figures[f"final.{name}.precision"] = shared[name] / predicted[name]
        figures[f"trajectory.{name}.auc_coverage"] = sum(curves[name]) / len(curves[name])
    return figures


def main(predictions: str, gold: str, snapshots: str, output: str) -> None:
    """Score a file."""
    stores = {}
    for line in Path(snapshots).open():  # noqa: SIM115 - as a short script would
        snapshot = json.loads(line)
        stores[snapshot["repo"]] = snapshot["files"]
    tasks = {}
    for line in Path(gold).open():  # noqa: SIM115 - likewise
        task = json.loads(line)
        context = Context(stores[task["repo"]])
        for place in task["gold_context"]:
            context.add(place["file"], place["start_line"], place["end_line"])
        tasks[task["instance_id"]] = (context, stores[task["repo"]])
    with Path(output).open("w") as file, Path(predictions).open() as lines:
        for line in lines:
            record = json.loads(line)
            figures = score(record["traj_data"], *tasks[record["instance_id"]])
            file.write(json.dumps({"instance_id": record["instance_id"], **figures}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
