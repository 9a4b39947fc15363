"""Samples of Inspect read into columns in Rust, beside reading them as records."""

from __future__ import annotations

import copy
import json
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.readers.both_ways import as_batches, as_records
from tests.readers.inspect.archives import STORED, archive
from tests.readers.inspect.samples import (
    CALL,
    CALLED,
    HEADER,
    SAID,
    USAGE,
    answered,
    begin,
    gave,
    ran,
    sample,
)
from tests.readers.messages.any_messages import anything, conversations, counts, texts, usages
from tests.readers.messages.test_columns import COLUMNS
from tests.readers.test_mutated_logs import VALUES, mutated, places

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.usefixtures("rust")

AT = "2026-01-02T03:04:05.123456+00:00"
times = st.sampled_from(
    [None, AT, "2026-01-02T03:04:06Z", "2026-01-02 03:04:07", "noon", "2026-01-02T03:04:08.5-01:30"]
)
results = st.one_of(
    texts,
    st.sampled_from(["attachment://aa", "attachment://absent", "attachment:\\/\\/aa"]),
    st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": texts}), max_size=2),
    anything,
)
ids = st.sampled_from(["c1", "c2", None, ""])
spans = st.sampled_from(["agent", "tool-1", "tool-2", "scorers", None])
tools = st.sampled_from(["bash", "python", "search", None])


def some(**optional: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=optional)


events = st.one_of(
    st.builds(
        lambda name, arguments, at: answered(
            {**CALLED, "tool_calls": [{**CALL, "function": name, "arguments": arguments}]}, at
        ),
        st.sampled_from(["bash", "python", "search"]),
        st.dictionaries(st.sampled_from(["command", "code"]), results, max_size=2),
        st.integers(0, 40),
    ),
    st.builds(gave, results, st.integers(0, 40)),
    st.builds(
        lambda content, error: answered({**SAID, "content": content}, 3, error=error),
        st.sampled_from(["", [], None, "Done.", "attachment://absent"]),
        st.sampled_from(["Error code: 500", "", None, 3, {"message": "x"}]),
    ),
    st.builds(
        lambda action, kind: {"event": "step", "action": action, "type": kind},
        st.sampled_from(["begin", "end", None]),
        st.sampled_from(["scorer", "solver", None]),
    ),
    st.builds(lambda usage: answered({**SAID, "usage": usage}, 3, span_id="scorers"), usages),
    st.builds(ran, st.integers(-1, 2), spans),
    st.builds(
        begin, st.sampled_from(["tool", "agent", "scorers"]), tools, spans.filter(bool), spans
    ),
    some(
        event=st.sampled_from(["tool", "model", "sandbox", "span_begin", "step", "info"]),
        id=ids,
        type=st.sampled_from(["tool", "scorers", "scorer", None]),
        name=tools,
        function=tools,
        span_id=spans,
        parent_id=spans,
        timestamp=times,
        completed=times,
        result=results | st.sampled_from([0, 1, True, 1.0]),
        error=st.none() | some(message=texts),
        failed=st.sampled_from([None, True, False, 1, ""]),
        pending=st.sampled_from([None, True, False]),
        action=st.sampled_from(["exec", "read_file", "begin", "end"]),
        events=st.just([gave("inner", 7), None]),
    ),
)


@st.composite
def samples(draw: st.DrawFn) -> dict[str, Any]:
    """A sample; in some something is as it should not be."""
    found: list[Any] = copy.deepcopy(sample()["events"])
    for event in draw(st.lists(events, max_size=4)):
        found.insert(draw(st.integers(0, len(found))), event)
    fields = draw(
        some(
            id=st.sampled_from(["a/b", 7, 2**70, None, True, ""]),
            epoch=st.sampled_from([1, None, "2", 1.0]),
            input=st.sampled_from(
                ["attachment://aa", None, [{"role": "user", "content": "Mend."}]]
            ),
            messages=conversations(),
            events=st.just([]),
            scores=st.none() | st.dictionaries(texts, some(value=anything), max_size=2),
            metadata=st.none() | some(repo=texts, note=st.just("attachment://aa"), api_key=texts),
            model_usage=st.none()
            | st.dictionaries(st.sampled_from(["org/m", "m", "n"]), st.just(USAGE), max_size=2),
            total_time=counts,
            limit=st.none()
            | some(
                type=st.sampled_from(["turn", "token", "operator", None]),
                limit=st.sampled_from([14, 14.0, 0.00001, 1e20, "x", None, True]),
                reason=texts,
            ),
            error=st.none()
            | some(
                message=texts | st.sampled_from(["Prompt is too long: 9 > 8", "É context window"])
            ),
            output=st.none() | some(completion=results),
        )
    )
    one = sample(**{"events": found, **fields})
    if draw(st.integers(0, 2)) == 0:
        at = draw(st.sampled_from(places(one)[1:]))
        one = mutated(one, at, draw(VALUES), is_gone=draw(st.booleans()))
    return one


