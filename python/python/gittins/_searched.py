"""What is searched: named values, as the engine has them and as the user gave them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gittins._check import text
from gittins._names import shown, spoken
from gittins._parameter import Parameter, conditions, exists, known
from gittins.errors import GittinsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class Searched:
    """Named values: the parameters of a space, or the columns of a table."""

    def __init__(self) -> None:
        self._parameters: dict[str, Parameter] = {}

    @property
    def names(self) -> list[str]:
        """The names of the parameters, or of the columns of a table, in their order."""
        return list(self._parameters)

    def _named(self, values: Sequence[Any]) -> tuple[dict[str, Any], frozenset[str], str | None]:
        """Return the engine's values by name, the names of what does not exist, and the label."""
        coded = dict(zip(self._parameters, values))
        absent = frozenset(name for name, value in coded.items() if value is None)
        found = {name: one.decoded(coded[name]) for name, one in self._parameters.items()}
        return found, absent, self._label(values)

    def _label(self, values: Sequence[Any]) -> str | None:
        """Return what the row of a table with the engine's values is called, if it has a label."""
        del values
        return None

    def _shown(self, words: str) -> str:
        """Return the engine's words with values as the user has them."""
        kinds = [parameter.settings for parameter in self._parameters.values()]
        named = [name for kind in kinds for name in [*kind.get("names", []), kind.get("value")]]
        return shown(spoken(words), [name for name in named if isinstance(name, str)])

    def _coded(self, place: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the user's values as the engine has them, without those that do not exist.

        Which are missing, or are of no parameter, is for the engine to say.
        """
        coded = {}
        for name, value in values.items():
            one = self._parameters.get(text(place, name))
            is_value = one is not None and None in (one.values or [])
            if value is not None or (is_value and exists(name, values, self._parameters)):
                coded[name] = value if one is None else one.encoded(value, f"{place}: ")
        return coded

    @contextmanager
    def _speaking(self) -> Iterator[None]:
        """Let errors of the engine have values as the user has them."""
        try:
            yield
        except GittinsError as error:
            raise type(error)(self._shown(str(error))) from None

    def _part(self, where: Any, what: str = "where") -> list[dict[str, Any]]:
        """Return what must hold of a point as the engine has it.

        A value implies that its parameter exists, to the engine. So does a range here: it comes
        with the conditions under which its parameter exists.
        """
        data: list[dict[str, Any]] = []
        wanted = list(conditions(what, where))
        needed: set[str] = set()
        for condition in wanted:
            place = f"{what}, {condition.parent!r}"
            parameter = known(self._parameters, condition.parent, what)
            data.extend(condition.to_data(place, parameter))
            if condition.values is None and parameter.name not in needed:
                needed.add(parameter.name)
                wanted.extend(parameter.when)
        return data
