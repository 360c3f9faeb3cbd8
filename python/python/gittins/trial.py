"""Trials, and what a study says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gittins._check import hint
from gittins._words import Answering
from gittins.errors import UnknownParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gittins.space import Value

__all__ = ["Ask", "Forecast", "Recommendation", "Report", "Trial", "Verdict"]


@dataclass(frozen=True, eq=False)
class Ask(Answering, Mapping[str, Any]):
    """A point to evaluate: a mapping from the names of the parameters that exist to their values.

    `f(**ask)` passes these. `ask["momentum"]` is `None` for a parameter that does not exist at this
    point, and `ask.get("momentum", 0.9)` is 0.9 then.

    Attributes:
        trial: The number of the trial.
        point: The values of all parameters; `None` for one that does not exist.
        why: Why the point was chosen.
        absent: The names of the parameters that do not exist.
        resume: In stages, the progress from which a trial that was left goes on; `None` for one
            that begins.
        until: In stages, the progress at which it reports; otherwise 1, its end.
        label: What the candidate is called, in a table with labels.
    """

    trial: int
    point: dict[str, Value]
    why: str
    absent: frozenset[str] = field(default=frozenset(), repr=False)
    resume: float | None = None
    until: float = 1.0
    label: str | None = None

    def __getitem__(self, name: str) -> Any:
        """Return the value of a parameter; `None` if it does not exist at this point."""
        return _value(self.point, name)

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.point if name not in self.absent)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return name in self.point and name not in self.absent

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a parameter; the default if it does not exist at this point."""
        return self.point[name] if name in self else default

    def __eq__(self, other: object) -> bool:
        """Return whether two are the same trial, or another mapping has the same values."""
        if isinstance(other, Ask):
            return (self.trial, self.point) == (other.trial, other.point)
        return dict(self) == dict(other) if isinstance(other, Mapping) else NotImplemented


@dataclass(frozen=True)
class Report:
    """What a trial said at a progress, and what it had cost since its report before."""

    progress: float
    outcome: float
    cost: float


def _value(values: Mapping[str, Any], name: str) -> Any:
    """Return the value of a parameter by its name."""
    if name not in values:
        there = list(values)
        message = f"no parameter is named {name!r}; there are {there}{hint(name, there)}"
        raise UnknownParameterError(message)
    return values[name]


@dataclass(frozen=True)
class Trial(Answering):
    """A trial of a study. Outcome and cost are `None` as long as they are not known.

    `values` has `None` for a parameter that does not exist; `trial["rate"]` is one of them.
    `measured` has the numbers on which the study has limits, as far as they were told.

    In stages `reports` has what it said, `cost` what it has cost so far, and `outcome` what it came
    to at its end. `label` is what the candidate is called, in a table with labels.
    """

    trial: int
    values: dict[str, Value]
    state: str
    origin: str
    outcome: float | None
    cost: float | None
    measured: dict[str, float] = field(default_factory=dict)
    reports: list[Report] = field(default_factory=list)
    label: str | None = None

    def __getitem__(self, name: str) -> Any:
        """Return the value of a parameter; `None` if it does not exist."""
        return _value(self.values, name)

    @property
    def progress(self) -> float:
        """In stages, the progress of its last report; 0 before the first."""
        return self.reports[-1].progress if self.reports else 0.0


class Trials(list[Trial]):
    """The trials of a study. `study.trials()` is the same list as `study.trials`."""

    def __call__(self) -> list[Trial]:
        """Return the trials."""
        return self


@dataclass(frozen=True)
class Verdict(Answering):
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
class Recommendation(Answering):
    """The trial to use once the run ends, and what to expect of it.

    `values` has `None` for a parameter that does not exist; `recommendation["rate"]` is one of
    them.
    """

    trial: int
    values: dict[str, Value]
    outcome: float
    mean: float
    sd: float
    words: str
    measured: dict[str, float] = field(default_factory=dict)
    label: str | None = None

    def __getitem__(self, name: str) -> Any:
        """Return the value of a parameter; `None` if it does not exist."""
        return _value(self.values, name)

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Forecast:
    """What a pending trial is expected to cost.

    `rest` is what is expected to come after what it has cost so far, `dead` the probability that
    its worker does not come back.
    """

    expected: float
    median: float
    so_far: float
    rest: float
    dead: float
    overdue: bool
