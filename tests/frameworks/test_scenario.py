"""Scenarios: what is read, and which file and field an error names."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING

import pytest

from trajmeter.errors import ConfigurationError
from trajmeter.frameworks.scenario import read_scenario

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.frameworks.scenario import Scenario

SPEC = """\
name: harbour
version: 1
scenario_type: rag_qa
documents_dir: documents/
config: {llm_model: gpt-5-mini, top_k: 3}
evaluation: {profile: multihop_chain_qa}
modes:
  baseline: {top_k: 2}
  capability: {max_steps: 4}
owner: quay
"""
QUESTIONS = """\
questions:
  - id: 7
    text: Where?
    expected_sources: [a.md]
    metadata:
      branching_points: "2"
      required_tools: null
      required_hops: [{id: h, any_of: [pier], source: a.md}]
  - {id: q2, text: "When?"}
"""


def write(folder: Path, *, spec: str = SPEC, questions: str = QUESTIONS) -> Path:
    (folder / "documents").mkdir(exist_ok=True)
    (folder / "spec.yaml").write_text(spec)
    (folder / "questions.yaml").write_text(questions)
    return folder


def test_a_mode_is_laid_over_the_configuration(tmp_path: Path) -> None:
    write(tmp_path)
    assert read_scenario(tmp_path).settings == {"llm_model": "gpt-5-mini", "top_k": 2}
    capability = read_scenario(tmp_path, mode="capability")
    assert capability.settings == {"llm_model": "gpt-5-mini", "top_k": 3, "max_steps": 4}
    assert (capability.profile, capability.extra) == ("multihop_chain_qa", {"owner": "quay"})


def test_a_scenario_needs_no_documents_unless_it_names_a_folder_of_them(tmp_path: Path) -> None:
    unnamed = write(tmp_path, spec="name: sql\n")
    assert read_scenario(unnamed).documents_dir == str(tmp_path / "documents")
    (tmp_path / "documents").rmdir()
    assert read_scenario(unnamed).documents_dir is None
    (tmp_path / "spec.yaml").write_text("name: sql\ndocuments_dir: texts\n")
    assert read_scenario(unnamed).documents_dir == str(tmp_path / "texts")


def test_questions_are_read_with_numbers_as_text_and_null_lists_as_none(tmp_path: Path) -> None:
    first, second = read_scenario(write(tmp_path)).questions
    assert (first.id, first.branching_points, first.required_tools) == ("7", 2, ())
    assert first.required_hops[0].any_of == ("pier",)
    assert (second.expected_answer, second.difficulty) == ("", None)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("name: harbour", "label: harbour", r"spec\.yaml: name: expected text"),
        ("config: {", "config: [{", r"spec\.yaml: not valid YAML: line 6, column 1: expected .*"),
        ("documents_dir: documents/", "documents_dir: ../..", r"is outside"),
        ("modes:", "modes: none\nrest:", r"spec\.yaml: modes: expected a mapping, got 'none'"),
    ],
)
def test_a_wrong_spec_names_file_and_field(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        read_scenario(write(tmp_path, spec=SPEC.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("id: q2", "id: '7'", r"questions\[1\]\.id: '7' is also the id of questions\[0\]"),
        ('text: "When?"', "note: x", r"questions\[1\]\.text: expected text, got nothing"),
        ("any_of: [pier]", "any_of: pier", r"required_hops\[0\]\.any_of: expected a list"),
        ("any_of: [pier]", "any_of: [' ']", r"any_of\[0\]: expected text, got ' '"),
        ("any_of: [pier]", "any_of: [410]", r"any_of\[0\]: expected text, got 410"),
        ('"2"', ".inf", r"branching_points: expected a whole number, got inf"),
        ('"2"', "2.5", r"branching_points: expected a whole number, got 2\.5"),
        ('branching_points: "2"', "multi_hop: 'false'", r"multi_hop: expected true or false"),
        ('"2"', "two", r"questions\[0\]\.metadata\.branching_points: expected a whole number"),
        ("[a.md]", "a.md", r"questions\[0\]\.expected_sources: expected a list, got 'a.md'"),
    ],
)
def test_a_wrong_question_names_file_and_field(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    with pytest.raises(ConfigurationError, match=rf"questions\.yaml: .*{message}"):
        read_scenario(write(tmp_path, questions=QUESTIONS.replace(old, new)))


def test_absent_files_and_unknown_modes_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"spec\.yaml: no such file"):
        read_scenario(tmp_path)
    with pytest.raises(ConfigurationError, match="no mode 'fast'; modes: baseline, capab"):
        read_scenario(write(tmp_path), mode="fast")


def test_a_scenario_of_one_mode_runs_in_it(tmp_path: Path) -> None:
    one = SPEC.replace("  baseline: {top_k: 2}\n", "")
    read = read_scenario(write(tmp_path, spec=one))
    assert (read.mode, read.settings["max_steps"]) == ("capability", 4)
    with pytest.raises(ConfigurationError, match=r"no mode 'baseline'; modes: capability$"):
        read_scenario(tmp_path, mode="baseline")


def test_modes_are_listed_where_none_of_several_is_the_baseline(tmp_path: Path) -> None:
    several = SPEC.replace("  baseline:", "  fast:")
    with pytest.raises(
        ConfigurationError, match=r"spec\.yaml: modes: name a mode to run; modes: capability, fast$"
    ):
        read_scenario(write(tmp_path, spec=several))


def test_characters_that_yaml_refuses_are_reported_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigurationError, match=r"not valid YAML: unacceptable character"
    ) as caught:
        read_scenario(write(tmp_path, spec=SPEC + "\x07"))
    assert "\n" not in str(caught.value)


def test_tags_that_would_run_code_are_refused(tmp_path: Path) -> None:
    spec = SPEC.replace("owner: quay", "owner: !!python/object/apply:os.getcwd []")
    with pytest.raises(ConfigurationError, match="not valid YAML"):
        read_scenario(write(tmp_path, spec=spec))


def aliases_of_aliases(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize("file", ["spec.yaml", "questions.yaml"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (aliases_of_aliases(10), r":5: more than 100,000 values, with those that aliases repeat"),
        ("a: &a {b: *a}", r":1: an alias refers to a value that contains the alias"),
        (f"a: {'[' * 150}{']' * 150}", r": nested too deeply: expected at most 100 levels"),
        (f"a: {'[' * 5000}{']' * 5000}", r": nested too deeply"),
        (
            "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 2000)),
            r": nested too deeply",
        ),
    ],
)
def test_yaml_that_expands_beyond_all_bounds_is_refused(
    tmp_path: Path, file: str, text: str, message: str
) -> None:
    write(tmp_path)
    (tmp_path / file).write_text(text)
    with pytest.raises(ConfigurationError, match=rf"{file}{message}"):
        read_scenario(tmp_path)


def test_yaml_of_too_many_values_is_refused(tmp_path: Path) -> None:
    spec = "".join(f"k{i}: v\n" for i in range(50_000))
    with pytest.raises(ConfigurationError, match=r"spec\.yaml:1: more than 100,000 values"):
        read_scenario(write(tmp_path, spec=spec))


def test_aliases_within_bounds_are_read(tmp_path: Path) -> None:
    spec = SPEC.replace("top_k: 3}", "top_k: 3, small: &s [1, 2], again: [*s, *s]}")
    spec = spec.replace("{max_steps: 4}", "&m {max_steps: 4}\n  wide: {<<: *m, top_k: 9}")
    got = read_scenario(write(tmp_path, spec=spec), mode="wide").settings
    assert (got["again"], got["max_steps"], got["top_k"]) == ([[1, 2], [1, 2]], 4, 9)


def test_published_scenarios(reference_data: Path) -> None:
    root = reference_data / "compare/scenarios"
    assert [q.id for q in read_scenario(root / "tide_notes").questions] == ["q1", "q2", "q3", "q4"]
    assert read_scenario(root / "ferry_chain").profile == "multihop_chain_qa"


def warned(folder: Path, *, mode: str | None = None) -> tuple[list[str], Scenario]:
    """What reading a scenario warns of, without the folder, and the scenario."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read = read_scenario(folder, mode=mode)
    above = f"{folder.resolve()}{os.sep}"
    return [str(each.message).removeprefix(above) for each in caught], read


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "scenario_type",
            "scenario-type",
            "scenario-type is not a known key; did you mean scenario_t",
        ),
        ("{profile:", "{profil:", "evaluation.profil is not a known key; did you mean profile?"),
        ("3}", "3, chunksize: 5}", "config.chunksize is not a known key; did you mean chunk_size?"),
        ("{top_k: 2}", "{topk: 2}", "modes.baseline.topk is not a known key; did you mean top_k?"),
        ("3}", "3, my_limit: 5}\nx: y", None),
        ("{max_steps: 4}", "{max_steps: 4, Max Steps: 5}", None),  # the known one is there too
        ("owner:", "profile:", "profile is not a known key; did you mean evaluation.profile?"),
    ],
)
def test_a_key_that_resembles_a_known_one_is_kept_with_a_warning(
    tmp_path: Path, old: str, new: str, message: str | None
) -> None:
    caught, _ = warned(write(tmp_path, spec=SPEC.replace(old, new)))
    if message is None:
        assert caught == []
    else:
        (one,) = caught
        assert one.startswith(f"spec.yaml: {message}")


