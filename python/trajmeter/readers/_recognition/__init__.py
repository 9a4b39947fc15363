"""Recognition: the known formats, and detection of a file's or record's format."""
