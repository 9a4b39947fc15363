"""Growth of scoring with the size of files, and its cost compared with reading them alone."""
