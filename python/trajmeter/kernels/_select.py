"""Selects the backend: once per process, from ``TRAJMETER_BACKEND``.

Both backends are called behind the contract's checks. Neither checks nor converts arrays itself, so
neither can check less than the other.
"""

from __future__ import annotations

import inspect
import os
from functools import cache, update_wrapper, wraps
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, cast

from trajmeter.errors import BackendError, ConfigurationError
from trajmeter.kernels._constants import KERNEL_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trajmeter.kernels._contract import Kernels

    class _Extension(Kernels, Protocol):
        """The kernels of the Rust extension, and its other functions."""

        def trajectory_fits(
            self,
            key: object,
            start: object,
            end: object,
            step_offsets: object,
            trajectory_offsets: object,
            gold_key: object,
            gold_start: object,
            gold_end: object,
            gold_offsets: object,
        ) -> bool:
            """Whether arguments of :meth:`trajectory` obviously pass the checks."""


__all__ = ["BackendName", "active", "backend", "load"]

BackendName: TypeAlias = Literal["rust", "python"]

_VARIABLE = "TRAJMETER_BACKEND"
_EXTENSION = "trajmeter.kernels._rust"
_TWINS = "trajmeter.kernels._python"


class _ExtensionMissingError(BackendError):
    """The Rust extension is not installed, as opposed to installed but broken."""


def backend() -> BackendName:
    """Name of the backend used by this process: ``"rust"`` or ``"python"``.

    Raises:
        ConfigurationError: ``TRAJMETER_BACKEND`` is not ``auto``, ``rust`` or ``python``.
        BackendError: The requested backend is missing, or the extension is broken.

    Example:
        >>> import trajmeter
        >>> trajmeter.backend() in ("rust", "python")
        True
    """
    return _chosen()


def active() -> Kernels:
    """The kernels used by this process; raises like :func:`backend`."""
    return _chosen_kernels()


@cache
def load(name: BackendName) -> Kernels:
    """Load a backend by name, regardless of ``TRAJMETER_BACKEND``.

    Raises:
        BackendError: The extension is missing or broken.
        ConfigurationError: The backend is unknown.
    """
    if name == "rust":
        extension = _import_rust()
        return _checked(vars(extension), trajectory=extension.trajectory_fits)
    if name == "python":
        return _checked(_import_python())
    raise ConfigurationError(f"unknown kernel backend {name!r}, expected 'rust' or 'python'")


@cache
def _chosen() -> BackendName:
    wanted = os.environ.get(_VARIABLE) or "auto"
    if wanted not in ("auto", "rust", "python"):
        raise ConfigurationError(f"{_VARIABLE} is {wanted!r}, expected 'auto', 'rust' or 'python'")
    if wanted == "python":
        return "python"
    try:
        _import_rust()
    except _ExtensionMissingError:
        if wanted == "rust":
            raise
        return "python"
    return "rust"


@cache
def _chosen_kernels() -> Kernels:
    return load(_chosen())


def _checked(backend: Mapping[str, Any], **fits: Callable[..., bool]) -> Kernels:
    """Put each kernel's check in front of it, when the kernel is first accessed.

    Args:
        backend: The functions that compute, by kernel name.
        fits: For some kernels, whether arguments are obviously valid. This takes a tenth of the
            time of the check, which would take longer than a small trajectory. If it is not sure,
            the check decides.
    """
    # A module, as both backends are: its functions are looked up in half the time of an instance's.
    kernels = ModuleType("trajmeter.kernels")

    def find(name: str) -> Callable[..., Any]:
        if name not in KERNEL_NAMES:
            raise AttributeError(f"there is no kernel {name!r}", name=name, obj=kernels)
        from trajmeter.kernels._contract import KERNELS  # imports numpy

        check = _unless(fits.get(name), KERNELS[name].check)
        checked = _behind(check, backend[name])
        setattr(kernels, name, checked)
        return checked

    vars(kernels)["__getattr__"] = find  # programs use few of the thirty kernels
    return cast("Kernels", kernels)


def _behind(check: Callable[..., None], kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A function with the kernel's signature that calls ``check``, then ``kernel``.

    Its source is generated, like ``__init__`` in dataclasses: a function that takes ``*arguments``
    would add a quarter to the time of a small call.
    """
    taken = inspect.signature(check)
    taken = taken.replace(
        parameters=[one.replace(annotation=one.empty) for one in taken.parameters.values()],
        return_annotation=taken.empty,
    )
    passed = ", ".join(
        f"{name}={name}" if one.kind is one.KEYWORD_ONLY else name
        for name, one in taken.parameters.items()
    )
    source = f"def checked{taken}:\n    check({passed})\n    return kernel({passed})"
    names: dict[str, Any] = {"check": check, "kernel": kernel}
    exec(source, names)  # noqa: S102 - of names in our own source alone
    return update_wrapper(names["checked"], kernel)


def _unless(fits: Callable[..., bool] | None, check: Callable[..., None]) -> Callable[..., None]:
    if fits is None:
        return check

    @wraps(check)
    def unless_fitting(*arguments: object) -> None:
        if not fits(*arguments):
            check(*arguments)

    return unless_fitting


@cache
def _import_rust() -> _Extension:
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
    absent = [name for name in (*KERNEL_NAMES, "trajectory_fits") if not hasattr(extension, name)]
    if absent:
        raise _broken(f"it was built from other sources and lacks {', '.join(absent)}")
    return extension


def _import_python() -> dict[str, Any]:
    from trajmeter.kernels._contract import KERNELS

    twins = {name: import_module(f"{_TWINS}.{kernel.twin}") for name, kernel in KERNELS.items()}
    return {name: getattr(module, name) for name, module in twins.items()}


def _broken(reason: str) -> BackendError:
    return BackendError(
        f"the Rust extension {_EXTENSION} is broken: {reason}; rebuild or reinstall trajmeter, "
        f"or set {_VARIABLE}=python"
    )
