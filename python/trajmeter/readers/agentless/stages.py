"""Agentless localisations and patches: one object per task, or a folder of its stages.

Agentless does not run in a loop: it narrows down the places to edit in stages. As in ContextBench,
its result is both the final context and the context of its only step: the files of the last stage
that names any, the definitions of the fourth, and the lines of the first sample that has lines.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.sessions import events, stem_of
from trajmeter.readers._logs.values import as_list, as_object, as_text
from trajmeter.readers._recognition.formats import Evidence, FileFormat, RecordFormat
from trajmeter.readers.agentless.contextbench import StageReader, record_views
from trajmeter.readers.contextbench.views import Span, merged_spans, views_of
from trajmeter.records import ReadProblem, Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pydantic import JsonValue

    from trajmeter.readers.contextbench.views import NewView

__all__ = ["FOLDERS", "TRAJECTORIES"]

_FIRST, _FILES = "2_embedding_selected_files", "3_final_combined_files"
_RELATED, _SAMPLES = "4_related_elements", "5_sampled_edit_locs_and_patches"
_PATCH = "6_final_selected_patch"
_STAGES = frozenset((_FIRST, _FILES, _RELATED, _SAMPLES, _PATCH))
_SUFFIX = "_traj"

_MERGED = ("loc_merged_*_outputs.jsonl", "loc_all_merged_outputs.jsonl")
_EDITS = "edit_location_individual"
_COMBINED = "file_level_combined"
_LOCATIONS = (
    f"{_COMBINED}/model_used_locs.jsonl",
    f"{_COMBINED}/combined_locs.jsonl",
    "file_level/*.jsonl",
    "related_elements/*.jsonl",
    "edit_location_samples/*.jsonl",
    f"{_EDITS}/*.jsonl",
)
_PATCHES = "all_preds.jsonl"
_NOTHING = "none of the stages of Agentless in the folder can be read"
_FOLDER = re.compile(r"\d+_(?P<id>.+)", re.DOTALL)

_LINES = re.compile(r"\s*lines?:\s*(\d{1,18})(?:\s*-\s*(\d{1,18}))?\s*", re.IGNORECASE)
_NAMES = re.compile(r"\s*(?:function|class|method|variable):\s*(\S.*?)\s*", re.IGNORECASE)


def _recognises(record: Mapping[str, JsonValue]) -> Evidence | None:
    known = len(_STAGES & record.keys())
    return (Evidence.CERTAIN if known > 1 else Evidence.LIKELY) if known else None


def _read(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert a record to a trajectory."""
    samples = [as_object(sample) or {} for sample in as_list(record.get(_SAMPLES))]
    views = _views(
        _texts(record.get(_FILES)) or _texts(record.get(_FIRST)),
        record.get(_RELATED),
        (sample.get("edit_locs") for sample in samples),
    )
    return _trajectory(_task_of(record, source), source, views, record.get(_PATCH))


