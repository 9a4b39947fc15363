"""Writers: atomic result files in text formats and Parquet."""

from __future__ import annotations

from trajmeter.writers.document import json_document, json_pieces, write_text
from trajmeter.writers.files import (
    TableWriter,
    check_is_apart,
    check_is_no_input,
    check_output,
    check_place,
    open_table,
)
from trajmeter.writers.parquet import ParquetWriter
from trajmeter.writers.text import CsvWriter, JsonLinesWriter, csv_text, json_lines_text

__all__ = [
    "CsvWriter",
    "JsonLinesWriter",
    "ParquetWriter",
    "TableWriter",
    "check_is_apart",
    "check_is_no_input",
    "check_output",
    "check_place",
    "csv_text",
    "json_document",
    "json_lines_text",
    "json_pieces",
    "open_table",
    "write_text",
]
