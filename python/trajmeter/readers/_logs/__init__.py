"""What the log formats of several programs have in common."""
