"""The Python twin: every kernel with the standard library only. It is the specification.

Only the edges use numpy, to read numbers from arrays and to return results.
"""
