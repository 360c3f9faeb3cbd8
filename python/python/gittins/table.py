"""A list of candidates, in place of a space."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Union

from gittins._check import in_order, number, plain, text
from gittins._gittins import LARGEST_WHOLE
from gittins._names import name_of
from gittins._parameter import Parameter
from gittins._searched import Searched
from gittins._sheet import Cells, OddCellError, cells_of, refuse_unknown
from gittins._words import Answering
from gittins.errors import (
    DimensionError,
    EmptyError,
    InvalidSettingError,
    OutOfBoundsError,
    UnknownParameterError,
)

if TYPE_CHECKING:
    import os

    from typing_extensions import Self

__all__ = ["Columns", "Table"]


class Frame(Protocol):
    """A data frame, of pandas or another library."""

    @property
    def columns(self) -> Iterable[Any]:
        """The names of its columns."""
        raise NotImplementedError

    def __getitem__(self, name: Any, /) -> Any:
        """Return a column."""
        raise NotImplementedError


#: The candidates: the values of each column by its name, a dictionary for each candidate, or a data
#: frame.
Columns = Union[Mapping[str, Iterable[Any]], Sequence[Mapping[str, Any]], Frame]


class Table(Searched, Answering):
    """A list of candidates: a study chooses among its rows, in place of a space.

    >>> models = Table(
    ...     {"family": ["oak", "oak", "elm"], "size": [7, 70, 8]},
    ...     log=["size"],
    ... )
    >>> len(models), models.names
    (3, ['family', 'size'])
    >>> models.row_of({"family": "oak", "size": 70})
    1

    A column has numbers, texts or flags. What is `None` or NaN is absent. What a model is to know
    of a candidate is a column; `row_of` finds whatever else belongs to it. What the candidates are
    called no model sees: asks and trials have it as their `label`.

    Args:
        columns: The values of each column by its name, a dictionary for each candidate, or a data
            frame, such as `frame[["family", "size"]]`.
        log: The columns of positive numbers whose orders of magnitude matter.
        labels: What the candidates are called.

    Raises:
        GittinsError: A column makes no sense, or two rows agree in all of them. The message names
            the column and the row, from 0 on.
    """

    _labels: list[str] | None

    def __init__(
        self, columns: Columns, *, log: Iterable[str] = (), labels: Iterable[str] | None = None
    ) -> None:
        super().__init__()
        found = {name: _Column(values) for name, values in _columns_of(columns).items()}
        self._fill(found, log, _Rows())
        if labels is not None:
            self._labels = called = [text("a label", one) for one in _list("labels", labels)]
            if len(called) != len(self):
                message = f"labels: {len(self)} rows, and {len(called)} labels"
                raise DimensionError(message)

    @classmethod
    def from_csv(
        cls,
        path: str | os.PathLike[str],
        columns: Iterable[str] | None = None,
        *,
        log: Iterable[str] = (),
        categorical: Iterable[str] = (),
    ) -> Self:
        """Read the candidates from a CSV file: a line of names, then a line for each candidate.

        A column in which all cells are numbers has numbers, and one in which at most half are has
        texts. An empty cell is absent, and so is `NA` and the like among numbers. The values of
        rows are what the file has: `007` is the text, which is modeled as 7. The file may have
        semicolons or tabs in place of commas. The first column that is not taken and in which all
        cells differ says what the candidates are called.

        Args:
            path: The file.
            columns: The columns to take; all unless given.
            log: The columns of positive numbers whose orders of magnitude matter.
            categorical: The columns whose cells are texts, although they look like numbers.

        Raises:
            GittinsError: The file cannot be read or is no table, or a cell is no number where most
                of its column are. The message names the line.
        """
        wanted = None if columns is None else _texts("columns", columns)
        if wanted == []:
            message = "columns: expected at least one column; all are taken unless given"
            raise EmptyError(message)
        found, lines, labels = cells_of(path, wanted)
        table = cls.__new__(cls)
        Searched.__init__(table)
        rows = _Rows(f"{path}: ", "line", lines)
        named = _texts("categorical", categorical)
        for name in named:
            refuse_unknown("categorical", name, list(found))
        columns = {
            name: _Column(cells.names()) if name in named else _Column.of(name, cells, rows)
            for name, cells in found.items()
        }
        table._fill(columns, log, rows)
        table._labels = labels
        return table

    def __len__(self) -> int:
        return len(self._rows)

    def row_of(self, values: Mapping[str, Any]) -> int:
        """Return the number of the row with these values, from 0 on, such as those of an ask.

        Raises:
            OutOfBoundsError: No row has them.
        """
        found = self._places.get(tuple(self._point(values)))
        if found is None:
            message = f"none of the {len(self)} rows has {dict(values)!r}"
            raise OutOfBoundsError(message)
        return found

    def to_data(self) -> dict[str, Any]:
        """Return the table as data, as the engine has it."""
        data = {"names": self.names, "rows": [*map(list, self._rows)], "log": list(self._log)}
        return data if self._labels is None else {**data, "labels": self._labels}

    def __eq__(self, other: object) -> bool:
        """Return whether a study sees the same candidates."""
        known = ("names", "_rows", "_log")
        return isinstance(other, Table) and all(
            getattr(self, name) == getattr(other, name) for name in known
        )

    def __repr__(self) -> str:
        return f"Table({len(self)} rows; {', '.join(self.names)})"

    def _label(self, values: Sequence[Any]) -> str | None:
        at = self._places.get(tuple(values))
        return None if self._labels is None or at is None else self._labels[at] or None

    def _fill(self, columns: dict[str, _Column], log: Iterable[str], rows: _Rows) -> None:
        self._labels = None
        self._log = _texts("log", log)
        coded = {name: self._add(name, column, rows) for name, column in columns.items()}
        for name in self._log:
            refuse_unknown("log", name, self.names)
            if (at := columns[name].unfit()) is not None:
                got = columns[name].values[at]
                wanted = f"a log scale needs positive numbers, got {got!r}"
                message = f"{rows.place(at, name)}: {wanted}"
                raise InvalidSettingError(message)
        for name in self._told_apart(coded, columns):
            coded[name] = self._add_names(name, columns[name].as_texts())
        self._rows: list[tuple[Any, ...]] = list(zip(*coded.values()))
        self._places: dict[tuple[Any, ...], int] = {}
        for at, row in enumerate(self._rows):
            first = self._places.setdefault(row, at)
            if first != at:
                message = (
                    f"{rows.file}{rows.word}s {rows.number(first)} and {rows.number(at)} agree in "
                    f"{', '.join(self.names)}, so a study cannot tell them apart: leave one of "
                    "them out, or add a column in which they differ"
                )
                raise InvalidSettingError(message)

    def _told_apart(
        self, coded: dict[str, list[Any]], columns: dict[str, _Column]
    ) -> Iterable[str]:
        """Return the columns whose numbers the engine cannot tell apart, and must: as names.

        Those are whole numbers of more digits than the engine has, and cells of a file such as 4.1
        and 4.10 if rows differ in them alone.
        """
        found: dict[str, None] = {}
        for name, codes in coded.items():
            own: dict[Any, Any] = {}
            values = columns[name].values
            if any(own.setdefault(code, one) != one for code, one in zip(codes, values)):
                found[name] = None
        first: dict[tuple[Any, ...], int] = {}
        for at, row in enumerate(zip(*coded.values())):
            other = first.setdefault(row, at)
            texts = (
                (name, columns[name].as_texts())
                for name in coded
                if other != at and name not in self._log
            )
            found.update({name: None for name, these in texts if these[at] != these[other]})
        return found

    def _add(self, name: str, column: _Column, rows: _Rows) -> list[Any]:
        """Add a column, and return its values as the engine has them."""
        values = column.values if column.sizes is None else column.sizes
        there = [value for value in values if value is not None]
        if not there:
            message = f"{rows.file}column {name!r}: nothing stands in it; leave it out"
            raise InvalidSettingError(message)
        for at, value in enumerate(values):
            if value is not None and _sort(value) is not _sort(there[0]):
                message = (
                    f"{rows.place(at, name)}: a column has numbers, texts or flags, and not "
                    f"several of them: got {value!r} beside {there[0]!r}"
                )
                raise InvalidSettingError(message)
        if isinstance(there[0], str):
            return self._add_names(name, values)
        if isinstance(there[0], bool):
            self._parameters[name] = Parameter(name, "flag")
            return values
        is_whole = all(isinstance(one, int) and abs(one) <= LARGEST_WHOLE for one in there)
        if is_whole and column.sizes is None:
            # Whole numbers stay whole where a study has them.
            kind: Any = {"steps": {"low": min(there), "high": max(there), "step": 1}}
        else:
            low, high = float(min(there)), float(max(there))
            kind = {"float": {"low": low, "high": high}}
        codes = [one if one is None or is_whole else float(one) for one in values]
        pairs = [(code, one) for code, one in zip(codes, column.values) if code is not None]
        own = {code: one for code, one in pairs if "float" in kind and not isinstance(one, float)}
        called = {text: code for text, code in zip(column.texts or [], codes) if code is not None}
        self._parameters[name] = Parameter(name, kind, own=own, called=called)
        return codes

    def _add_names(self, name: str, values: Sequence[Any]) -> list[Any]:
        """Add a column of names, and return its values as the engine has them."""
        names = [None if one is None else name_of(name, one) for one in values]
        known = [one for one in dict.fromkeys(names) if one is not None]
        self._parameters[name] = Parameter(name, {"choice": {"names": known}})
        return names

    def _point(self, values: Mapping[str, Any]) -> list[Any]:
        """Return the user's values of a row as the engine has them."""
        if not isinstance(values, Mapping):
            message = f"the values: expected a dictionary with {self.names}, got {values!r}"
            raise DimensionError(message)
        for name in values:
            refuse_unknown("the values", name, self.names)
        given = {name: _cell(name, values.get(name)) for name in self._parameters}
        return [
            None if given[name] is None else parameter.encoded(given[name])
            for name, parameter in self._parameters.items()
        ]


