"""Any value as a name, and back.

The engine has names, and so has the file of a study. A text is a name as it is. Any other value is
its JSON behind an equals sign: `=1`, `=null`, `=[1, 2]`. So is a text that would be taken for one
of these. The name of a value is the same in each process. A file that others wrote may have another
name of it, such as `=1e-5` for `=1e-05`: a parameter goes by the names that it has.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Union

from gittins._check import hint, plain
from gittins._words import meant
from gittins.errors import InvalidSettingError, NonFiniteError

if TYPE_CHECKING:
    from collections.abc import Iterable

MARK = "="

#: A value as the engine has it; `None` if the parameter does not exist.
Coded = Union[float, int, str, bool, None]


def name_of(what: str, value: Any) -> str:
    """Return the name of a value.

    Raises:
        InvalidSettingError: JSON does not have the value.
        NonFiniteError: It is NaN or infinite.
    """
    found = plain(value)
    if isinstance(found, str) and value_of(found) is found:
        return str(found)
    _check(what, value, found)
    try:
        return MARK + json.dumps(found, allow_nan=False, sort_keys=True)
    except ValueError as error:
        message = f"{what}: expected finite numbers, got {value!r}"
        raise NonFiniteError(message) from error


def value_of(name: str) -> Any:
    """Return the value of a name; the very name if it is a text."""
    if not name.startswith(MARK):
        return name
    try:
        value = json.loads(name[len(MARK) :])
        json.dumps(value, allow_nan=False)
    except ValueError:
        return name
    # Nobody writes blanks around a value, or marks a text that needs no mark.
    is_value = not isinstance(value, str) or value.startswith(MARK)
    return value if is_value and name[len(MARK) :] == name[len(MARK) :].strip() else name


def shown(words: str, names: Iterable[str]) -> str:
    """Return the engine's words without the marks of names: those in quotes, and those given."""

    def unquoted(found: re.Match[str]) -> str:
        try:
            name = json.loads(found.group())
        except ValueError:
            return found.group()
        return found.group() if value_of(name) is name else str(name[len(MARK) :])

    words = re.sub(r'"(?:[^"\\]|\\.)*"', unquoted, words)
    for name in sorted((name for name in names if value_of(name) is not name), key=len)[::-1]:
        pattern = rf"(?<= ){re.escape(name)}(?=$|[\s,;:.)\]])"
        words = re.sub(pattern, name[len(MARK) :].replace("\\", r"\\"), words)
    return words


#: What the engine calls what it expects, and what that is in Python.
_KINDS = {
    "f64": "a number",
    "usize": "a whole number of at least 0",
    "a boolean": "True or False",
    "value": "a name, or a dictionary with one",
    "a table of settings": "a dictionary of settings",
}


def spoken(words: str) -> str:
    """Return the engine's words on settings as one says them in Python."""
    words = words.removeprefix("the study: ")
    words = re.sub(r"(?<= as JSON): .*| at line \d+ column \d+| \(os error \d+\)", "", words)
    words = re.sub(r"missing field `(.*?)`", r"expected '\1', it is missing", words)
    bad = r"invalid (?:type|value): (?:[a-z]+ )*(.+?), (expected .*)"
    words = re.sub(bad, lambda found: f"{found[2]}, got {found[1].strip('`')}", words)
    for theirs, ours in _KINDS.items():
        words = re.sub(rf"expected {theirs}(?=$|,| of | with )", f"expected {ours}", words)
    if found := re.search(r"unknown variant `(.*?)`, expected (?:one of )?(.*)", words):
        one, known = found[1], re.findall("`(.*?)`", found[2])
        words = f"{words[: found.start()]}expected one of {known}, got {one!r}{hint(one, known)}"
    if found := re.search(r'no stopping rule is named "(.*?)"; there are (.*)', words):
        words += meant(found[1], found[2].split(", "))
    return words


def same(one: Any, other: Any) -> bool:
    """Return whether two values are the same: 1 and 1.0 are, 1 and `True` are not."""
    one, other = plain(one), plain(other)
    try:
        return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)
    except (TypeError, ValueError):
        # An array has no single answer.
        return False


def _check(what: str, given: Any, value: Any) -> None:
    if value is None or isinstance(value, (bool, int, float, str)):
        return
    if isinstance(value, list):
        for item in value:
            _check(what, given, item)
        return
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        for item in value.values():
            _check(what, given, item)
        return
    instead = "; a list is one" if isinstance(value, tuple) else ""
    message = (
        f"{what}: {given!r} is no value: expected a text, a number, a flag, None, "
        f"or a list or a dictionary of these{instead}"
    )
    raise InvalidSettingError(message)
