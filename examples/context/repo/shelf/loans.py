"""Loans: who has which book, until when."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shelf.catalog import Book

LOAN_DAYS = 14


class Loan:
    """One book in the hands of one reader."""

    def __init__(self, book: Book, reader: str, day: int) -> None:
        self.book = book
        self.reader = reader
        self.due = day + LOAN_DAYS

    def renew(self, day: int) -> bool:
        """Extend the loan from a day on."""
        self.due = day + LOAN_DAYS
        return True

    def days_late(self, day: int) -> int:
        """Days since the loan was due; negative before."""
        return day - self.due
