"""What the logs of several programs have in common."""
