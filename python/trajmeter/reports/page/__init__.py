"""A report as one HTML page that opens offline: its model, and how the model becomes markup."""
