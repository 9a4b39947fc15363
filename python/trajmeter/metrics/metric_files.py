"""Files that contain user-defined metrics."""

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

__all__ = ["FILE_MODULE", "is_metric_file", "metric_file", "metric_from_file"]

_METRIC_FILE = re.compile(r"(?P<file>.+\.py)(@(?P<name>\w+))?")
FILE_MODULE = "_trajmeter_metric_file_"
"""Prefix of the names of modules loaded from metric files."""


def is_metric_file(name: str) -> bool:
    """Whether a metric's name refers to a Python file."""
    return _METRIC_FILE.fullmatch(name) is not None


def metric_file(name: str) -> str | None:
    """The Python file that a metric's name refers to; ``None`` if it refers to none."""
    match = _METRIC_FILE.fullmatch(name)
    return None if match is None else match["file"]


def metric_from_file(reference: str) -> AnyMetric:
    """Load a decorated function or a family from a Python file.

    The file is run once until it changes, and can import modules from its folder.

    Args:
        reference: ``file.py@name``; the name may be omitted if the file contains a single metric.

    Raises:
        ConfigurationError: The file is absent, raises, or contains several metrics and none is
            named.
        UnknownNameError: The file contains no metric of this name.
    """
    match = _METRIC_FILE.fullmatch(reference)
    if match is None:
        raise ConfigurationError(f"{reference!r} is not a metric file, expected file.py@name")
    file, name = match["file"], match["name"]
    metrics = {key: value for key, value in vars(_run(file)).items() if is_metric(value)}
    listed = ", ".join(sorted(metrics)) or "none; decorate a function with trajmeter.metric"
    if name is None:
        if len(metrics) != 1:
            raise ConfigurationError(
                f"{file} has to name one of its metrics ({file}@name): {listed}"
            )
        return next(iter(metrics.values()))
    if name not in metrics:
        raise UnknownNameError(f"unknown metric {name!r} in {file}; available: {listed}")
    return metrics[name]


def _run(file: str) -> ModuleType:
    path = Path(file).resolve()
    if not path.is_file():
        raise ConfigurationError(f"the metric file {file} does not exist")
    status = path.stat()  # a changed file, as in a notebook session, is run again
    version = abs(hash((path, status.st_mtime_ns, status.st_size)))
    module_name = f"{FILE_MODULE}{path.stem}_{version}"
    if module_name in sys.modules:
        return sys.modules[module_name]
    folder = str(path.parent)
    if folder not in sys.path:  # so that it can import modules from its folder, like a script
        sys.path.append(folder)
    spec = spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise ConfigurationError(f"the metric file {file} cannot be loaded as a Python module")
    module = module_from_spec(spec)
    sys.modules[module_name] = module  # dataclasses and pydantic look up the module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[module_name]
        raise ConfigurationError(
            f"the metric file {file} raised {format_exception(error)}"
        ) from error
    return module
