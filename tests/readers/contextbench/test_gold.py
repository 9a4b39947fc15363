"""ContextBench gold, one record at a time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue, ValidationError

from trajmeter.errors import ReadError
from trajmeter.readers import read_tasks
from trajmeter.readers.contextbench import GOLD, gold
from trajmeter.records import GoldRange, GoldRole, Source, Task
from trajmeter.validation_errors import describe_error

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = Source(file="g.jsonl", line=7)
ITEM: dict[str, JsonValue] = {"file": "a.py", "start_line": 3, "end_line": 9, "content": "…"}
RANGE = GoldRange(path="a.py", first_line=3, last_line=9)
ADDED = GoldRange(path="b.py", first_line=1, last_line=1, role=GoldRole.ADDITIONAL)


def read(record: dict[str, JsonValue]) -> Task:
    assert GOLD.recognises(record)
    return GOLD.read(record, SOURCE)


def test_a_whole_record() -> None:
    task = read(
        {
            "instance_id": "Multi__go__1",
            "original_inst_id": "acme__widget-12",
            "repo": "widget",
            "language": "go",
            "base_commit": "c0ffee",
            "source": "Multi",
            "gold_context": [ITEM],
            "patch": "diff …",
            "test_patch": "diff …",
            "problem_statement": "It breaks.",
        }
    )
    assert task == Task(
        id="Multi__go__1",
        aliases=("acme__widget-12",),
        question="It breaks.",
        repo="widget",
        commit="c0ffee",
        language="go",
        gold_ranges=(RANGE,),
        gold_patch="diff …",
        source=SOURCE,
        extra={"source": "Multi", "test_patch": "diff …"},
    )


@pytest.mark.parametrize(
    ("contexts", "expected"),
    [
        ({"gold_context": [ITEM]}, (RANGE,)),
        ({"gold_context": json.dumps([ITEM])}, (RANGE,)),
        ({"init_ctx": [ITEM], "add_ctx": [{"file": "b.py"}]}, (RANGE, ADDED)),
        ({"init_ctx": json.dumps([ITEM]), "add_ctx": "[]"}, (RANGE,)),
        ({"add_ctx": [{"file": "b.py"}]}, (ADDED,)),
        ({"gold_ctx": [ITEM]}, (RANGE,)),
        # gold_ctx counts only where both others are empty.
        ({"gold_ctx": [ITEM], "init_ctx": [], "add_ctx": []}, (RANGE,)),
        ({"gold_ctx": [ITEM], "add_ctx": [{"file": "b.py"}]}, (ADDED,)),
        # Empty is one thing, not recorded another.
        ({"gold_context": []}, ()),
        ({"gold_context": "[]"}, ()),
        ({"init_ctx": [], "add_ctx": []}, ()),
        ({"gold_ctx": []}, ()),
        ({"gold_context": None}, None),
        ({"gold_context": ""}, None),
        ({"gold_context": " \n"}, None),
        ({"patch": "diff …"}, None),
        # Repeated, reversed and zero ranges are kept as written.
        (
            {"gold_context": [ITEM, ITEM, {"file": "c", "start_line": 9, "end_line": 0}]},
            (RANGE, RANGE, GoldRange(path="c", first_line=9, last_line=0)),
        ),
        (
            {"gold_context": [{"file": "c", "start_line": 4, "end_line": None}]},
            (GoldRange(path="c", first_line=4, last_line=1),),
        ),
    ],
)
def test_the_context_in_each_of_its_forms(
    contexts: dict[str, JsonValue], expected: tuple[GoldRange, ...] | None
) -> None:
    assert read({"inst_id": "i", **contexts}).gold_ranges == expected


@pytest.mark.parametrize(
    ("ids", "task_id", "aliases"),
    [
        ({"instance_id": "i"}, "i", ()),
        ({"inst_id": "i", "original_inst_id": "up"}, "i", ("up",)),
        ({"instance_id": "i", "original_inst_id": "i"}, "i", ()),
        ({"instance_id": "i", "inst_id": "j", "original_inst_id": "up"}, "i", ("j", "up")),
        ({"original_inst_id": "up", "instance_id": None}, "up", ()),
    ],
)
def test_other_ids_are_aliases(
    ids: dict[str, JsonValue], task_id: str, aliases: tuple[str, ...]
) -> None:
    task = read({**ids, "gold_context": []})
    assert (task.id, task.aliases) == (task_id, aliases)


def test_the_commit_goes_by_two_names() -> None:
    assert read({"inst_id": "i", "gold_ctx": [], "commit": "c0ffee"}).commit == "c0ffee"


@pytest.mark.parametrize(
    ("names", "repo"),
    [
        ({"repo_url": "https://example.org/acme/widget"}, "https://example.org/acme/widget"),
        ({"repo": "widget", "repo_url": "https://example.org/acme/widget"}, "widget"),
        ({"repo_url": None}, None),
    ],
)
def test_the_repository_goes_by_its_name_or_its_address(
    names: dict[str, JsonValue], repo: str | None
) -> None:
    """Two repositories may hold one commit, and snapshots are then told apart by the repository."""
    task = read({"inst_id": "t", "commit": "c0ffee", "gold_ctx": [], **names})
    assert task.repo == repo
    assert task.extra.get("repo_url") == names["repo_url"]


ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, "", "7", 0, 7, True, 7.0, 0.5, 2**63, -(2**63), [], {}]
)
ITEMS = st.fixed_dictionaries(
    {}, optional={"file": st.just("a.py") | ODD, "start_line": ODD, "end_line": ODD, "content": ODD}
)
CONTEXTS = st.lists(ITEMS | ODD, max_size=2) | ODD
RECORDS = st.fixed_dictionaries(
    {"inst_id": st.just("i") | ODD},
    optional={
        **dict.fromkeys(("gold_context", "init_ctx", "add_ctx", "gold_ctx"), CONTEXTS),
        **dict.fromkeys(("title", "repo_url", "instance_id", "repo", "commit", "patch"), ODD),
    },
)


@given(record=RECORDS)
def test_certain_lines_are_read_as_pydantic_validates_them(record: dict[str, Any]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gold, "_is_plain", lambda _: False)
        validated = _read(record)
    assert _read(record) == validated


def _read(record: dict[str, Any]) -> tuple[str, list[str]] | str:
    """What becomes of a record, with the order of what no reader knows."""
    try:
        task = GOLD.read(record, SOURCE)
    except (ReadError, ValidationError) as error:
        return str(error)
    assert task == Task.model_validate(task.model_dump())
    return repr(task), list(task.extra)


def test_a_record_without_id_is_refused() -> None:
    with pytest.raises(ReadError, match="no id: expected one of instance_id, inst_id"):
        read({"gold_context": []})


def test_labelled_text_is_not_empty_gold() -> None:
    text = "context1\N{FULLWIDTH COLON}\nfile: a.py\nstart_line: 1\nend_line: 2\n1 import os"
    with pytest.raises(ReadError, match="gold_context: expected a list of ranges, or one as JSON"):
        read({"instance_id": "i", "gold_context": text})


@pytest.mark.parametrize(
    ("context", "message"),
    [
        ({"file": "a.py"}, 'gold_context: expected a list, got {"file": "a.py"}'),
        ('{"file": "a.py"}', 'gold_context: expected a list, got {"file": "a.py"}'),
        (["a.py"], 'gold_context[0]: expected an object, got "a.py"'),
        ([ITEM, {}], "gold_context[1].file: required, but missing from {}"),
        ([{"file": None}], "gold_context[0].file: expected text, got null"),
        (
            [{"file": "a", "start_line": "x"}],
            '[0].start_line: expected an integer, got "x"',
        ),
        ([{"file": "a", "end_line": 2**63}], "gold_context[0].end_line: expected at most 9223"),
    ],
)
def test_a_wrong_context_is_reported_with_its_place(context: Any, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        read({"instance_id": "i", "gold_context": context})
    assert message in describe_error(caught.value)


def test_all_published_gold_is_read_whole(reference_data: Path) -> None:
    files = sorted((reference_data / "contextbench").glob("**/gold.jsonl"))
    records = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    tasks = list(read_tasks(files))
    assert len(tasks) == len(records) == 200
    for record, task in zip(records, tasks, strict=True):
        context = record["gold_context"]
        assert task.gold_ranges == tuple(
            GoldRange(path=c["file"], first_line=c["start_line"], last_line=c["end_line"])
            for c in context
        )
        assert {task.id, *task.aliases} == {record["instance_id"], record["original_inst_id"]}
        assert task.gold_patch == record["patch"]
