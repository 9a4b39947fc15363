"""Writers: atomic result files in text formats and Parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.lazy import lazy_getattr

if TYPE_CHECKING:
    from trajmeter.writers.document import json_document, json_pieces, write_text
    from trajmeter.writers.files import (
        OutputWatch,
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
    "OutputWatch",
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

_MODULES = {
    "CsvWriter": "text",
    "JsonLinesWriter": "text",
    "OutputWatch": "files",
    "ParquetWriter": "parquet",
    "TableWriter": "files",
    "check_is_apart": "files",
    "check_is_no_input": "files",
    "check_output": "files",
    "check_place": "files",
    "csv_text": "text",
    "json_document": "document",
    "json_lines_text": "text",
    "json_pieces": "document",
    "open_table": "files",
    "write_text": "document",
}
"""The module that defines each name, loaded on first use: a run writes one or two formats."""

__getattr__ = lazy_getattr(__name__, _MODULES)
