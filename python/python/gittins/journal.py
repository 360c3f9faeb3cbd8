"""A study in a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gittins import _gittins
from gittins._data import OfFile, StudySettings, opened, settings_of
from gittins._words import refuse_unknown
from gittins.space import Space
from gittins.study import Study

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from gittins._data import Direction

__all__ = ["Journal"]


class Journal(OfFile, Study):
    """A study in a file, which survives its process and which several processes may share.

    The file is a journal of Optuna, which its dashboard shows. A study in a file begins by the same
    settings as `Study`. Without a space it goes on by the settings of the file.

    Args:
        path: The file. It is made if it is not there and a space is given.
        space: What is searched.
        direction: `"minimize"` or `"maximize"`.
        name: The name of the study in the file, if there are several.

    Raises:
        GittinsError: The file cannot be opened, is none or has another study. A setting makes no
            sense, or comes without a space: the study has those of the file.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        space: Space | None = None,
        direction: Direction = "minimize",
        *,
        name: str | None = None,
        **settings: Unpack[StudySettings],
    ) -> None:
        refuse_unknown(type(self).__name__, settings, StudySettings.__annotations__)

        def settle(space: Space) -> str:
            return settings_of(space, direction, **settings)

        self._attach(opened(_gittins.Study.open, path, space, name, settings, settle))
        self._stand(path, name)

    def sync(self) -> None:
        """Read what other processes wrote to the file. Every call but those that only look does."""
        self._inner.sync()
