"""Defaults of options from a settings file.

A key is the long name of an option. At the top level it applies to every command that has the
option; in a table named after a command, to that command only. The command line takes precedence.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from trajmeter.cli._option_values import names_in
from trajmeter.errors import ConfigurationError
from trajmeter.remote import is_remote, path_of
from trajmeter.spelling import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["defaults_for", "described"]

_PATHS = re.compile(r"\b(FILE|DIR|FOLDER|BASELINE|LOGS)")
"""Metavar of options that are paths."""
_EITHER_OR = (("cache", "no-cache"), ("snapshots", "repos"), ("judge-record", "judge-replay"))
"""Options that exclude each other."""
_GATES = (
    *("fail-under", "fail-over", "fail-under-lower", "fail-over-upper"),
    *("max-not-scored", "no-regression"),
)
_EXCLUDED_BY = {"shard": (*_GATES, "margin", "junit", "inconclusive", "step-summary")}
"""Options that another excludes, but not the other way round."""
_JUDGES = ("judge", "judge-replay")
_ONLY_WITH = {
    "cache": ("repos",),
    "input-format": ("trajectories",),
    "map": ("trajectories",),
    "no-cache": ("repos",),
    "k": ("success",),
    "margin": ("no-regression",),
    "junit": _GATES,
    "inconclusive": _GATES,
    "judge-base-url": _JUDGES,
    "judge-record": _JUDGES,
    "judge-requests-per-minute": _JUDGES,
    "judge-timeout-seconds": _JUDGES,
}
"""Options that need one of others."""
_OTHER_MEANING = {("score", "figure"), ("merge", "metrics"), ("bench", "profile")}
"""Options of a command that mean something else in the other commands; in ``bench``, the metrics
depend on the files."""
_OF_LOGS = ("contextbench",)
_OF_FRAMEWORKS = ("framework-comparison",)
_PROFILES = {
    **dict.fromkeys(("convert", "snapshot", "view"), _OF_LOGS),
    **dict.fromkeys(("average", "compare", "judge", "quality", "report", "run"), _OF_FRAMEWORKS),
}
"""Profiles of the commands other than ``score``, which has those of its metrics."""
_FROM_COMMAND_LINE = {
    "agent": "runs Python code",
    "judge-base-url": "is sent the API key and the answers",
    "metrics": "runs Python code",
}
"""Options for the command line alone, and why: a settings file may come with downloaded data. Of
the metrics, those in Python files."""
_WRITTEN = ("cache", "html", "judge-record", "junit", "output")
"""Options that name what is written, which may only be in the folder of a settings file."""
_ROWS = ("jsonl", "csv", "inspect")
"""Formats of ``score`` that print rows, which a shard does not."""


def defaults_for(
    command: str,
    parameters: Sequence[Any],
    settings: Mapping[str, Any],
    file: Path,
    *,
    words: Sequence[str] = (),
    commands: Sequence[str],
    all_options: Sequence[str],
) -> dict[str, Any]:
    """Default values of a command's parameters.

    Args:
        command: Name of the command.
        parameters: Its parameters, as created by typer.
        settings: Content of the settings file.
        file: The file; paths in it are relative to its folder.
        words: The command line. Its options replace defaults that they exclude, and defaults
            that need an absent option are left out.
        commands: Names of all commands.
        all_options: Long names of the options of all commands.

    Returns:
        Values by parameter name.

    Raises:
        ConfigurationError: A key is not an option, or a value has the wrong type.
    """
    known = {
        option[2:]: parameter
        for parameter in parameters
        for option in getattr(parameter, "opts", ())
        if option.startswith("--")
    }
    values: dict[str, Any] = {}
    for key, value in settings.items():
        if isinstance(value, dict) and key in commands:
            continue
        if key not in all_options:
            if key in commands:
                raise ConfigurationError(f"{file}: {key} is {value!r}, expected a table of options")
            raise ConfigurationError(_unknown(key, [*all_options, *commands], file))
        if key == "profile" and key in known:
            value = _profiles_of(command, value)  # noqa: PLW2901 - a part of it
        if key in known and (command, key) not in _OTHER_MEANING and value != []:
            values[key] = value
    of_command = settings.get(command, {})
    for key, value in of_command.items() if isinstance(of_command, dict) else ():
        if key not in known:
            raise ConfigurationError(_unknown(f"{command}.{key}", [*known], file, key))
        values[key] = value
    values = {key: each for key, each in values.items() if not _is_excluded(key, known, words)}
    if command == "score":
        values = _of_score(values, known, words)
    values = {
        key: each for key, each in values.items() if not _is_useless(key, known, values, words)
    }
    unnamed = {key: each for key, each in values.items() if not _is_named(known[key], words)}
    _check_are_harmless(unnamed, file)
    _check_places({key: unnamed[key] for key in unnamed if _is_path(known[key])}, file)
    return {known[key].name: _value(known[key], key, value, file) for key, value in values.items()}


def _check_are_harmless(values: Mapping[str, Any], file: Path) -> None:
    """Check that defaults neither run code nor send secrets to an address.

    Raises:
        ConfigurationError: One does.
    """
    from trajmeter.metrics.metric_files import is_metric_file

    names = names_in(_listed(values.get("metrics")))
    found = {**values, "metrics": next(filter(is_metric_file, names), None)}
    for key, reason in _FROM_COMMAND_LINE.items():
        if found.get(key) is not None:
            raise ConfigurationError(
                f"{file}: {key} is {found[key]!r}, which {reason}; name it on the command line "
                f"with --{key}"
            )


def _check_places(values: Mapping[str, Any], file: Path) -> None:
    """Check that defaults use no other machine and replace no files outside the settings' folder.

    Raises:
        ConfigurationError: One does.
    """
    folder = file.parent.resolve()
    for key, value in values.items():
        for place in map(path_of, map(str, _listed(value))):
            if is_remote(place):
                reason = "is on another machine"
            elif key in _WRITTEN and not _is_within(folder / place, folder):
                reason = "is not in the folder of this file"
            else:
                continue
            raise ConfigurationError(
                f"{file}: {key} is {str(place)!r}, which {reason}; name it on the command line "
                f"with --{key}"
            )


def _is_within(place: Path, folder: Path) -> bool:
    try:
        return place.resolve().is_relative_to(folder)
    except (OSError, RuntimeError):  # a circle of links
        return False
    except ValueError:  # not a path; reported with the other values
        return True


def described(
    defaults: Mapping[str, Any], parameters: Sequence[Any], file: Path, words: Sequence[str]
) -> list[str]:
    """What to say about defaults beside an error: a line, or nothing if none is used.

    Args:
        defaults: As returned by :func:`defaults_for`.
        parameters: The parameters of the command.
        file: The settings file.
        words: The command line.
    """
    by_name = {parameter.name: parameter for parameter in parameters}
    used = ", ".join(
        f"{max(by_name[name].opts, key=len)[2:]} = {value!r}"
        for name, value in defaults.items()
        if value != [] and not _is_named(by_name[name], words)
    )
    return [f"{file} sets {used}"] if used else []


def _is_excluded(key: str, known: Mapping[str, Any], words: Sequence[str]) -> bool:
    """Whether the command line has an option that excludes another."""
    others = [each for either in _EITHER_OR if key in either for each in either if each != key]
    others += [each for each, excluded in _EXCLUDED_BY.items() if key in excluded]
    return any(other in known and _is_named(known[other], words) for other in others)


def _of_score(
    values: Mapping[str, Any], known: Mapping[str, Any], words: Sequence[str]
) -> dict[str, Any]:
    """The defaults of ``score`` that suit its command line.

    A figure is only for the format that prints it, a shard prints no rows, and a profile is only
    for its own metric.
    """
    kept = dict(values)
    formats = _given(known["format"], words) or _listed(values.get("format"))
    if formats[-1:] != ["inspect"] or _is_named(known["shard"], words):
        kept.pop("figure", None)
    if values.get("format") in _ROWS and _is_named(known["shard"], words):
        del kept["format"]
    if "profile" in kept:
        metrics = _given(known["metrics"], words) or _listed(values.get("metrics"))
        figures = _given(known["figure"], words) or _listed(kept.get("figure"))
        kept["profile"] = _profiles(_listed(kept["profile"]), metrics, figures)
    return kept


def _profiles_of(command: str, value: object) -> object:
    """The profiles, among those for every command, that are not for other commands only."""
    from trajmeter.metrics.registry import BUILT_IN, profile_names

    of_metrics = {each for name in BUILT_IN for each in profile_names(name)}
    known = {*of_metrics, *_OF_LOGS, *_OF_FRAMEWORKS}
    of_command = _PROFILES.get(command, of_metrics)
    kept = [each for each in _listed(value) if str(each) in of_command or str(each) not in known]
    return kept if command == "score" or len(kept) != 1 else kept[0]


def _profiles(profiles: Sequence[Any], metrics: Sequence[Any], figures: Sequence[Any]) -> list[Any]:
    """The profiles of the requested metrics, and those that no metric has."""
    from trajmeter.metrics.registry import BUILT_IN, profile_names, request_of
    from trajmeter.scoring.sources import DEFAULT_METRICS

    names = (
        names_in(metrics) or [str(each).partition(".")[0] for each in figures] or [*DEFAULT_METRICS]
    )
    families = {request_of(name).family for name in names}
    others = {each for name in BUILT_IN if name not in families for each in profile_names(name)}
    of_families = {each for name in families for each in profile_names(name)}
    return [each for each in profiles if str(each) in of_families or str(each) not in others]


def _listed(value: object) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _is_useless(
    key: str, known: Mapping[str, Any], values: Mapping[str, Any], words: Sequence[str]
) -> bool:
    """Whether none of the options that an option needs is set."""
    needed = [name for name in _ONLY_WITH.get(key, ()) if name in known]
    return bool(needed) and not any(
        name in values or known[name].default is not None or _is_named(known[name], words)
        for name in needed
    )


def _is_named(parameter: Any, words: Sequence[str]) -> bool:  # noqa: ANN401 - its class has moved between versions
    """Whether an option is on a command line: ``--cache``, ``--cache=DIR`` or ``-sFILE``."""
    return any(
        word.partition("=")[0] == option
        or (not option.startswith("--") and not word.startswith("--") and word.startswith(option))
        for option in parameter.opts
        for word in words
    )


def _given(parameter: Any, words: Sequence[str]) -> list[str]:  # noqa: ANN401 - as above
    """The values of an option on a command line."""
    found = []
    for word, after in zip(words, [*words[1:], ""], strict=True):
        for option in parameter.opts:
            if word == option:
                found.append(after)
            elif option.startswith("--") and word.startswith(f"{option}="):
                found.append(word.partition("=")[2])
            elif not option.startswith("--") and word[:1] == "-" and word.startswith(option):
                found.append(word.removeprefix(option))
    return found


def _value(parameter: Any, key: str, value: Any, file: Path) -> Any:  # noqa: ANN401 - any TOML value
    is_list = bool(getattr(parameter, "multiple", False))
    is_flag = bool(getattr(parameter, "is_flag", False))
    if is_flag != isinstance(value, bool):
        expected = "true or false" if is_flag else "text or a number"
        raise ConfigurationError(f"{file}: {key} is {value!r}, expected {expected}")
    if isinstance(value, dict) or (isinstance(value, list) and not is_list):
        raise ConfigurationError(f"{file}: {key} is {value!r}, expected one value")
    if is_flag:
        return value
    listed = [
        _text(parameter, key, each, file)
        for each in (value if isinstance(value, list) else [value])
    ]
    return listed if is_list else listed[0]


def _text(parameter: Any, key: str, value: Any, file: Path) -> str:  # noqa: ANN401 - as above
    if isinstance(value, (bool, dict, list)):
        raise ConfigurationError(f"{file}: {key} contains {value!r}, expected text or a number")
    text = str(value)
    if not text:
        raise ConfigurationError(f"{file}: {key} is empty, expected a value")
    if "\0" in text:
        raise ConfigurationError(f"{file}: {key} contains a NUL character: {text!r}")
    return str(file.parent / path_of(text)) if _is_path(parameter) else text


def _is_path(parameter: Any) -> bool:  # noqa: ANN401 - as above
    return _PATHS.search(parameter.metavar or "") is not None


def _unknown(key: str, known: Sequence[str], file: Path, last: str | None = None) -> str:
    close = nearest(last or key, [name.replace("-", "_") for name in known])
    hint = f"; did you mean {close.replace('_', '-')!r}?" if close else ""
    return f"{file}: {key} is not an option{hint}"
