"""Kernels on flat arrays, in Rust and in Python, behind one typed contract."""

from __future__ import annotations

from trajmeter.kernels._contract import Float64Array, Int64Array, Kernels
from trajmeter.kernels._select import BackendName, active, backend, load

__all__ = [
    "BackendName",
    "Float64Array",
    "Int64Array",
    "Kernels",
    "active",
    "backend",
    "load",
]
