"""A fake S3 server for the tests of this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.remote.stores import Bucket, s3_server

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def s3_port() -> Iterator[int]:
    """Port of a fake S3 server."""
    yield from s3_server()


@pytest.fixture
def bucket(s3_port: int) -> Bucket:
    """An empty bucket."""
    return Bucket(s3_port)
