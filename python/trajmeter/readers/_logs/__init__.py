"""Code shared by the log formats of several programs."""
