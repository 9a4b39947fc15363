"""Opens the journal of an evaluation, resuming an interrupted one or creating a new one.

A journal is stored next to the result files, under their name with a leading dot. Creating it
before the first question reserves that name, so evaluations started in the same second, in one
process or several, write different files.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
import warnings
from datetime import datetime, timedelta, timezone
from importlib.metadata import version
from typing import TYPE_CHECKING, BinaryIO

from pydantic import ValidationError

from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.frameworks.harness.journal import Journal, JournalHeader
from trajmeter.frameworks.result_files import STAMP
from trajmeter.system import locks
from trajmeter.validation_errors import describe_error

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from trajmeter.frameworks.scenario import Scenario

__all__ = ["fingerprint", "open_journal"]

_ANY_STAMP = "[0-9]" * 8 + "_" + "[0-9]" * 6


def fingerprint(scenario: Scenario, *, files: Mapping[str, Path], **options: object) -> str:
    """Digest of what an evaluation's results depend on; a journal with another one is not resumed.

    Args:
        scenario: The scenario.
        files: Files whose content counts, by name: the agent's code, the documents.
        options: Other options that results depend on.
    """
    content = scenario.model_dump(mode="json", exclude={"folder", "documents_dir"}) | {
        "options": options,
        "version": version("trajmeter"),
        "files": {
            name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in files.items()
        },
    }
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def open_journal(folder: Path, stem: str, digest: str) -> Journal:
    """Open the journal of an interrupted evaluation, or start a new one.

    Journals in use by another process are skipped. One with another digest is kept, with a warning,
    because its answers may have cost money.

    Args:
        folder: Folder of the result files; created if missing.
        stem: Start of the names of the result files.
        digest: Digest by :func:`fingerprint`.

    Raises:
        ReadError: The journal cannot be read; the message names file and line.
        ConfigurationError: The folder is not writable.
    """
    folder = folder.absolute()  # an agent may change the working directory
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _reopened(folder, stem, digest) or _begin(folder, stem, digest)
    except OSError as error:
        if folder.is_file():
            raise ConfigurationError(
                f"{folder}: a file, expected a folder for the result files"
            ) from error
        raise ConfigurationError(
            f"{folder}: cannot write results: {error.strerror or error}"
        ) from error


def _reopened(folder: Path, stem: str, digest: str) -> Journal | None:
    """The journal that an interrupted run with this digest left; warns of those with another."""
    others = []
    for file in sorted(folder.glob(f".{glob.escape(stem)}_{_ANY_STAMP}.journal")):
        stream = _locked(file)
        if stream is None:
            continue
        journal = None
        try:
            journal = _resumed(stream, digest)
            if journal is not None:
                return journal
            if stream.tell():  # otherwise another process is creating it
                others.append(file)
        finally:
            if journal is None:
                stream.close()
    for file in others:
        warnings.warn(
            f"{file}: kept from an interrupted run with another agent, scenario or other "
            "options; this run starts over",
            stacklevel=3,
        )
    return None


def _locked(file: Path) -> BinaryIO | None:
    """A journal, locked for this process until it is closed.

    ``None`` if another process has locked it, or has just finished and removed it.
    """
    try:
        stream = file.open("r+b")
    except FileNotFoundError:
        return None
    except PermissionError:
        if locks.WINDOWS:  # it is being removed
            return None
        raise
    try:
        is_ours = locks.lock(stream)
    except OSError:
        is_ours = False
    if not is_ours:
        stream.close()
        return None
    if os.fstat(stream.fileno()).st_nlink == 0:
        stream.close()
        return None
    return stream


def _begin(folder: Path, stem: str, digest: str) -> Journal:
    """A new journal, stamped with the first second from now that is not in use."""
    at = datetime.now(timezone.utc).replace(microsecond=0)
    while True:
        name = f"{stem}_{at:{STAMP}}"
        file = folder / f".{name}.journal"
        try:
            stream = file.open("x+b")
        except FileExistsError:
            pass
        else:
            # Checked after the journal is created: by now, any other owner of this name has
            # written.
            if not any(folder.glob(f"{glob.escape(name)}*.json")):
                return _stamped(stream, JournalHeader(fingerprint=digest, named_at=at))
            stream.close()
            file.unlink()
        at += timedelta(seconds=1)


def _stamped(stream: BinaryIO, header: JournalHeader) -> Journal:
    locks.lock(stream, wait=True)  # for a process that is reading it
    stream.write(header.model_dump_json().encode() + b"\n")
    stream.flush()
    return Journal(stream, [], header)


def _resumed(stream: BinaryIO, digest: str) -> Journal | None:
    """The journal in a file, if it has this digest; an incomplete last line is removed."""
    # Bytes, because an incomplete line may end inside a character.
    *complete, cut = stream.read().split(b"\n")
    if not complete:
        return None
    try:
        header = JournalHeader.model_validate_json(complete[0])
    except ValidationError as error:
        fault = describe_error(error)
        raise ReadError(f"{stream.name}:1: not a journal: {fault}") from error
    if header.fingerprint != digest:
        return None
    if cut:
        stream.seek(-len(cut), os.SEEK_END)
        stream.truncate()
    return Journal(stream, complete[1:], header)
