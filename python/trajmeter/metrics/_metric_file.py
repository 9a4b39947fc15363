"""A metric from a file of the user's: ``my_metric.py@name``."""

from __future__ import annotations

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

from trajmeter.errors import ConfigurationError, UnknownNameError, format_exception
from trajmeter.metrics._protocol import is_metric

if TYPE_CHECKING:
    from types import ModuleType

    from trajmeter.metrics._protocol import AnyMetric

__all__ = ["is_metric_file", "metric_from_file"]

_PATTERN = re.compile(r"(?P<file>.+\.py)(@(?P<name>\w+))?")


def is_metric_file(name: str) -> bool:
    """Whether a metric's name is that of a Python file."""
    return _PATTERN.fullmatch(name) is not None


def metric_from_file(reference: str) -> AnyMetric:
    """Run a Python file, and take a decorated function, or a family, from it.

    It is run once as long as it does not change, and finds modules that lie beside it.

    Args:
        reference: ``file.py@name``; the name may be left out where the file holds one metric.

    Raises:
        ConfigurationError: The file is absent, raises, or holds several metrics and none is named.
        UnknownNameError: The file holds no metric of this name.
    """
    match = _PATTERN.fullmatch(reference)
    if match is None:
        raise ConfigurationError(f"{reference!r} is no metric file, expected file.py@name")
    file, name = match["file"], match["name"]
    found = {key: value for key, value in vars(_run(file)).items() if is_metric(value)}
    listed = ", ".join(sorted(found)) or "none; decorate a function with trajmeter.metric"
    if name is None:
        if len(found) != 1:
            raise ConfigurationError(
                f"{file} has to name one of its metrics ({file}@name): {listed}"
            )
        return next(iter(found.values()))
    if name not in found:
        raise UnknownNameError(f"there is no metric {name!r} in {file}; metrics there: {listed}")
    return found[name]


def _run(file: str) -> ModuleType:
    path = Path(file).resolve()
    if not path.is_file():
        raise ConfigurationError(f"the metric file {file} does not exist")
    about = path.stat()  # a file that has changed, as in a notebook's session, is run anew
    version = abs(hash((path, about.st_mtime_ns, about.st_size)))
    module_name = f"_trajmeter_metric_file_{path.stem}_{version}"
    if module_name in sys.modules:
        return sys.modules[module_name]
    folder = str(path.parent)
    if folder not in sys.path:  # modules beside the file are found, as they are of a script
        sys.path.append(folder)
    spec = spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise ConfigurationError(f"the metric file {file} cannot be loaded as a Python module")
    module = module_from_spec(spec)
    sys.modules[module_name] = module  # dataclasses and pydantic look their module up
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[module_name]
        raise ConfigurationError(
            f"the metric file {file} raised {format_exception(error)}"
        ) from error
    return module
