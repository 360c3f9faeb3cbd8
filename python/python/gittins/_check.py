"""Checks of what is given: each names what it is for, and what came instead."""

from __future__ import annotations

import difflib
import math
import numbers
from collections.abc import Iterable, Mapping
from typing import Any

from gittins.errors import InvalidSettingError, NonFiniteError


def plain(value: Any) -> Any:
    """Return a scalar of NumPy or its like as the value of Python that it has."""
    return value.item() if getattr(value, "ndim", None) == 0 and hasattr(value, "item") else value


def in_order(values: Any) -> list[Any] | None:
    """Return the values of a list or of what is like one; `None` if there is no such order.

    A dictionary and a data frame would give their keys, and a set gives each value once.
    """
    is_other = isinstance(values, (str, bytes, Mapping, set, frozenset))
    if is_other or hasattr(values, "columns") or getattr(values, "ndim", None) == 0:
        return None
    return [plain(value) for value in values] if isinstance(values, Iterable) else None


def number(what: str, value: Any) -> float:
    """Return a finite number: whole ones stay whole.

    Raises:
        InvalidSettingError: It is no number. Flags are none.
        NonFiniteError: It is NaN or infinite.
    """
    found = plain(value)
    if isinstance(found, bool) or not isinstance(found, numbers.Real):
        message = f"{what}: expected a number, got {value!r}"
        raise InvalidSettingError(message)
    try:
        size = float(found)
    except OverflowError:
        size = math.inf
    if not math.isfinite(size):
        message = f"{what}: expected a finite number, got {size}"
        raise NonFiniteError(message)
    return int(found) if isinstance(found, numbers.Integral) else size


def above(what: str, value: Any, bound: float) -> float:
    """Return a number above a bound."""
    found = float(number(what, value))
    if found <= bound:
        message = f"{what}: expected a number above {bound:g}, got {value!r}"
        raise InvalidSettingError(message)
    return found


def whole(what: str, value: Any, least: int | None = None, most: int | None = None) -> int:
    """Return a whole number. A float without a fraction is one."""
    found = plain(value)
    is_number = isinstance(found, numbers.Real) and not isinstance(found, bool)
    is_whole = is_number and math.isfinite(found) and found == int(found)
    if not is_whole or (least is not None and found < least) or (most is not None and found > most):
        within = "" if least is None else f" of at least {least}"
        if least is not None and most is not None:
            within = f" from {least} to {most}"
        message = f"{what}: expected a whole number{within}, got {value!r}"
        raise InvalidSettingError(message)
    return int(found)


def flag(what: str, value: Any) -> bool:
    """Return a flag. Nothing else is one."""
    found = plain(value)
    if not isinstance(found, bool):
        message = f"{what}: expected True or False, got {value!r}"
        raise InvalidSettingError(message)
    return found


def text(what: str, value: Any) -> str:
    """Return a text that is not empty."""
    if not isinstance(value, str) or not value:
        message = f"{what}: expected a text, got {value!r}"
        raise InvalidSettingError(message)
    return str(value)


def word(what: str, value: Any, known: Iterable[str]) -> str:
    """Return one of some words."""
    known = list(known)
    if not isinstance(value, str) or value not in known:
        expected = " or ".join(map(repr, known))
        message = f"{what}: expected {expected}, got {value!r}{hint(value, known)}"
        raise InvalidSettingError(message)
    return value


def hint(value: Any, known: Iterable[Any]) -> str:
    """Return the question whether the nearest of some texts was meant; nothing if none is near."""
    if not isinstance(value, str):
        return ""
    texts = {known.lower(): known for known in known if isinstance(known, str)}
    short = [text for text in texts if len(value) > 2 and text.startswith(value.lower())]
    near = short or difflib.get_close_matches(value.lower(), texts, n=1, cutoff=0.7)
    return f"; did you mean {texts[near[0]]!r}?" if near else ""


def refuse_keys(what: str, given: Iterable[Any], known: Iterable[str]) -> None:
    """Refuse keys that something does not have."""
    names = list(known)
    for name in sorted({str(key) for key in given} - set(names)):
        message = f"{what}: unknown key {name!r}; there are {names}{hint(name, names)}"
        raise InvalidSettingError(message)
