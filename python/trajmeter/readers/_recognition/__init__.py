"""Recognition: the formats there are, and which of them a file or record is of."""
