"""A study in a file."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any

from gittins._data import StudySettings, opened, settings_of
from gittins._words import refuse_unknown
from gittins.space import Space
from gittins.study import Study
from gittins.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Unpack

    from gittins._data import Direction

__all__ = ["Journal"]

_logger = logging.getLogger("gittins")


class Journal(Study):
    """A study in a file, which survives its process and which several processes may share.

    The file is a journal of Optuna, which its dashboard shows. A study in a file begins by the same
    settings as `Study`. Without a space it goes on by the settings of the file. A study that Optuna
    made gets a space of all that its trials have, with a condition for each parameter of a branch.
    A trial that is no point of the space is in `left_out`, and a warning is logged.

    Args:
        path: The file. It is made if it is not there and a space is given.
        space: What is searched. The file does not keep a `Table`, which is then given each time.
        direction: `"minimize"` or `"maximize"`.
        name: The name of the study in the file, if there are several.

    Raises:
        GittinsError: The file cannot be opened, is none or has another study. A setting makes no
            sense, or comes without a space: the study has those of the file.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        space: Space | Table | None = None,
        direction: Direction = "minimize",
        *,
        name: str | None = None,
        **settings: Unpack[StudySettings],
    ) -> None:
        refuse_unknown(type(self).__name__, settings, StudySettings.__annotations__)

        def settle(space: Space | Table) -> str:
            return settings_of(space, direction, **settings)

        inner, self._name = opened(path, space, name, settings, settle)
        self._attach(inner, space)
        self._path = os.fspath(path)
        self._place = os.path.abspath(path)
        self._said: set[object] = set()
        self._say_what_it_lacks()

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how the file is opened again.

        Raises:
            TypeError: The file does not keep what is searched.
        """
        if isinstance(self._space, Table):
            message = (
                f"a {type(self).__name__} of a Table cannot be pickled, since its file does not "
                "have the table: open the file with it in each process"
            )
            raise TypeError(message)
        return _opened_again, (type(self), self._place, self._name)

    @property
    def left_out(self) -> dict[int, str]:
        """The trials of others that are in the file alone, and why, by their numbers."""
        return self._inner.lacks()[0]

    def sync(self) -> None:
        """Read what other processes wrote to the file. Every call but those that only look does."""
        self._inner.sync()
        self._say_what_it_lacks()

    def _say_what_it_lacks(self) -> None:
        """Log what the file has and the study has not, and what the file has lost, once each."""
        left_out, missing = self._inner.lacks()
        new = {number: why for number, why in left_out.items() if number not in self._said}
        self._said.update(new)
        # What was withdrawn is no result.
        new = {number: why for number, why in new.items() if why != "it was withdrawn"}
        if new:
            number, why = min(new.items())
            what = f"trial {number} is" if len(new) == 1 else f"{len(new)} trials are"
            first = why if len(new) == 1 else f"of trial {number}, {why}"
            message = "%s: %s left out of the study: %s; Journal.left_out has the reasons"
            _logger.warning(message, self._path, what, first)
        if missing is not None and missing not in self._said:
            self._said.add(missing)
            _logger.warning("%s: %s", self._path, missing)


def _opened_again(kind: Callable[..., Journal], path: str, name: str) -> Journal:
    return kind(path, name=name)
