"""Agentless by the rules of ContextBench's reader.

Only texts in lists count, and keys as Agentless writes them: ``line: N``, ``lines: A-B``,
``function:``, ``class:`` and ``variable:``. In a folder, merged locations exclude all others, even
if they have none of the task, and name definitions too; without them, each stage contributes what
it is for, and the lines of all samples are united.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.readers._logs.sessions import events
from trajmeter.readers._logs.values import as_list, as_mapping
from trajmeter.readers.contextbench.views import Span, merged_spans, views_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from trajmeter.readers.contextbench.views import NewView
    from trajmeter.records import ReadProblem

__all__ = ["StageReader", "record_views"]

_EDITS, _COMBINED = "edit_location_individual", "file_level_combined"
_MERGED = (
    f"{_EDITS}/loc_merged_*_outputs.jsonl",
    f"{_EDITS}/loc_all_merged_outputs.jsonl",
    "loc_all_merged_outputs.jsonl",
)
_CHOSEN = (f"{_COMBINED}/model_used_locs.jsonl", f"{_COMBINED}/combined_locs.jsonl")
_IDS = ("instance_id", "inst_id", "original_inst_id")

_LINES = re.compile(r"line\s*:\s*(\d{1,18})|lines\s*:\s*(\d{1,18})\s*-\s*(\d{1,18})")
_MENTIONS = ("line:", "lines:")
_NAMED = ("function:", "class:", "variable:")
_NAME = re.compile(r"(?:function\s*:\s*)?(?:class\s*:\s*)?(?:variable\s*:\s*)?(.*)", re.DOTALL)


def record_views(
    files: Iterable[object], related: object, samples: Iterable[object]
) -> list[NewView]:
    """The views of an object: lines are those of the first sample that mentions any."""
    places = (as_mapping(as_mapping(sample).get("edit_locs")) for sample in samples)
    chosen = next(filter(_mentions_lines, places), {})
    ranges = {path: _ranges(blocks) for path, blocks in chosen.items() if path}
    spans = {path: merged_spans(found) for path, found in ranges.items()}
    symbols = {path: _names(blocks) for path, blocks in as_mapping(related).items() if path}
    return views_of(_texts(files), spans, symbols)


class StageReader:
    """Reads the stages of a task from its folder."""

    def __init__(self, folder: Path, task_id: str, report: Callable[[ReadProblem], None]) -> None:
        self._folder, self._task_id, self._report = folder, task_id, report
        self.read = 0
        """Number of the task's records read so far."""

    def views(self) -> list[NewView]:
        """The views of the step."""
        found = (sorted(self._folder.glob(pattern)) for pattern in _MERGED)
        merged = next((files[:1] for files in found if files), None)
        parts = _Parts([], {}, {})
        if merged is not None:
            for record in self._records(merged):
                parts.add(record, places=[record.get("found_edit_locs")], are_named=True)
        else:
            self._add_files(parts)
            for record in self._below("related_elements"):
                related = record.get("found_related_locs") or record.get("related_locs")
                parts.add({"found_related_locs": related})
            for name in ("edit_location_samples", _EDITS):
                for record in self._below(name):
                    places = record.get("found_edit_locs")
                    parts.add({}, places=places if isinstance(places, list) else [places])
        return parts.views()

    def patch(self, file: str) -> str | None:
        """The patch of the task's first prediction; ``None`` if it has none."""
        found = next(self._records([self._folder / file]), {}).get("model_patch")
        return found if isinstance(found, str) else None

    def _add_files(self, parts: _Parts) -> None:
        for name in _CHOSEN:
            records = list(self._records([self._folder / name]))
            for record in records:
                chosen = (*as_list(record.get("found_files")), *as_list(record.get("files")))
                parts.files.extend(_texts(chosen))
            if records:
                break
        if not parts.files:
            for record in self._below("file_level"):
                parts.add({"found_files": record.get("found_files")})

    def _below(self, name: str) -> Iterator[dict[str, Any]]:
        files = (self._folder / name).rglob("*.json*")
        return self._records(sorted(file for file in files if file.suffix in (".json", ".jsonl")))

    def _records(self, files: Iterable[Path]) -> Iterator[dict[str, Any]]:
        for file in files:
            for event in events(file, self._report) if file.is_file() else ():
                ids = filter(None, map(event.value.get, _IDS))
                if next(ids, None) == self._task_id:
                    self.read += 1
                    yield event.value


class _Parts(NamedTuple):
    """The context of a folder so far."""

    files: list[str]
    symbols: dict[str, list[str]]
    ranges: dict[str, list[tuple[int, int]]]

    def add(
        self, record: Mapping[str, Any], places: Iterable[object] = (), *, are_named: bool = False
    ) -> None:
        """Add the files and definitions of a record, and the lines of places by file."""
        self.files.extend(_texts(as_list(record.get("found_files"))))
        for path, blocks in as_mapping(record.get("found_related_locs")).items():
            self.symbols.setdefault(path, []).extend(_names(blocks))
        for by_file in map(as_mapping, places):
            for path, blocks in by_file.items():
                self.ranges.setdefault(path, []).extend(_ranges(blocks))
                if are_named:
                    self.symbols.setdefault(path, []).extend(_names(blocks))

    def views(self) -> list[NewView]:
        """The views of all parts; each range and name counts once."""
        spans = {
            path: [Span(start=first, end=last) for first, last in sorted(set(ranges))]
            for path, ranges in self.ranges.items()
            if path
        }
        symbols = {path: list(dict.fromkeys(names)) for path, names in self.symbols.items() if path}
        return views_of(list(dict.fromkeys(self.files)), spans, symbols)


def _texts(values: Iterable[object]) -> list[str]:
    return list(dict.fromkeys(value for value in values if isinstance(value, str) and value))


def _mentions_lines(places: Mapping[str, object]) -> bool:
    texts = (text for blocks in places.values() for text in _blocks(blocks))
    return any(mention in text for text in texts for mention in _MENTIONS)


def _blocks(blocks: object) -> list[str]:
    return [each for each in blocks if isinstance(each, str)] if isinstance(blocks, list) else []


def _ranges(blocks: object) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for block in map(str.strip, _blocks(blocks)):
        whole = [block] if _LINES.fullmatch(block) else block.splitlines()
        for match in filter(None, (_LINES.fullmatch(row.strip()) for row in whole)):
            one, first, last = match.groups()
            ends = int(one or first), int(one or last)
            ranges.append((min(ends), max(ends)))
    return ranges


def _names(blocks: object) -> list[str]:
    rows = (row.strip() for block in _blocks(blocks) for row in block.splitlines())
    found = (_NAME.fullmatch(row) for row in rows if row.startswith(_NAMED))
    return list(dict.fromkeys(name for match in found if match and (name := match[1].strip())))
