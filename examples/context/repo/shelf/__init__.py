"""A lending library of one shelf."""
