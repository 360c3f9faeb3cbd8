"""Trials, and what a study says of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gittins.errors import UnknownParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gittins.space import Value

__all__ = ["Ask", "Forecast", "Recommendation", "Trial", "Verdict"]


@dataclass(frozen=True)
class Ask:
    """A point to evaluate: its values by the names of the parameters, and why it was chosen."""

    trial: int
    values: dict[str, Value]
    why: str

    def __getitem__(self, name: str) -> Any:
        """Return the value of a parameter; `None` if it does not exist at this point."""
        if name not in self.values:
            message = f"no parameter is named {name!r}; there are {list(self.values)}"
            raise UnknownParameterError(message)
        return self.values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def keys(self) -> list[str]:
        """Return the names of the parameters that exist, so that `f(**ask)` works."""
        return [name for name, value in self.values.items() if value is not None]


@dataclass(frozen=True)
class Trial:
    """A trial of a study. Outcome and cost are `None` as long as they are not known."""

    trial: int
    values: dict[str, Value]
    state: str
    origin: str
    outcome: float | None
    cost: float | None


@dataclass(frozen=True)
class Verdict:
    """Whether to stop, and why. It is true if the run should stop."""

    stop: bool
    rule: str
    statistic: float
    threshold: float
    words: str

    def __bool__(self) -> bool:
        return self.stop

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Recommendation:
    """The trial to use once the run ends, and what to expect of it."""

    trial: int
    values: dict[str, Value]
    outcome: float
    mean: float
    sd: float
    words: str

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Forecast:
    """What a trial under way is expected to cost.

    `rest` is what is expected to come after what it has cost so far, `dead` the probability that
    its worker does not come back.
    """

    expected: float
    median: float
    so_far: float
    rest: float
    dead: float
    overdue: bool
