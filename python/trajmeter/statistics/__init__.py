"""Statistics of measurements: suitable averages, and how reliable they are."""
