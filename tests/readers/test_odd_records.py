"""Records of agents' logs with values of any type: they are read, or refused with a reason."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from trajmeter.errors import ReadError
from trajmeter.readers.openhands import EVENTS, SDK_EVENTS
from trajmeter.readers.swe_agent import CONTEXT, TRAJECTORY
from trajmeter.records import Source, Trajectory

if TYPE_CHECKING:
    from pydantic import JsonValue

    from trajmeter.readers import RecordFormat

SOURCE = Source(file="log.jsonl", line=1)
KEYS = """trajectory history info action observation response state working_dir submission kind
exit_status model_stats tokens_sent tool_calls function name arguments id args extras cause content
path command view_range start end thought llm llm_config model token_usages response_id source
prompt_tokens accumulated_cost git_patch tool_name tool_call tool_call_id llm_response_id timestamp
exit_code is_error code detail type message"""
WORDS = """ActionEvent ObservationEvent ConversationErrorEvent MessageEvent AgentErrorEvent run read
edit finish message agent terminal c1 open cat [1 { exit_cost submitted 2026-01-01T00:00:00 view"""
keys = st.sampled_from(KEYS.split())
words = st.sampled_from([*WORDS.split(), "str_replace_editor view a --view_range 1 x", "cat a.py"])
leaves = st.none() | st.booleans() | st.integers(-5, 2**70) | st.floats() | words
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)
steps = st.lists(st.dictionaries(keys, values, max_size=6), max_size=3)
records = st.fixed_dictionaries(
    {"instance_id": st.just("t") | values},
    optional={
        "trajectory": steps,
        "history": steps | st.lists(steps, max_size=3),
        **dict.fromkeys(("info", "metadata", "metrics", "error", "test_result"), values),
        **dict.fromkeys(("replay_config", "viewed_files", "file_line_ranges"), values),
        "attempt": values,
        "environment": values,
    },
)


@pytest.mark.parametrize(
    "known", [TRAJECTORY, CONTEXT, EVENTS, SDK_EVENTS], ids=lambda known: known.name
)
@given(record=records)
def test_read_or_refused(known: RecordFormat[Trajectory], record: dict[str, JsonValue]) -> None:
    known.recognises(record)
    for read in (known.read, *known.profile_reads.values()):
        with contextlib.suppress(ReadError, ValidationError):
            assert read(record, SOURCE).source == SOURCE
