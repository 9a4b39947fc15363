"""The compiled kernels. Call them through ``trajmeter.kernels``, which checks the arguments."""

from trajmeter.kernels._contract import Int64Array

def measure(start: Int64Array, end: Int64Array) -> int: ...
