"""Statistics of measurements: averages that suit them, and what they can be trusted for."""
