"""A CSV file as columns of cells, read as the command reads it."""

from __future__ import annotations

import os
import pathlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gittins import _gittins
from gittins._check import hint
from gittins.errors import (
    EmptyError,
    GittinsError,
    InvalidSettingError,
    StorageError,
    UnknownParameterError,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Cells:
    """The cells of a column."""

    #: What stands there.
    texts: list[str]
    #: What stands between the cells of a line, which says what a comma in a number is.
    separator: str

    def numbers(self) -> list[float | int | None] | None:
        """Return the numbers if the cells are numbers; a whole one stays whole.

        Raises:
            OddCellError: A cell is none among numbers.
        """
        texts, odd = _gittins.sheet_column(self.texts, self.separator)
        if odd is not None:
            raise OddCellError(*odd)
        return None if texts is None else [None if one is None else _number(one) for one in texts]

    @property
    def are_codes(self) -> bool:
        """Whether a number has a zero in front, as numbers that name things have."""
        return any(re.match(r"[+-]?0\d", text) for text in self.texts)

    def names(self) -> list[str | None]:
        """Return the cells as names."""
        return [text or None for text in self.texts]


class OddCellError(Exception):
    """A cell that is no number among numbers: its row, and why."""

    def __init__(self, row: int, words: str) -> None:
        super().__init__(words)
        self.row, self.words = row, words


def cells_of(
    path: str | os.PathLike[str], wanted: Sequence[str] | None
) -> tuple[dict[str, Cells], list[int], list[str] | None]:
    """Return the cells of some columns, or of all, by their names, and the line of each row.

    Also what the rows are called: in the first other column in which all cells differ.

    Raises:
        GittinsError: The file cannot be read, or is no table. The message names it and the line.
    """
    content = _content(path)
    try:
        header, rows, lines, separator, labels = _gittins.sheet_rows(content, wanted)
    except GittinsError as error:
        raise type(error)(f"{path}: {error}") from None
    if not rows:
        message = f"{path}: expected a line of names and a line for each candidate, got none"
        raise EmptyError(message)
    places = _places(path, header, wanted)
    found = {name: Cells([row[at] for row in rows], separator) for name, at in places.items()}
    return found, lines, labels


def _content(path: Any) -> str:
    if not isinstance(path, (str, os.PathLike)):
        message = f"path: expected the path of a CSV file, got {path!r}"
        raise InvalidSettingError(message)
    try:
        return pathlib.Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = "expected text in UTF-8" if isinstance(error, ValueError) else error.strerror
        message = f"{path}: {why}"
        raise StorageError(message) from error


def _places(
    path: str | os.PathLike[str], header: list[str], wanted: Sequence[str] | None
) -> dict[str, int]:
    """Return where the columns are that are wanted.

    All are but that of the numbers of rows, which pandas writes in front without a name.
    """
    named = [name for name in header if name]
    if twice := [name for name in named if named.count(name) > 1]:
        message = f"{path}: two columns are named {twice[0]!r}"
        raise UnknownParameterError(message)
    if wanted is None:
        if "" in header[1:]:
            at = header.index("", 1) + 1
            message = f"{path}: column {at} has no name: give it one, or say which columns to take"
            raise UnknownParameterError(message)
        wanted = named
    for name in wanted:
        refuse_unknown(path, name, named)
    return {name: header.index(name) for name in wanted}


def refuse_unknown(place: object, name: Any, there: list[str]) -> None:
    """Refuse a name that no column has.

    Raises:
        UnknownParameterError: It is none of those that are there.
    """
    if name not in there:
        message = f"{place}: no column is named {name!r}; there are {there}{hint(name, there)}"
        raise UnknownParameterError(message)


def _number(text: str) -> float | int:
    return float(text) if re.search("[.eE]", text) else int(text)
