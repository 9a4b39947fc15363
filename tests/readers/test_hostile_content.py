"""No format crashes, whatever JSON or bytes it is given: it passes them over, or says why."""

from __future__ import annotations

import gzip
import json
import tempfile
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from trajmeter.errors import ReadError
from trajmeter.readers import (
    Evidence,
    FileFormat,
    RecordFormat,
    formats,
    read_tasks,
    read_trajectories,
)
from trajmeter.readers._files.content import open_content
from trajmeter.readers._recognition.choice import Choice
from trajmeter.readers._recognition.registry import file_formats
from trajmeter.records import Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajmeter.records import ReadProblem

RECORD_FORMATS = [known for known in formats() if isinstance(known, RecordFormat)]
FILE_FORMATS = [known for known in formats() if isinstance(known, FileFormat)]
_KEYS = (
    "action actions agent agent_name args arguments assistant call_id children command "
    "content cost data end_line error event events extra file files final function "
    "git_patch history id info input instance_id kind line message messages metadata "
    "metrics model name observation output params parts path payload patch prompt result "
    "results role samples session sessionId source span spans start status step steps "
    "subtype system task task_id text timestamp tool tool_calls tool_use tool_use_id "
    "trajectory trial_name type usage user uuid value version "
)
WORDS = sorted({*_KEYS.split(), *(key for known in RECORD_FORMATS for key in known.keys)})
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(
        ["", "assistant", "tool", "cat a.py", "{}", "[{", "1", "2026-01-01T00:00:00Z"]
    )
    | st.sampled_from(WORDS)
    | st.text(max_size=8)
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=5)
    ),
    max_leaves=20,
)
records = st.dictionaries(st.sampled_from(WORDS), values, max_size=8)
hostile = settings(max_examples=settings().max_examples * 2 // 5)


@pytest.mark.parametrize("known", RECORD_FORMATS, ids=lambda known: known.name)
@hostile
@given(data=st.data())
def test_a_record_is_read_or_refused(known: RecordFormat[Any], data: st.DataObject) -> None:
    telling = st.dictionaries(st.sampled_from(sorted(known.keys)), values, min_size=1)
    record = data.draw(records) | data.draw(telling)
    evidence = known.evidence_in(record)
    assert evidence is None or isinstance(evidence, Evidence)
    choice: Choice[Any] = Choice(known.makes, input_format=known.name)
    reads: list[Callable[..., Any]] = [partial(choice.read, known)]
    if evidence is not None:
        reads += [known.read, *known.profile_reads.values()]
    for read in reads:
        try:
            made = read(record, Source(file="logs/a.json", line=1))
        except (ReadError, ValidationError):
            continue
        assert isinstance(made, known.makes)
        assert made.source is not None


contents = (
    values.map(json.dumps)
    | st.lists(values.map(json.dumps), max_size=4).map("\n".join)
    | values.map(lambda value: json.dumps(value, indent=1))
    | st.text(max_size=200)
)


@pytest.mark.parametrize("known", FILE_FORMATS, ids=lambda known: known.name)
@hostile
@given(
    content=contents.map(lambda text: text.encode("utf-8", "surrogatepass"))
    | st.binary(max_size=300),
    name=st.sampled_from(["a.json", "a.jsonl", "a.log", "a", "results.json", "a.traj", "-x.md"]),
    cut=st.integers(0, 400),
)
@example(content=gzip.compress(b"FORMULACODE_TESTS_START")[:12], name="a.log", cut=0)
def test_a_file_is_read_or_said_not_to_be(
    known: FileFormat[Any], content: bytes, name: str, cut: int
) -> None:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder, name)
        path.write_bytes(content)
        for head in (content, content[:cut]):
            try:
                evidence = known.recognises(path, head)
            except OSError:  # the chooser takes it for no evidence, and reading reports it
                assert not _is_readable(path)
                continue
            assert evidence is None or isinstance(evidence, Evidence)
            assert evidence is None or known in file_formats(known.makes, head)
        assert known.recognises(Path(folder), b"") in (None, *Evidence)
        problems: list[ReadProblem] = []
        try:
            made = [*known.records(path, problems.append)]
        except (ReadError, ValidationError):
            return
        except OSError:  # reported where the file is read
            assert not _is_readable(path)
            return
        assert all(isinstance(each, known.makes) for each in made)


def _is_readable(path: Path) -> bool:
    """Whether a file can be read to its end; not one that is compressed, and cut off."""
    try:
        with open_content(path) as file:
            file.read()
    except OSError:
        return False
    return True


@hostile
@given(contents)
def test_any_file_is_read_or_is_a_problem(content: str) -> None:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder, "a.json")
        path.write_text(content, encoding="utf-8", errors="surrogatepass")
        for read in (read_trajectories, read_tasks):
            problems: list[ReadProblem] = []
            made = [*read(path, on_problem=problems.append)]
            assert made or problems or content.strip() in ("[]", "{}")
