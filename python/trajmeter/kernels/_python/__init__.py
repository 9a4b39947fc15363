"""The twin: every kernel in Python, with the standard library. It is the specification.

numpy appears at the edges only, to take the numbers out of arrays and to put results back.
"""
