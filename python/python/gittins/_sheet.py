"""A CSV file as columns of cells, with the line of each row."""

from __future__ import annotations

import csv
import io
import math
import os
import pathlib
import re
from typing import TYPE_CHECKING, Any

from gittins._check import hint
from gittins.errors import (
    DimensionError,
    EmptyError,
    InvalidSettingError,
    StorageError,
    UnknownParameterError,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

#: What may stand between the cells of a line. The first one is preferred.
_SEPARATORS = ",;\t"

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def cells_of(
    path: str | os.PathLike[str], wanted: Sequence[str] | None
) -> tuple[dict[str, list[str]], list[int]]:
    """Return the cells of some columns, or of all, by their names, and the line of each row.

    Raises:
        GittinsError: The file cannot be read, or is no table. The message names it and the line.
    """
    content = _content(path)
    separator = max(_SEPARATORS, key=content.lstrip().split("\n", 1)[0].count)
    header: list[str] = []
    rows: list[list[str]] = []
    lines: list[int] = []
    before, reader = 0, csv.reader(io.StringIO(content, newline=""), delimiter=separator)
    for given in reader:
        line, before = before + 1, reader.line_num
        cells = [cell.strip() for cell in given]
        if not header and any(cells):
            header = cells
        elif len(cells) == len(header):
            rows.append([_pointed(cell) for cell in cells] if separator == ";" else cells)
            lines.append(line)
        elif any(cells):
            message = (
                f"{path}: line {line}: expected {len(header)} cells, one for each column, "
                f"got {len(cells)}"
            )
            raise DimensionError(message)
    if not rows:
        message = f"{path}: expected a line of names and a line for each candidate, got none"
        raise EmptyError(message)
    places = _places(path, header, wanted)
    return {name: [row[at] for row in rows] for name, at in places.items()}, lines


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
        if name not in named:
            message = f"{path}: no column is named {name!r}; there are {named}{hint(name, named)}"
            raise UnknownParameterError(message)
    return {name: header.index(name) for name in wanted}


def _pointed(cell: str) -> str:
    """Return a cell beside semicolons, in which a comma is the point of a number."""
    return cell.replace(",", ".") if _NUMBER.fullmatch(cell.replace(",", ".", 1)) else cell


def typed(cells: list[str]) -> list[Any]:
    """Return numbers if all cells are numbers, and texts otherwise. An empty cell is `None`."""
    numbers = [None if cell.lower() in ("", "-", "nan") else _number(cell) for cell in cells]
    if all(one is None or math.isfinite(one) for one in numbers):
        return numbers
    return [cell or None for cell in cells]


def _number(cell: str) -> float:
    """Return a number, which is NaN for a text that is none. A whole one stays whole."""
    if not _NUMBER.fullmatch(cell):
        return math.nan
    return float(cell) if re.search("[.eE]", cell) else int(cell)
