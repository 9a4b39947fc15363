"""Logs read into columns in Rust under the profile ``contextbench``, beside reading records."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.readers.both_ways import as_batches, as_records
from tests.readers.mini_swe_agent.version_1_runs import ASK, bash, claim, says, user

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("rust")

PROFILES = ("contextbench",)

SCRIPT = r"""cat a.py src/b.go ./c.rs /testbed/a.py /home/r/a.py /home/q/x.c /home/a.py .py a.py.bak
a.c++ a.swift.js a.json 'a.py' "b.ts" nl -ba -b sed -n -i '3,9p' "9,3p" 3,9p 0,0p 3p a_b.kt,c.h
a.py:3 1234567890123456789,2p head 12 tail grep git -rn x add commit echo mkdir rm && || ; | & é . \
COMPLETE_TASK"""
BLANKS = ["\u0663", "\u00a0", "\x1c", " ", "\n", "\t", "|", ""]
COMMANDS = st.lists(st.sampled_from([*SCRIPT.split(), *BLANKS]), max_size=9).map(" ".join)
READING = st.sampled_from(
    """cat src/a.py|head -n 20 src/a.py|sed -n '10,20p' a.py|nl -ba a.py | sed -n '1,5p'
git grep -n foo a.py|grep -n foo a.py b.py && cat b.py; cat a.py|cat /home/r/a.py|cat a.py.bak
cat a.c || cat b.h|cd x && cat /testbed/a.tsx|grep "x\ny" a.py|nl -ba a.py|sed -n '9,2p' a.go
rm -f x; cat a.py|echo x > a.py""".replace("\n", "|").split("|")
)
PATHS = st.sampled_from(["a.py", " /testbed/b.py", "'/home/r/c.go'", "/home/x", "", "./é.py"])
RANGES = st.sampled_from(
    ["1-2", " 9 - 3, 4-5", "0-0", "x", "3", "1-1234567890123456789", "\u0663-4"]
)
CLAIMS = st.builds(
    lambda pairs, tag: claim(*pairs, tag=tag),
    st.lists(st.tuples(PATHS, RANGES), max_size=3),
    st.sampled_from(["explore_context", "explore_context", "PATCH_CONTEXT", "EXPLORE_CONTEXT"]),
)
TEXTS = st.lists(
    CLAIMS | (READING | COMMANDS).map(bash) | st.sampled_from(["x", "<explore_context>", "é\x00"]),
    max_size=3,
).map("\n".join)
IMAGES = st.sampled_from(["", "x_m_r:pr-1"])
USAGES = st.sampled_from([{}, {"usage": {"prompt_tokens": 5}}])


def log(messages: list[dict[str, Any]], image: str, version: str) -> bytes:
    environment = {"image": image}
    return json.dumps(
        {
            "trajectory_format": f"mini-swe-agent-{version}",
            "info": {"config": {"environment": environment}, "exit_status": "LimitsExceeded"},
            "messages": messages,
        }
    ).encode()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs") / "run.traj.json"


def same(path: Path, content: bytes) -> int:
    path.write_bytes(content)
    read, as_record = as_batches(path, profiles=PROFILES)
    assert read == as_records(path, profiles=PROFILES)
    return as_record


@given(
    st.lists(
        st.one_of(
            TEXTS.map(user),
            st.builds(lambda text, usage: says(text, response=usage), TEXTS, USAGES),
            st.just(ASK),
        ),
        max_size=5,
    ),
    IMAGES,
)
def test_claims_are_the_same(path: Path, messages: list[dict[str, Any]], image: str) -> None:
    same(path, log(messages, image, "1"))


@given(st.lists(st.lists(READING | COMMANDS, max_size=3), max_size=4), IMAGES)
def test_commands_show_the_same(path: Path, steps: list[list[str]], image: str) -> None:
    actions = [[{"command": command} for command in step] for step in steps]
    messages = [{"role": "assistant", "extra": {"actions": each}} for each in actions]
    same(path, log(messages, image, "1.1"))


@given(st.lists(READING, max_size=4))
def test_most_logs_are_certain(path: Path, commands: list[str]) -> None:
    messages = [says(bash(command)) for command in commands]
    assert same(path, log([ASK, *messages, user(claim(("a.py", "1-2")))], "", "1")) == 0


def test_claims_count_instead_of_commands(path: Path) -> None:
    both = says(bash("cat b.py") + claim(("a.py", "1-2")) + claim(("a.py", "4-3")))
    path.write_bytes(log([user(claim(("c.py", "5-6"))), both, says(bash("cat d.py"))], "", "1"))
    read, as_record = as_batches(path, ("turns",), profiles=PROFILES)
    assert (read, as_record) == (as_records(path, ("turns",), profiles=PROFILES), 0)
    (row,) = read.rows
    found = [row.count(f"'start': {line}, ") for line in (1, 3, 5)]
    assert (found, row.count("'path': 'd.py'")) == ([1, 1, 1], 0)


def test_reference_logs_are_the_same(reference_data: Path) -> None:
    logs = sorted((reference_data / "minisweagent").glob("*.traj.json"))
    assert len(logs) == 15
    for log in logs:
        read, as_record = as_batches(log, profiles=PROFILES)
        assert (read, as_record) == (as_records(log, profiles=PROFILES), 0)
