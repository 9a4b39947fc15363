"""The books on the shelf, and who waits for them."""

from __future__ import annotations


class Book:
    """A book with its title and the readers who wait for it."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.waiting: list[str] = []

    def reserve(self, reader: str) -> int:
        """Put a reader at the end of the queue and return their place in it."""
        self.waiting.append(reader)
        return len(self.waiting)


class Catalog:
    """All books, by title."""

    def __init__(self, titles: list[str]) -> None:
        self.books = {title: Book(title) for title in titles}

    def find(self, title: str) -> Book:
        """Find a book by its exact title."""
        return self.books[title]
