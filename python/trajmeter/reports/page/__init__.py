"""Reports as self-contained HTML pages: the model of a report, and its rendering."""
