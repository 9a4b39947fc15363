"""Writers: result files, one module a format, each file complete or not there."""

from __future__ import annotations

from trajmeter.writers._open import check_is_no_input, check_output, check_place, open_table
from trajmeter.writers.csv import CsvWriter
from trajmeter.writers.document import json_document, write_text
from trajmeter.writers.jsonl import JsonLinesWriter
from trajmeter.writers.parquet import ParquetWriter
from trajmeter.writers.table import TableWriter

__all__ = [
    "CsvWriter",
    "JsonLinesWriter",
    "ParquetWriter",
    "TableWriter",
    "check_is_no_input",
    "check_output",
    "check_place",
    "json_document",
    "open_table",
    "write_text",
]
