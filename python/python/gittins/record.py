"""The record of a run, as a table."""

from __future__ import annotations

import json
from typing import Any

from gittins import _gittins
from gittins._data import finite
from gittins._parameter import decoded

__all__ = ["Record"]

#: The columns before those of the parameters and behind them, with the type of their cells.
_BEFORE = {"trial": "int", "origin": "str", "state": "str"}
_TOLD = {"outcome": "float", "cost": "float", "spent": "float", "best": "float", "told": "int"}
_THOUGHT = {"mean": "float", "sd": "float", "expected_cost": "float"}
_TYPES = {**_BEFORE, **_TOLD, **_THOUGHT}


class Record(dict[str, list[Any]]):
    """The run as a table: a dictionary of columns, one row for each trial.

    `pandas.DataFrame(record)` and `polars.DataFrame(record)` make a data frame of it, and so does
    whatever else reads dictionaries or Arrow's stream, such as `pyarrow.table` and Narwhals. None
    of them is needed.

    The older interchange protocol (`__dataframe__`) is not offered: pandas 3 deprecates it in favor
    of Arrow's.
    """

    def __len__(self) -> int:
        """Return the number of columns, as of any dictionary."""
        return super().__len__()

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


def tabulated(rows: list[dict[str, Any]], names: list[str]) -> Record:
    """Return the table of the engine's rows."""
    record = Record()
    for name in _BEFORE:
        record[name] = [row[name] for row in rows]
    for name in names:
        column = name if name not in _TYPES else f"parameter {name}"
        record[column] = [decoded(row["values"].get(name)) for row in rows]
    for name in _TOLD:
        record[name] = [finite(row.get(name)) for row in rows]
    for column in _THOUGHT:
        key = "cost" if column == "expected_cost" else column
        record[column] = [
            finite(row["suggestion"].get(key)) if row.get("suggestion") else None for row in rows
        ]
    return record


def _cell(value: Any) -> Any:
    """Return what stands in a cell of a stream: a list is its JSON."""
    return json.dumps(value) if isinstance(value, (list, dict)) else value
