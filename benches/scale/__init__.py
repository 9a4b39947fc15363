"""How scoring large files grows, and what it costs beside reading and parsing them alone."""
