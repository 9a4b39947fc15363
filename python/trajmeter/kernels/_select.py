"""Which backend computes: decided once per process, from ``TRAJMETER_BACKEND``."""

from __future__ import annotations

import os
from functools import cache
from typing import Literal, TypeAlias

from trajmeter.errors import BackendError, ConfigurationError
from trajmeter.kernels._checked import CheckedKernels
from trajmeter.kernels._contract import CompiledKernels, Kernels

__all__ = ["BackendName", "active", "backend", "load"]

BackendName: TypeAlias = Literal["rust", "python"]

_VARIABLE = "TRAJMETER_BACKEND"
_EXTENSION = "trajmeter.kernels._rust"


class _ExtensionMissingError(BackendError):
    """The Rust extension is not installed, as opposed to installed and broken."""


def backend() -> BackendName:
    """Name of the backend that computes in this process: ``"rust"`` or ``"python"``.

    Raises:
        ConfigurationError: ``TRAJMETER_BACKEND`` is none of ``auto``, ``rust``, ``python``.
        BackendError: The backend asked for is missing, or the extension is broken.

    Example:
        >>> import trajmeter
        >>> trajmeter.backend() in ("rust", "python")
        True
    """
    return _choose()[0]


def active() -> Kernels:
    """Give the kernels that compute in this process; raises as :func:`backend` does."""
    return _choose()[1]


@cache
def load(name: BackendName) -> Kernels:
    """Load one backend by name, whatever ``TRAJMETER_BACKEND`` says.

    Raises:
        BackendError: The extension is missing or broken.
        ConfigurationError: There is no backend of this name.
    """
    if name == "rust":
        extension = _import_rust()
        return CheckedKernels(extension, extension.trajectory_fits)
    if name == "python":
        return CheckedKernels(_import_python())
    raise ConfigurationError(f"there is no kernel backend {name!r}, expected 'rust' or 'python'")


@cache
def _choose() -> tuple[BackendName, Kernels]:
    wanted = os.environ.get(_VARIABLE) or "auto"
    if wanted == "auto":
        try:
            return "rust", load("rust")
        except _ExtensionMissingError:
            return "python", load("python")
    if wanted == "rust":
        return "rust", load("rust")
    if wanted == "python":
        return "python", load("python")
    raise ConfigurationError(f"{_VARIABLE} is {wanted!r}, expected 'auto', 'rust' or 'python'")


def _import_rust() -> CompiledKernels:
    try:
        import trajmeter.kernels._rust as extension
    except ModuleNotFoundError as error:
        if error.name != _EXTENSION:
            raise _broken(f"it needs a module that is missing: {error}") from error
        raise _ExtensionMissingError(
            f"the Rust extension {_EXTENSION} is not installed; install trajmeter where cargo is "
            f"available, or set {_VARIABLE}=python"
        ) from error
    except Exception as error:
        raise _broken(f"importing it raised {type(error).__name__}: {error}") from error
    names = [*vars(Kernels), *vars(CompiledKernels)]
    absent = [name for name in names if name[0] != "_" and not hasattr(extension, name)]
    if absent:
        raise _broken(f"it was built from other sources and lacks {', '.join(absent)}")
    return extension


def _import_python() -> Kernels:
    from trajmeter.kernels import _python

    return _python


def _broken(reason: str) -> BackendError:
    return BackendError(
        f"the Rust extension {_EXTENSION} is broken: {reason}; rebuild or reinstall trajmeter, "
        f"or set {_VARIABLE}=python"
    )