def test_a_setting_of_a_mode_is_held_against_those_of_the_configuration(tmp_path: Path) -> None:
    spec = SPEC.replace("top_k: 3", "my_limit: 3").replace("{max_steps: 4}", "{mylimit: 4}")
    caught, read = warned(write(tmp_path, spec=spec), mode="capability")
    assert caught == [
        "spec.yaml: modes.capability.mylimit is not a known key; did you mean my_limit?"
    ]
    assert (read.settings["my_limit"], read.settings["mylimit"]) == (3, 4)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "expected_sources:",
            "expected_source:",
            "[0].expected_source is not a known key;",
        ),
        (
            "branching_points:",
            "branching_point:",
            "[0].metadata.branching_point is not a known",
        ),
        ("any_of: [pier]", "any_of: [pier], sorce: x", None),  # source is there too
        (
            ", source: a.md",
            ", sourc: a.md",
            "[0].metadata.required_hops[0].sourc is not a known",
        ),
        (
            "    metadata:",
            "    difficulty: easy\n    metadata:",
            "[0].difficulty is not a known key; did",
        ),
        ('"When?"', '"When?", metadata: {topic: sea, level: 3}', None),
    ],
)
def test_a_key_of_a_question_likewise(
    tmp_path: Path, old: str, new: str, message: str | None
) -> None:
    caught, _ = warned(write(tmp_path, questions=QUESTIONS.replace(old, new)))
    assert len(caught) == (message is not None)
    if message is not None:
        assert caught[0].startswith(f"questions.yaml: questions{message}")


def test_a_key_that_many_questions_misspell_is_warned_of_once(tmp_path: Path) -> None:
    lines = [f"  - {{id: {i}, text: why, metadata: {{Multi-Hop: true}}}}\n" for i in range(3)]
    (message,), read = warned(write(tmp_path, questions="questions:\n" + "".join(lines)))
    assert message == (
        "questions.yaml: questions[0].metadata.Multi-Hop (and in 2 more) is not a known key; "
        "did you mean multi_hop?"
    )
    assert read.questions[0].metadata == {"Multi-Hop": True}
