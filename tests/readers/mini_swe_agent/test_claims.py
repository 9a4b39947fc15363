"""Runs of mini-swe-agent 1 under the profile ``contextbench``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.mini_swe_agent.version_1_runs import (
    ASK,
    SOURCE,
    bash,
    claim,
    lines,
    says,
    seen,
    steps,
    user,
)
from trajmeter.metrics import turns
from trajmeter.readers.mini_swe_agent import VERSION_1
from trajmeter.records import (
    Trajectory,
    View,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


def read(messages: Sequence[dict[str, Any]], **info: object) -> Trajectory:
    record: dict[str, Any] = {
        "trajectory_format": "mini-swe-agent-1",
        "info": info,
        "messages": [*messages],
    }
    return VERSION_1.profile_reads["contextbench"](record, SOURCE)


def test_the_usage_of_turns_adds_up_though_some_hold_only_views() -> None:
    response: dict[str, Any] = {"usage": {"prompt_tokens": 5, "completion_tokens": 2}}
    claims = claim(("/testbed/a.py", "1-4")) + claim(("/testbed/b.py", "2-3"))
    trajectory = read([ASK, says("Look.", response=response), user(claims)])
    assert len(trajectory.turns or ()) == 2
    tokens = turns.score(trajectory).tokens
    assert (tokens.input_tokens, tokens.output_tokens, tokens.source) == (5, 2, "turns")


@pytest.mark.parametrize(
    "text",
    ["<PATCH_CONTEXT>" * 200_000, "<explore_context>" * 200_000, "```bash" + "\n" * 600_000],
    ids=["final", "claim", "command"],
)
def test_blocks_that_never_end_do_not_take_long(text: str) -> None:
    (turn,) = read([says(text)]).turns or ()  # to look for the end of each takes half an hour
    assert (turn.program, turn.views) == (None, None)


def test_every_block_of_claims_is_a_step() -> None:
    trajectory = read(
        [
            user(claim(("/testbed/prompt.py", "1-2"))),
            says(bash("ls") + claim(("a.py", "1-2"))),
            user(claim(("a.py", "3-4"), ("a.py", " 9 - 5, 7-8"), ("b.py", "1-1"))),
            says("no block"),
        ]
    )
    assert steps(trajectory) == [
        seen("prompt.py", (1, 2)),
        seen("a.py", (1, 2)),
        # The second range of the file is the wrong way round; what follows it does not count.
        (
            View(path="a.py"),
            View(path="b.py"),
            *lines("a.py", (3, 4), (5, 9)),
            *lines("b.py", (1, 1)),
        ),
    ]
    turns = trajectory.turns or ()
    # Blocks beyond a turn's first stand in turns of their own, without a number.
    assert [turn.number for turn in turns] == [None, 1, None, 2]


@pytest.mark.parametrize("written", ["10", "a-b", "", "-3", "$-9"])
def test_claims_without_a_range_are_none(written: str) -> None:
    trajectory = read([says(bash("cat b.py") + claim(("a.py", written)))])
    # So there is no claim at all, and the command counts.
    assert steps(trajectory) == [seen("b.py")]


def test_one_claim_anywhere_hides_all_commands() -> None:
    trajectory = read(
        [says(bash("cat b.py")), user(claim(("a.py", "1-2"))), says(bash("cat c.py"))]
    )
    assert steps(trajectory) == [seen("a.py", (1, 2))]


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("```bash\ncat a.py # ```\nls; cat b.py\n```", ["a.py", "b.py"]),
        ("```bash \r\n\n cat a.py\r\n```", ["a.py"]),
        ("```bash cat a.py\n```\n```bash\ncat b.py\n```", ["b.py"]),
        ("```bash\n```\nThen:\n```bash\ncat b.py\n```", None),
        ("```bash\ncat a.py```", None),
    ],
    ids=["fence within a line", "blanks", "no line end", "empty", "no fence on its own line"],
)
def test_a_block_ends_at_a_fence_that_begins_a_line(text: str, files: list[str] | None) -> None:
    (turn,) = read([says(text)]).turns or ()
    found = None if turn.views is None else [view.path for view in turn.views]
    assert found == files


def test_without_claims_the_first_block_of_each_message_counts() -> None:
    trajectory = read(
        [
            says(bash("cat a.py && sed -n '1,5p' a.py; head -n 3 b.py") + bash("cat c.py")),
            says(bash("ls")),
        ]
    )
    first, second = trajectory.turns or ()
    assert first.views == (
        View(path="a.py"),
        View(path="b.py"),
        *lines("a.py", (1, 5)),
        *lines("b.py", (1, 3)),
    )
    assert first.program is None  # two blocks are a format error: neither was run
    assert second.views is None
    assert second.program == "ls"


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("/testbed/src/a.py", "src/a.py"),
        (" './src/a.py' ", "src/a.py"),
        ("/home/widget/src/a.py", "src/a.py"),
        ("/home/other/src/a.py", "other/src/a.py"),
        ("/app/a.py", "app/a.py"),
        ("`a.py` (new)", "`a.py` (new)"),
    ],
)
def test_paths_lose_the_prefixes_of_their_containers(written: str, path: str) -> None:
    environment = {"image": "mswebench/acme_m_widget:pr-12"}
    trajectory = read([user(claim((written, "1-2")))], config={"environment": environment})
    assert steps(trajectory) == [seen(path, (1, 2))]


def test_files_at_the_top_of_home_are_outside() -> None:
    trajectory = read([user(claim(("/home/fix.patch", "1-2"), ("a.py", "3-4")))])
    assert steps(trajectory) == [seen("a.py", (3, 4))]


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([], ()),
        ([[("a.py", "1-2")], [("b.py", "3-4")]], seen("b.py", (3, 4))),
        # The last block counts even where it holds no range, such as the harness's own example.
        ([[("a.py", "1-2")], [("<path>", "<start>-<end>")]], ()),
    ],
)
def test_the_last_declared_context_is_the_final_one(
    blocks: list[list[tuple[str, str]]], expected: tuple[View, ...]
) -> None:
    messages = [user(claim(*pairs, tag="PATCH_CONTEXT")) for pairs in blocks]
    assert read([ASK, *messages]).final_views == expected


def test_a_run_that_was_not_asked_for_a_context_declares_none() -> None:
    assert read([says(bash("cat a.py"))]).final_views is None
