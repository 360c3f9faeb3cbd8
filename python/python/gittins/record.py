"""The record of a run, as a table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gittins import _gittins

if TYPE_CHECKING:
    from collections.abc import Container

    from gittins._names import Coded
    from gittins._parameter import Parameter

__all__ = ["Record"]

_FLOATS = ["outcome", "cost", "spent", "best", "mean", "sd", "expected_cost"]

#: The types of the columns but those of the parameters.
_TYPES = {
    "trial": "int",
    "origin": "str",
    "state": "str",
    "told": "int",
    **dict.fromkeys(_FLOATS, "float"),
}

#: What stands before the name of a parameter, or of a measured number, that is another column too.
_PREFIXES = ("parameter ", "measured ")

#: This many columns come before those of the parameters.
_BEFORE = 3


class Record(dict[str, list[Any]]):
    """The run as a table: a dictionary of columns, one row for each trial.

    `pandas.DataFrame(record)` and `polars.DataFrame(record)` make a data frame of it, and so does
    whatever else reads dictionaries or Arrow's stream, such as `pyarrow.table` and Narwhals. None
    of them is needed.

    The older interchange protocol (`__dataframe__`) is not offered: pandas 3 deprecates it in favor
    of Arrow's.
    """

    @property
    def rows(self) -> int:
        """The number of trials."""
        return len(self["trial"])

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the table as Arrow's PyCapsule of a stream, with nulls for what is not known.

        A column of a parameter has the type of its values: Boolean, 64-bit integer or float, or
        text. Another schema is not obeyed, as the interface allows.
        """
        return _gittins.arrow_stream(
            [(name, _TYPES.get(name), list(map(_cell, column))) for name, column in self.items()]
        )

    def __repr__(self) -> str:
        columns = ", ".join(map(str, self))
        return f"Record({len(self.get('trial', []))} trials; {columns})"


def tabulated(
    facts: list[tuple[str, list[Coded]]],
    measured: list[tuple[str, list[Coded]]],
    values: list[list[Coded]],
    parameters: list[Parameter],
) -> Record:
    """Return the table of what is known of each trial, what was measured, and the values."""
    parameter, beside = _PREFIXES
    columns = [
        (_column(one.name, parameter, _TYPES), [one.decoded(row[at]) for row in values])
        for at, one in enumerate(parameters)
    ]
    record = Record([*facts[:_BEFORE], *columns, *facts[_BEFORE:]])
    for name, column in measured:
        record[_column(name, beside, record)] = column
    return record


def _column(name: str, prefix: str, taken: Container[str]) -> str:
    """Return the name of a column, which no other has."""
    return f"{prefix}{name}" if name in taken or name.startswith(_PREFIXES) else name


def _cell(value: Any) -> Any:
    """Return what stands in a cell of a stream: a list is its JSON."""
    return json.dumps(value) if isinstance(value, (list, dict)) else value
