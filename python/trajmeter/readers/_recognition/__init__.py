"""Recognition: the known formats, and which of them a file or record is in."""
