"""YAML as people and programs write it; what is refused about scenarios is in test_scenario.py."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING

import pytest

from trajmeter.errors import ConfigurationError
from trajmeter.frameworks.yaml_input import read_yaml

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, text: str) -> Path:
    file = folder / "berths.yaml"
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("2024-13-01", "'2024-13-01' cannot be read as timestamp"),
        ("!!bool maybe", "'maybe' cannot be read as bool"),
        ("!!int ''", "'' cannot be read as int"),
        (f"0x{'f' * 6000}", "'0xf"),
        ("9" * 5000, "'999"),
        (r'"\UFFFFFFFF"', "the number is too large"),
    ],
)
def test_a_value_that_python_cannot_represent_is_reported_with_its_place(
    tmp_path: Path, value: str, problem: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_yaml(write(tmp_path, f"berth: 12\nfree: {value}\n"))
    place = rf"berths\.yaml: not valid YAML: line 2, column (7|10): {re.escape(problem)}"
    assert re.search(place, str(caught.value))


def test_characters_that_json_writes_as_two_escapes_are_joined(tmp_path: Path) -> None:
    # U+1F6A2 is the pair D83D DEA2 in UTF-16; a half alone is no character.
    read = read_yaml(write(tmp_path, r'{"ship": "\uD83D\uDEA2", "half": "\uD83D"}'))
    assert read == {"ship": "\U0001f6a2", "half": "\ufffd"}


def test_a_repeated_key_gives_a_warning(tmp_path: Path) -> None:
    file = write(tmp_path, "berth: 12\ntide: {low: 1, low: 2}\n")
    with pytest.warns(UserWarning, match=r"berths\.yaml:2: low occurs twice; the last one counts"):
        assert read_yaml(file) == {"berth": 12, "tide": {"low": 2}}
    same = write(tmp_path, 'yes: 1\n"true": 2\ntrue: 3\n')
    with pytest.warns(UserWarning, match=r"berths\.yaml:3: yes and true are the same key"):
        assert read_yaml(same) == {True: 3, "true": 2}
    merged = "a: &a {x: 1}\nb: &b {y: 2}\nc: {<<: *a, <<: *b, x: 3}\n"
    assert read_yaml(write(tmp_path, merged))["c"] == {"x": 3, "y": 2}


def test_a_number_and_the_same_digits_as_text_are_two_keys(tmp_path: Path) -> None:
    file = write(tmp_path, '12: free\n"12": taken\n')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_yaml(file) == {12: "free", "12": "taken"}


@pytest.mark.parametrize("tag", ["!!map", "!!omap", "!!seq", "!!set"])
def test_a_text_that_is_tagged_as_a_collection_is_no_key(tmp_path: Path, tag: str) -> None:
    with pytest.raises(ConfigurationError, match="not valid YAML: line 1, column 3: expected"):
        read_yaml(write(tmp_path, f"? {tag} berth\n: 12\n"))


def test_an_equals_sign_as_a_key_is_text(tmp_path: Path) -> None:
    assert read_yaml(write(tmp_path, "=: 12\n")) == {"=": 12}