class _Column:
    """A column: its values, the numbers that are modeled in place of texts, the cells of a file."""

    def __init__(
        self,
        values: list[Any],
        sizes: list[float | int | None] | None = None,
        texts: list[str] | None = None,
    ) -> None:
        self.values, self.sizes, self.texts = values, sizes, texts

    @classmethod
    def of(cls, name: str, cells: Cells, rows: _Rows) -> Self:
        """Return the column of some cells."""
        try:
            numbers = cells.numbers()
        except OddCellError as odd:
            message = f"{rows.place(odd.row, name)}: {odd.words}"
            raise InvalidSettingError(message) from None
        if numbers is None:
            return cls(cells.names(), texts=cells.texts)
        if cells.are_codes:
            codes = [text if one is not None else None for text, one in zip(cells.texts, numbers)]
            return cls(codes, numbers, cells.texts)
        return cls(numbers, texts=cells.texts)

    def as_texts(self) -> list[Any]:
        """Return the values as names that differ where cells do."""
        pairs = zip(self.values, self.texts or self.values)
        return [None if value is None else text for value, text in pairs]

    def unfit(self) -> int | None:
        """Return the row of a value that is not for a log scale.

        Among texts it is one that is no number, which made texts of all others in a file.
        """
        values = self.values if self.sizes is None else self.sizes
        bad = [at for at, one in enumerate(values) if one is not None and not _is_positive(one)]
        words = [at for at in bad if _is_word(values[at])]
        return next(iter([*words, *bad]), None)


