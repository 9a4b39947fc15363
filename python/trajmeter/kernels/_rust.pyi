"""The compiled kernels. Call them through ``trajmeter.kernels``, which checks the arguments."""

from trajmeter.kernels._contract import Int64Array

OPTIMISED: bool
"""Whether the compiler optimised: a debug build computes the same, far more slowly."""

def measure(start: Int64Array, end: Int64Array) -> int: ...
