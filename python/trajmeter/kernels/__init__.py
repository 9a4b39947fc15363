"""Kernels on flat arrays, in Rust and in Python, behind one typed contract."""

from __future__ import annotations

from trajmeter.kernels._context import (
    GRANULARITIES,
    ContextFile,
    ContextKernel,
    ContextRules,
    ContextSizes,
    ContextTally,
    ContextTrackerKernel,
    FileTables,
    FinalSizes,
    GoldLines,
    ResolvedPath,
    StepCoverage,
    StepSizes,
)
from trajmeter.kernels._contract import (
    GMEAN_RELATIVE_TOLERANCE,
    Fault,
    FaultArrays,
    Float64Array,
    Int64Array,
    Kernels,
    LevelArrays,
    SpanArrays,
    SpanBatch,
)
from trajmeter.kernels._select import BackendName, active, backend, load

__all__ = [
    "GMEAN_RELATIVE_TOLERANCE",
    "GRANULARITIES",
    "BackendName",
    "ContextFile",
    "ContextKernel",
    "ContextRules",
    "ContextSizes",
    "ContextTally",
    "ContextTrackerKernel",
    "Fault",
    "FaultArrays",
    "FileTables",
    "FinalSizes",
    "Float64Array",
    "GoldLines",
    "Int64Array",
    "Kernels",
    "LevelArrays",
    "ResolvedPath",
    "SpanArrays",
    "SpanBatch",
    "StepCoverage",
    "StepSizes",
    "active",
    "backend",
    "load",
]
