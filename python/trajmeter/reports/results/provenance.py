"""Provenance of a report: versions, settings, inputs with digests, models and dates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from trajmeter.metrics.rows import package_version
from trajmeter.readers.results import parameters_of
from trajmeter.reports.cells import NOTHING
from trajmeter.reports.page.document import Part, PartTable
from trajmeter.reports.tables import Table
from trajmeter.writers.provenance import InputFile, Provenance, input_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trajmeter.readers.results import ResultsTable
    from trajmeter.reports.results.findings import Findings

__all__ = ["file_rows", "provenance_part", "shown_command", "text_columns"]

_UNKNOWN = "not recorded"
_SETTINGS = "trajmeter.settings"
"""Metadata key for the contents of the manifest of a folder of parts."""
_FILE_HEADER = ("file", "bytes", "files", "SHA-256")


def text_columns(families: Iterable[str]) -> list[str]:
    """Text columns that record how rows were made."""
    own = [f"{family}.{end}" for family in families for end in ("version", "parameters")]
    return [*own, "backend", "speedup.price_table"]


def provenance_part(findings: Findings, made: Provenance, *, has_files: bool = True) -> Part:
    """Build the part on the inputs and settings of the report.

    Args:
        findings: The findings.
        made: Provenance of the report itself.
        has_files: Whether the tables are files that readers can open.
    """
    tables = findings.rows.tables
    runs = [_run(table) for table in tables]
    unknown = [
        _name(table)
        for table, run in zip(tables, runs, strict=True)
        if run is None and _SETTINGS not in table.metadata
    ]
    notes = []
    if unknown:
        listed = ", ".join(unknown[:5])
        more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""  # noqa: PLR2004 - listed
        notes.append(
            f"Not recorded by {listed}{more}: the command, its inputs, and when it ran. Parquet "
            "files written by trajmeter score contain them."
        )
    parts = [
        PartTable(
            Table("This report", ("", ""), tuple(_report_facts(findings, made)), texts=(0, 1))
        ),
        PartTable(Table("Results", ("", ""), tuple(_result_facts(findings)), texts=(0, 1))),
        _metrics(findings),
    ]
    kept = [Path(table.name) for table in tables if has_files and _is_file(table)]
    files = [*file_rows(map(input_file, kept))]
    if files:
        parts.append(_files("Results tables", files))
    for table, run in zip(tables, runs, strict=True):
        if run is not None:
            parts += _run_parts(table, run, is_one=len(tables) == 1)
        elif _SETTINGS in table.metadata:
            parts.append(_read(table))
            notes.append(f"Not recorded by {_name(table)}: the command, and when it ran.")
    return Part("provenance", "Provenance", tables=tuple(parts), notes=tuple(notes))


def file_rows(files: Iterable[InputFile]) -> Iterator[tuple[str, ...]]:
    """Cells of a table of files."""
    for file in files:
        size = _UNKNOWN if file.bytes is None else f"{file.bytes:,}"
        count = "" if file.files is None else f"{file.files:,}"
        ends = "first and last MiB" if file.files is None else "first and last 4 KiB of each file"
        digest = f"{ends}: {file.ends_sha256}" if file.ends_sha256 else _UNKNOWN
        yield file.path, size, count, file.sha256 or digest


def shown_command(run: Provenance) -> str:
    """A command line quoted for a shell."""
    import shlex

    return shlex.join(run.command) if run.command else _UNKNOWN


def _files(title: str, rows: Sequence[tuple[str, ...]]) -> PartTable:
    return PartTable(Table(title, _FILE_HEADER, tuple(rows), texts=(0, 3)))


def _is_file(table: ResultsTable) -> bool:
    """Whether a table is a file, not rows that have the name of one."""
    return table.name != table.label and Path(table.name).exists()


def _name(table: ResultsTable) -> str:
    """Name of a table for people."""
    return table.label or Path(table.name).name


def _run(table: ResultsTable) -> Provenance | None:
    try:
        return Provenance.model_validate_json(table.metadata.get("trajmeter.run", ""))
    except ValidationError:
        return None


def _report_facts(findings: Findings, made: Provenance) -> Iterator[tuple[str, str]]:
    options = findings.estimates.options
    yield "made at", made.started_at
    yield "by", f"trajmeter {package_version()}, Python {made.python_version}"
    yield "command", shown_command(made)
    drawn = f", seed {options.seed}, {options.resamples:,} draws where drawn"
    yield "intervals", f"{options.interval}, level {options.level:g}, by {options.cluster}{drawn}"


def _result_facts(findings: Findings) -> Iterator[tuple[str, str]]:
    rows = findings.rows
    yield "attempts", f"{len(rows):,}"
    yield "tasks", f"{len(rows.tasks):,}"
    for name in ("agent", "model"):
        column = rows.texts.get(name)
        texts = sorted(column.texts) if column is not None else []
        yield f"{name}s", _listed(texts) or _UNKNOWN
    yield "judge", _listed(sorted(_judges(findings))) or "none recorded"
    prices = rows.texts.get("speedup.price_table")
    named = _listed(sorted(prices.texts)) if prices is not None else ""
    yield "prices", named or "costs are as recorded by the runs; no price table was recorded"
    versions = {each for t in rows.tables if (each := t.metadata.get("trajmeter.version"))}
    yield "scored by", ", ".join(f"trajmeter {each}" for each in sorted(versions)) or _UNKNOWN
    backends = rows.texts.get("backend")
    yield "backend", _listed(sorted(backends.texts)) if backends is not None else _UNKNOWN


def _judges(findings: Findings) -> Iterator[str]:
    for table in findings.rows.tables:
        run = _run(table)
        if run is not None and run.judge is not None:
            yield run.judge


def _listed(texts: Sequence[str]) -> str:
    shown = ", ".join(texts[:20])
    return f"{shown} and {len(texts) - 20} more" if len(texts) > 20 else shown  # noqa: PLR2004 - listed


def _metrics(findings: Findings) -> PartTable:
    """Version and settings of each metric, from the metadata or, without any, from the rows."""
    rows = []
    described: dict[str, set[tuple[str, str]]] = {}
    for table in findings.rows.tables:
        for family, about in parameters_of(table.metadata).items():
            settings = _settings(about.get("parameters", {}))
            described.setdefault(family, set()).add((str(about.get("version")), settings))
    families = dict.fromkeys(name.partition(".")[0] for name in findings.figures)
    for family in families:
        variants = described.get(family) or _in_rows(findings, family)
        for version, settings in sorted(variants):
            rows.append((family, version, settings))
    header = ("metric", "version", "profile and settings")
    return PartTable(Table("Metrics", header, tuple(rows), texts=(0, 1, 2)))


def _in_rows(findings: Findings, family: str) -> set[tuple[str, str]]:
    version, parameters = (
        findings.rows.texts.get(f"{family}.{end}") for end in ("version", "parameters")
    )
    versions = ", ".join(version.texts) if version is not None else ""
    number = findings.rows.numbers.get(f"{family}.version")
    if not versions and number is not None and len(number):
        versions = f"{number[0]:g}"
    settings = {_settings(_parsed(text)) for text in parameters.texts} if parameters else {NOTHING}
    return {(versions or _UNKNOWN, text) for text in settings}


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _settings(parameters: object) -> str:
    if not isinstance(parameters, dict):
        return str(parameters) or NOTHING
    known = {key: value for key, value in parameters.items() if value is not None}
    listed = ", ".join(
        f"{key} {value if isinstance(value, str) else json.dumps(value)}"
        for key, value in known.items()
    )
    return listed or "default"


def _read(table: ResultsTable) -> PartTable:
    """Inputs recorded in a folder of parts."""
    settings = _parsed(table.metadata[_SETTINGS])
    own = settings if isinstance(settings, dict) else {}
    rows = tuple(
        (role, path, str(digest))
        for role in ("inputs", "tasks", "snapshots")
        if isinstance(held := own.get(role), dict)
        for path, digest in held.items()
    )
    title = f"Inputs of {_name(table)}"
    return PartTable(Table(title, ("role", "file", "size or digest"), rows, texts=(0, 1, 2)))


def _run_parts(table: ResultsTable, run: Provenance, *, is_one: bool) -> Iterator[PartTable]:
    name = "" if is_one else f" of {_name(table)}"
    rows = (
        ("scored at", run.started_at),
        ("command", shown_command(run)),
        ("Python", run.python_version),
    )
    yield PartTable(Table(f"Scoring{name}", ("", ""), rows, texts=(0, 1)))
    if run.inputs:
        yield _files(f"Inputs{name}", [*file_rows(run.inputs)])
