"""Sessions: scoring one attempt while it is recorded, turn by turn."""
