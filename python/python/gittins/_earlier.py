"""What a study begins with, after earlier studies of like tasks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from gittins import _gittins
from gittins._check import whole
from gittins.errors import InvalidSettingError
from gittins.space import Space
from gittins.study import Study

__all__ = ["warm_start"]


def warm_start(space: Space, earlier: Sequence[Study], count: int = 5) -> list[dict[str, Any]]:
    """Return the settings that did best in earlier studies of like tasks.

    They are for `first` of a study. Only ranks count, as outcomes of two tasks have other scales.
    What a setting would have done in a study is taken from the trial nearest to it. Each setting is
    chosen to help most in the studies in which those before it did not.

        >>> import gittins
        >>> space = gittins.Space().float("rate", 1e-4, 1.0, log=True)
        >>> earlier = gittins.Study(space)
        >>> for _ in range(9):
        ...     ask = earlier.ask()
        ...     earlier.tell(ask, abs(ask["rate"] - 0.01))
        >>> first = gittins.warm_start(space, [earlier], 1)
        >>> study = gittins.Study(space, first=first)
        >>> abs(study.ask()["rate"] - earlier.best()["rate"]) < 1e-9
        True

    Args:
        space: What the new study searches. Parameters that it does not have are left out, and
            trials that lack one of its own, or are out of its bounds, are passed over.
        earlier: The earlier studies, each in memory or in a file: `gittins.Journal(path)`.
        count: How many settings. If earlier studies mislead, they are what this costs.

    Raises:
        EmptyError: No complete trial of the earlier studies is in this space.
    """
    if not isinstance(space, Space):
        message = f"space: expected a gittins.Space, got {space!r}"
        raise InvalidSettingError(message)
    studies = earlier if isinstance(earlier, Sequence) else [earlier]
    for study in studies:
        if not isinstance(study, Study):
            example = "[gittins.Journal(path)]"
            message = f"earlier: expected a list of studies, such as {example}, got {study!r}"
            raise InvalidSettingError(message)
    most = whole("count", count, least=0)
    inner = [study._inner for study in studies]
    with space._speaking():
        found = _gittins.warm_start(json.dumps(space.to_data()), inner, most)
    parameters = space._parameters
    # What is absent is no name, and no value.
    return [
        {name: parameters[name].decoded(code) for name, code in one.items() if code is not None}
        for one in found
    ]
