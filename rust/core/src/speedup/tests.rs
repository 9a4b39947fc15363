//! Worked tables.