def same(
    found: Sequence[Any], columns: Sequence[str] | None = COLUMNS, header: Any = HEADER
) -> int:
    """Hold both readers to the same rows and problems; how many were read as records."""
    entries = [(f"samples/s{number}_epoch_1.json", each) for number, each in enumerate(found)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.eval")
        path.write_bytes(archive(("header.json", header), *entries, method=STORED))
        read, as_record = as_batches(path, columns)
        assert read == as_records(path, columns)
        if isinstance(header, dict) and isinstance(header.get("eval"), dict):
            document = Path(folder, "run.json")
            document.write_text(json.dumps(document_of(found, header)))
            read, also_as_record = as_batches(document, columns)
            assert read == as_records(document, columns)
            # A document in which some value is odd may be left as a whole, which counts once.
            assert also_as_record in {as_record, 1} or header is not HEADER
    return as_record


def document_of(found: Sequence[Any], header: dict[str, Any] = HEADER) -> dict[str, Any]:
    return {"version": 2, "status": "success", **header, "samples": [*found]}


@pytest.mark.parametrize("indent", [None, 2])
def test_samples_of_a_document(tmp_path: Path, indent: int | None) -> None:
    found: list[Any] = [sample(id=f"t{number}", metadata={}) for number in range(100)]
    found[3], found[70] = [1], sample(id=None)
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document_of(found), indent=indent))
    read, as_record = as_batches(path, COLUMNS)
    assert read == as_records(path, COLUMNS)
    assert [problem.record for problem in read.problems] == ["samples[3]", "samples[70]"]
    assert (len(read.rows), as_record) == (98, 2)


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(document_of([sample()])).replace('"samples"', '"samples": [], "samples"'),
        json.dumps(document_of([sample()])).replace("[", "[NaN, ", 1),
        json.dumps(document_of([sample()]))[:-1],
        "\ufeff" + json.dumps(document_of([sample()])),
        json.dumps({**document_of([]), "samples": {}}),
        json.dumps(document_of([[[[]] * 9] * 9])),
        json.dumps(document_of([json.loads("[" * 150 + "]" * 150)])),
    ],
    ids=["twice", "NaN", "cut", "mark", "no list", "lists", "deep"],
)
def test_documents_that_are_odd(tmp_path: Path, content: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(content)
    for columns in (None, ["task_id"]):
        assert as_batches(path, columns)[0] == as_records(path, columns)


def test_a_plain_sample_is_read_in_rust() -> None:
    assert same([sample(metadata={"repo": "r"})]) == 0
    assert same([sample()]) == 1  # what may be a secret is for the record reader
    assert same([sample()], ["turns.duration_seconds", "turns.tool_calls", "failure"]) == 0
    assert same([sample()], ["turns.views", "leaks"]) == 0


def test_attachments_replace_their_references() -> None:
    arguments = {"command": "attachment://aa", "more": [{"x": "attachment://aa"}], "n": 1}
    call = {**CALL, "view": {}, "arguments": arguments}
    message = {**CALLED, "content": "attachment://aa", "tool_calls": [call]}
    found = sample(events=[answered(message, 1), gave("attachment://aa", 5)], metadata={})
    assert same([{**found, "input": "attachment://aa", "attachments": {"aa": 'long "x"\n'}}]) == 0
    assert same([{**found, "attachments": {"aa": [1]}}]) == 0


def test_attachments_are_not_calls_or_messages() -> None:
    named = "attachment://aa"
    called = sample(events=[answered({**CALLED, "tool_calls": [named]}, 1)], metadata={})
    assert same([{**called, "attachments": {"aa": CALL}}]) == 1
    left = sample(events=[], metadata={}, messages=named)
    assert same([{**left, "attachments": {"aa": [{"role": "assistant", "content": "x"}]}}]) == 0
    left = sample(events=[], metadata={}, messages=[named])
    assert same([{**left, "attachments": {"aa": {"role": "assistant", "content": "x"}}}]) == 0


def test_a_log_whose_name_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff.eval")
    try:
        path.write_bytes(archive(("header.json", HEADER), ("samples/a_epoch_1.json", sample())))
    except OSError:
        pytest.skip("names of files are text here")
    read, _ = as_batches(path, COLUMNS)
    assert (len(read.rows), read.problems) == (1, [])


def test_many_keys_in_linear_time() -> None:
    many = range(100_000)
    call = {**CALL, **{f"view {number}": 1 for number in many}}
    found = sample(
        events=[answered({**CALLED, "tool_calls": [call, {**call, "id": "c2"}]}, 1)],
        # To compare each with the others takes longer than a test may.
        scores={f"{number:06}": {"value": 1} for number in range(600_000)},
        metadata={},
    )
    content = re.sub(rb'"view \d+"', b'"view"', json.dumps(found).encode(), count=len(many))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.eval")
        path.write_bytes(archive(("header.json", HEADER), ("samples/a_epoch_1.json", content)))
        read, as_record = as_batches(path, ["turns.text", "metadata"])
    assert (len(read.rows), as_record) == (1, 0)


@pytest.mark.parametrize(
    ("limit", "error"),
    [
        ({"type": "turn", "limit": 14.0}, None),
        ({"type": "operator", "limit": None}, None),
        ({"type": "context", "limit": 5, "reason": "full"}, None),
        (None, {"message": "prompt is too long: 9 tokens > 8"}),
        (None, {"message": "the gauge fell"}),
    ],
)
def test_ends_of_runs(limit: Any, error: Any) -> None:
    assert same([sample(limit=limit, error=error, metadata={})]) == 0


@pytest.mark.parametrize("cost", [0.25, True, "0.5", 10**400, float("nan"), -0.0])
def test_invalid_costs(cost: Any) -> None:
    usage = {**USAGE, "total_cost": cost}
    costly = answered(SAID, 10)
    costly["output"] = {**costly["output"], "usage": usage}
    same([sample(events=[costly], model_usage={"org/m": usage}, metadata={})])


@pytest.mark.parametrize(
    "header",
    [{}, {"eval": None}, {"eval": {"model": "", "task": 3}}, {"eval": {"solver": "s"}}, []],
)
def test_headers_as_they_may_be(header: Any) -> None:
    same([sample(), sample(id=None)], header=header)


def test_samples_that_are_broken_are_reported_in_their_places(tmp_path: Path) -> None:
    good = [sample(id=f"t{number}", metadata={}) for number in range(100)]
    entries: list[tuple[str, Any]] = [
        (f"samples/t{number}_epoch_1.json", each) for number, each in enumerate(good)
    ]
    entries[3] = (entries[3][0], [1])
    entries[70] = (entries[70][0], b'{"id": ')
    shell = {key: each for key, each in good[80].items() if key != "events"}
    entries[80] = ("samples/t80_epoch_1/sample.json", shell)
    entries.append(("samples/t80_epoch_1/events/0.json", good[80]["events"]))
    path = tmp_path / "run.eval"
    path.write_bytes(
        archive(("header.json", HEADER), *entries, method=STORED, corrupt=entries[50][0])
    )
    read, as_record = as_batches(path, COLUMNS)
    assert read == as_records(path, COLUMNS)
    assert [problem.record for problem in read.problems] == [entries[at][0] for at in (3, 50, 70)]
    assert (len(read.rows), as_record) == (97, 4)


@given(st.lists(samples(), min_size=1, max_size=2), st.data())
@example([sample(metadata={}, scores={"a": {"value": 1}, "b": {"value": 0}})], None)
@example([sample(metadata={}, scores={"a": {}})], None)
@example([sample(id=None), sample(messages=[1e300])], None)
@example([sample(metadata={}, events=[answered(CALLED, 1), gave("x", 2), answered(SAID, 3)])], None)
def test_same_rows_and_problems_as_records(found: list[Any], data: st.DataObject | None) -> None:
    columns: Sequence[str] | None = COLUMNS
    if data is not None:
        some_columns = st.lists(st.sampled_from(COLUMNS), max_size=4)
        columns = data.draw(st.sampled_from([COLUMNS, None]) | some_columns)
    content = json.loads(json.dumps(found))
    same(content, columns)


def test_reference_logs(reference_data: Path) -> None:
    paths = sorted((reference_data / "logs" / "inspect").glob("*.eval"))
    assert paths
    for path in paths:
        for columns in (COLUMNS, ["turns.tool_calls", "turns.usage", "turns.duration_seconds"]):
            read, as_record = as_batches(path, columns)
            assert read == as_records(path, columns)
            assert as_record == 0
    for path in (reference_data / "logs" / "inspect").glob("*.json"):
        assert as_batches(path, COLUMNS)[0] == as_records(path, COLUMNS)