class _Rows:
    """What rows are called in messages."""

    def __init__(self, file: str = "", word: str = "row", lines: Sequence[int] = ()) -> None:
        self.file, self.word, self._lines = file, word, lines

    def number(self, at: int) -> int:
        """Return the number of a row: that of its line in a file."""
        return self._lines[at] if self._lines else at

    def place(self, at: int, column: str) -> str:
        """Return where a value stands."""
        return f"{self.file}{self.word} {self.number(at)}, column {column!r}"


def _sort(value: Any) -> type:
    """Return what a value is: a flag, a text or a number."""
    return type(value) if isinstance(value, (bool, str)) else float


def _is_positive(value: Any) -> bool:
    return not isinstance(value, (bool, str)) and bool(value > 0)


def _is_word(value: Any) -> bool:
    """Return whether a value is a text that is no number."""
    try:
        return isinstance(value, str) and not math.isfinite(float(value))
    except ValueError:
        return True


def _cell(place: str, value: Any) -> Any:
    """Return a value of a table; `None` for what is absent, which data frames have words for."""
    found = plain(value)
    if found is None or type(found).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(found, (bool, str)):
        return found if isinstance(found, bool) else str(found)
    if isinstance(found, float) and math.isnan(found):
        return None
    if not isinstance(found, numbers.Real):
        message = f"{place}: expected a number, a text or a flag, got {value!r}"
        raise InvalidSettingError(message)
    return number(place, found)


def _columns_of(given: Any) -> dict[str, list[Any]]:
    """Return columns of values.

    Raises:
        GittinsError: They are none, or not of one length.
    """
    if hasattr(given, "columns") and hasattr(given, "__getitem__"):
        names = list(given.columns)
        if len({str(name) for name in names}) < len(names):
            message = f"columns: all names must differ, got {names}"
            raise UnknownParameterError(message)
        given = {name: given[name] for name in names}
    elif isinstance(given, list) and given and all(isinstance(row, Mapping) for row in given):
        names = list(dict.fromkeys(name for row in given for name in row))
        given = {name: [row.get(name) for row in given] for name in names}
    if not isinstance(given, Mapping):
        message = (
            "columns: expected lists by the names of columns, a list of dictionaries or a data "
            f"frame, got {given!r}"
        )
        raise InvalidSettingError(message)
    return _checked(given)


def _checked(given: Mapping[Any, Any]) -> dict[str, list[Any]]:
    if not given:
        message = "columns: expected at least one column, got none"
        raise EmptyError(message)
    found: dict[str, list[Any]] = {}
    for name, values in given.items():
        # A set has no order that stays the same.
        column = in_order(values)
        if column is None:
            message = f"column {name!r}: expected a list of values, got {values!r}"
            raise InvalidSettingError(message)
        place = f"column {text('the name of a column', name)!r}"
        found[name] = [_cell(f"row {at}, {place}", one) for at, one in enumerate(column)]
    sizes = {name: len(column) for name, column in found.items()}
    if len(set(sizes.values())) > 1:
        message = f"columns: expected a value in each row of each column, got so many: {sizes}"
        raise DimensionError(message)
    if not all(sizes.values()):
        message = "columns: expected at least one row, got none"
        raise EmptyError(message)
    return found


def _texts(what: str, given: Any) -> list[str]:
    """Return texts that differ."""
    names = [text(what, name) for name in _list(what, given)]
    for at, name in enumerate(names):
        if name in names[:at]:
            message = f"{what}: {name!r} is there twice"
            raise InvalidSettingError(message)
    return names


def _list(what: str, given: Any) -> list[Any]:
    """Return a list of names."""
    found = in_order(given)
    if found is None:
        message = f"{what}: expected a list of names, got {given!r}"
        raise InvalidSettingError(message)
    return found
