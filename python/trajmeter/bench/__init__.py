"""Compares the speed of Rust and Python on this machine: kernels, and the command on files."""

from __future__ import annotations

from trajmeter.bench.files import Request, time_files
from trajmeter.bench.kernels import time_kernels
from trajmeter.bench.report import BenchReport, Machine, Timing, chart, tables

__all__ = [
    "BenchReport",
    "Machine",
    "Request",
    "Timing",
    "chart",
    "tables",
    "time_files",
    "time_kernels",
]
