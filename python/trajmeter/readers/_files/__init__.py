"""Files: turns the paths passed to a reader into bytes, lines and JSON values."""
