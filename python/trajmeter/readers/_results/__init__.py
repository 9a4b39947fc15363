"""Results tables as batches, in each of their formats."""