def _read_as_contextbench(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert a record to a trajectory with views as ContextBench counts them."""
    files = record.get(_FILES) or record.get(_FIRST)
    views = record_views(as_list(files), record.get(_RELATED), as_list(record.get(_SAMPLES)))
    return _trajectory(_task_of(record, source), source, views, record.get(_PATCH))


def _task_of(record: Mapping[str, JsonValue], source: Source) -> str:
    named = as_text(record.get("instance_id"))
    return named or stem_of(Path(source.file)).removesuffix(_SUFFIX)


def _views(files: list[str], related: JsonValue, samples: Iterable[JsonValue]) -> list[NewView]:
    symbols = {path: _names(blocks) for path, blocks in _by_file(related).items()}
    spans = next((found for found in map(_spans, samples) if found), {})
    return views_of(files, spans, symbols)


def _trajectory(task_id: str, source: Source, views: list[NewView], patch: JsonValue) -> Trajectory:
    return Trajectory.model_validate(
        {
            "task_id": task_id,
            "agent": "agentless",
            "source": source,
            "turns": [{"number": 1, "views": views}],
            "final_views": views,
            "final_patch": patch if isinstance(patch, str) else None,
        }
    )


def _recognises_folder(path: Path, _: bytes) -> Evidence | None:
    if not path.is_dir():
        return None
    is_one = (path / _EDITS).is_dir() or (path / _COMBINED).is_dir() or _has_only_a_patch(path)
    return Evidence.CERTAIN if is_one else None


def _has_only_a_patch(path: Path) -> bool:
    """Whether the folder of a task has predictions, and of no other task."""
    match = _FOLDER.fullmatch(path.resolve().name)
    if match is None or not (path / _PATCHES).is_file():
        return False
    is_found = False
    for event in events(path / _PATCHES, lambda _: None):  # those of a whole run may be many
        if event.value.get("instance_id") != match["id"]:
            return False
        is_found = True
    return is_found


def _read_folder(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """Read the stages of one task from its folder."""
    task_id = _task_of_folder(path)

    def lines(*patterns: str) -> list[dict[str, Any]]:
        files = [file for pattern in patterns for file in sorted(path.glob(pattern))]
        found = [event.value for file in files for event in events(file, report)]
        return [each for each in found if each.get("instance_id", task_id) == task_id]

    merged = next(iter(sorted((path / _EDITS).glob(_MERGED[0]))), path / _EDITS / _MERGED[1])
    located = lines(str(merged.relative_to(path))) or lines(*_LOCATIONS)
    patches = [each["model_patch"] for each in lines(_PATCHES) if "model_patch" in each]
    if not located and not patches:
        report(ReadProblem(file=str(path), message=_NOTHING))
        return
    related: dict[str, list[JsonValue]] = {}
    for each in located:
        for file, blocks in _by_file(each.get("found_related_locs")).items():
            related.setdefault(file, []).extend(blocks)
    views = _views(
        list(dict.fromkeys(file for each in located for file in _texts(each.get("found_files")))),
        {file: list(blocks) for file, blocks in related.items()},
        (sample for each in located for sample in _samples(each.get("found_edit_locs"))),
    )
    made = _trajectory(task_id, Source(file=str(path)), views, patches[-1] if patches else None)
    yield made if located else made.model_copy(update={"turns": None, "final_views": None})


def _read_folder_as_contextbench(
    path: Path, report: Callable[[ReadProblem], None]
) -> Iterator[Trajectory]:
    """Read the stages of one task with views as ContextBench counts them."""
    stages = StageReader(path, _task_of_folder(path), report)
    views, patch = stages.views(), stages.patch(_PATCHES)
    if not stages.read:
        report(ReadProblem(file=str(path), message=_NOTHING))
        return
    yield _trajectory(_task_of_folder(path), Source(file=str(path)), views, patch)


def _task_of_folder(path: Path) -> str:
    name = path.resolve().name
    match = _FOLDER.fullmatch(name)
    return match["id"] if match else name


def _samples(locations: JsonValue) -> list[JsonValue]:
    """The samples of a stage: a single one or a list."""
    return list(locations) if isinstance(locations, list) else [locations]


def _texts(value: JsonValue) -> list[str]:
    return [item for item in as_list(value) if isinstance(item, str)]


def _by_file(value: JsonValue) -> dict[str, list[JsonValue]]:
    """Blocks by file; a list of such objects is combined."""
    found: dict[str, list[JsonValue]] = {}
    for each in value if isinstance(value, list) else [value]:
        for path, blocks in (as_object(each) or {}).items():
            found.setdefault(path, []).extend(blocks if isinstance(blocks, list) else [blocks])
    return found


def _rows(blocks: Iterable[JsonValue]) -> Iterator[str]:
    for block in blocks:
        for text in block if isinstance(block, list) else [block]:
            if isinstance(text, str):
                yield from text.splitlines()


def _names(blocks: Iterable[JsonValue]) -> list[str]:
    found = (_NAMES.fullmatch(row) for row in _rows(blocks))
    return list(dict.fromkeys(match[1] for match in found if match))


def _spans(sample: JsonValue) -> dict[str, list[Span]]:
    """The lines of a sample merged per file; reversed ranges are put in order."""
    spans: dict[str, list[Span]] = {}
    for path, blocks in _by_file(sample).items():
        found = [match for row in _rows(blocks) if (match := _LINES.fullmatch(row))]
        ranges = [sorted((int(match[1]), int(match[2] or match[1]))) for match in found]
        if ranges:
            spans[path] = merged_spans(ranges)
    return spans


_CARRIES = ("agent", "turns.number", "turns.views", "final_views", "final_patch")
_ORIGIN = "Agentless, as ContextBench keeps its results"

TRAJECTORIES = RecordFormat(
    name="agentless-trajectories",
    description="trajectories of Agentless",
    makes=Trajectory,
    keys=_STAGES,
    carries=_CARRIES,
    origin=_ORIGIN,
    recognises=_recognises,
    read=_read,
    profile_reads={"contextbench": _read_as_contextbench},
)

FOLDERS = FileFormat(
    name="agentless-folders",
    description="folders of Agentless",
    makes=Trajectory,
    carries=_CARRIES,
    origin=_ORIGIN,
    recognises=_recognises_folder,
    folder_files=frozenset({_EDITS, _COMBINED, _PATCHES}),
    records=_read_folder,
    profile_records={"contextbench": _read_folder_as_contextbench},
)
