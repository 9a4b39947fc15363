"""Runs over inputs of any size: planned in units, scored by workers, resumed and merged."""
