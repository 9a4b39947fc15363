"""Files: from the paths of a call to bytes, lines and JSON values."""
