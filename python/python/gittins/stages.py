"""Trials that are paid for in stages: at each report one goes on, is left, or is abandoned."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from gittins._check import above, flag, in_order, number, plain, refuse_keys, whole
from gittins._words import Answering, meant
from gittins.errors import InvalidSettingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import TracebackType

    from typing_extensions import Self

    from gittins.study import Study
    from gittins.trial import Ask

__all__ = ["Advice", "Run", "RunForecast", "Stages"]


class Stages(TypedDict, total=False):
    """How long a trial is and when it reports: `{"epochs": 27}`, or `Stages(epochs=27)`.

    Attributes:
        epochs: How many epochs a trial has.
        total: The progress at its end in any other unit, in place of `epochs`.
        folds: How many folds it is the mean of, in place of `epochs`: fold 1 is reported at the
            progress 1, fold 2 at 2. No checkpoint is needed.
        items: How many items it is the mean of, in place of `epochs`, such as questions or
            instances: `run.items` says which come next. No trial needs to come to its end to be
            the best.
        reports: The progress at each report; chosen by the library unless given.
        resumable: Whether a trial that was left can be resumed, from a checkpoint that you keep.
            If not, it goes on at once or is abandoned. True unless given.
        any_stage_counts: Whether the outcome of any report can be the incumbent, since its
            checkpoint is kept; otherwise only the outcome at the end of a trial can.
        repeats: Whether each stage begins anew, as a training on more of the rows does, and costs
            its whole progress. No checkpoint is needed.
    """

    epochs: int
    total: float
    folds: int
    items: int
    reports: Sequence[float]
    resumable: bool
    any_stage_counts: bool
    repeats: bool


def staged(what: str, stages: Any) -> dict[str, Any]:
    """Return stages as data.

    Raises:
        InvalidSettingError: They make no sense. The message names what is wrong.
    """
    lengths = ["epochs", "total", "folds", "items"]
    if not isinstance(stages, Mapping) or sum(key in stages for key in lengths) != 1:
        known = "{'epochs': 27}, {'folds': 5}, {'items': 800} or {'total': ...}"
        keys = map(str, stages if isinstance(stages, Mapping) else ())
        near = (meant(key, lengths) for key in keys if key not in lengths)
        message = f"{what}: expected {known}, got {stages!r}{next(filter(None, near), '')}"
        raise InvalidSettingError(message)
    refuse_keys(what, stages, Stages.__annotations__)
    data: dict[str, Any] = {}
    for key, value in stages.items():
        place = f"{what}: {key}"
        if key in ("epochs", "folds", "items"):
            data[key] = whole(place, value, least=1, most=2**32 - 1)
        elif key == "total":
            data[key] = above(place, value, 0.0)
        elif key == "reports":
            reports = in_order(value)
            if reports is None:
                message = f"{place}: expected a list of numbers, got {value!r}"
                raise InvalidSettingError(message)
            data[key] = [float(number(place, progress)) for progress in reports]
        else:
            data[key] = flag(place, value)
    return data


@dataclass(frozen=True)
class Advice:
    """What a trial does after a report. It is true if the trial goes on.

    Attributes:
        kind: `"continue"`; `"pause"`: it ends, and may be resumed from its checkpoint;
            `"abandon"`: it ends for good; `"done"`: it is at its end.
        until: The progress of the coming report, of a trial that goes on.
    """

    kind: Literal["continue", "pause", "abandon", "done"]
    until: float | None = None

    def __bool__(self) -> bool:
        return self.kind == "continue"

    def __str__(self) -> str:
        return f"continue until {self.until:g}" if self.until is not None else self.kind


@dataclass(frozen=True)
class RunForecast:
    """What a trial in stages is expected to come to.

    Attributes:
        mean: The mean of the outcome at its end.
        sd: Its deviation.
        cost: What the rest of the run is expected to cost.
        index: The incumbent outcome at which its next stage is just worth its price.
        words: The same in a line.
    """

    mean: float
    sd: float
    cost: float
    index: float
    words: str

    def __str__(self) -> str:
        return self.words


class Run(Answering):
    """A pending trial as a block: iterate over its stages, and report at the end of each.

    An exception inside the block is told as a failure, with the seconds since the last report as
    its cost. By items the trial then waits to be resumed, and the third failure in a row ends it. A
    trial that is left by `break`, or by an interruption of the program, waits to be
    resumed.

    Attributes:
        ask: What was asked for.
        progress: How far the trial is: where the present stage begins.
        advice: What the last report was answered; `None` before the first.
    """

    def __init__(self, study: Study, ask: Ask) -> None:
        self.ask = ask
        self.progress: float = ask.resume or 0.0
        self.advice: Advice | None = None
        self._study = study
        self._until: float | None = ask.until
        self._order: list[int] = study._inner.order()
        self._since = time.perf_counter()

    @property
    def number(self) -> int:
        """The number of the trial, by which its checkpoint may be called."""
        return self.ask.trial

    @property
    def resume(self) -> float | None:
        """The progress from which it goes on; `None` if it begins."""
        return self.ask.resume

    @property
    def values(self) -> dict[str, Any]:
        """The values of the parameters that exist, as `Model(**run.values)` takes them."""
        return dict(self.ask)

    def __getitem__(self, name: str) -> Any:
        """Return the value of a parameter; `None` if it does not exist at this point."""
        return self.ask[name]

    def __iter__(self) -> Iterator[float]:
        while self._until is not None:
            until = self._until
            yield until
            if self._until == until:
                message = (
                    f"trial {self.number}: call report(outcome) at {until:g} before the next stage"
                )
                raise InvalidSettingError(message)

    @property
    def items(self) -> Iterator[list[int]]:
        """The numbers of the items of each stage, from 0, in a study by items.

        They come in one random order, which is the same for all trials.

        >>> import gittins
        >>> right = {"small": 0.6, "large": 0.9}
        >>> space = gittins.Space().choice("model", list(right))
        >>> study = gittins.Study(space, direction="maximize", stages={"items": 100}, budget=60)
        >>> while not study.verdict():
        ...     with study.run() as run:
        ...         for batch in run.items:
        ...             answers = [item % 10 < 10 * right[run["model"]] for item in batch]
        ...             advice = run.report(answers, cost=len(batch))
        >>> study.recommendation()["model"]
        'large'

        Raises:
            InvalidSettingError: The study is not by items.
        """
        if not self._order:
            message = f"trial {self.number}: items: this study has no stages={{'items': ...}}"
            raise InvalidSettingError(message)
        return (self._batch(until) for until in self)

    def _batch(self, until: float) -> list[int]:
        """Return the numbers of the items until a progress."""
        return self._order[int(self.progress) : int(until)]

    def report(
        self,
        outcome: float | Iterable[float] | Mapping[int, float],
        *,
        cost: float | None = None,
    ) -> Advice:
        """Take the outcome at the end of the present stage. Write a checkpoint before.

        Args:
            outcome: The outcome so far; that of one fold in a study by folds. In one by items
                those of the items of this stage, as a list or by their numbers, or their mean.
            cost: What the stage cost; the seconds since the last report unless given.
        """
        if self._until is None:
            ended = "ended" if self.advice is None or self.advice else f"was told to {self.advice}"
            message = f"trial {self.number}: it {ended}, and takes no report"
            raise InvalidSettingError(message)
        found = plain(outcome)
        if isinstance(found, Mapping) and self._order:
            found = self._of_batch(found, self._batch(self._until))
        several = in_order(found)
        if several is not None and self._order:
            found = self._mean(several, self._until)
        paid = time.perf_counter() - self._since if cost is None else cost
        return self._study.report(self, self._until, found, cost=paid)

    def _go_on(self, advice: Advice | None, progress: float | None = None) -> None:
        """Do what a report at a progress was answered, or end: the study was told the rest."""
        if progress is not None:
            self.progress, self.advice = progress, advice
        self._until = None if advice is None else advice.until
        self._since = time.perf_counter()

    def _of_batch(self, outcomes: Mapping[Any, Any], batch: list[int]) -> list[Any]:
        """Return the outcomes of the items of a batch, which are given by their numbers."""
        found = {whole(f"trial {self.number}: an item", item): outcomes[item] for item in outcomes}
        if others := [item for item in found if item not in set(batch)]:
            message = f"trial {self.number}: item {others[0]} is none of this stage"
            raise InvalidSettingError(message)
        if missing := [item for item in batch if item not in found]:
            message = f"trial {self.number}: item {missing[0]} has no outcome"
            raise InvalidSettingError(message)
        return [found[item] for item in batch]

    def _mean(self, outcomes: list[Any], until: float) -> float:
        """Return the mean outcome of the items until a progress."""
        what = f"trial {self.number}: an outcome"
        wanted = int(until - self.progress)
        if len(outcomes) != wanted:
            expected = f"expected {wanted} outcomes, one for each item"
            message = f"trial {self.number}: {expected}, got {len(outcomes)}"
            raise InvalidSettingError(message)
        found = [plain(value) for value in outcomes]
        return math.fsum(
            value if isinstance(value, bool) else number(what, value) for value in found
        ) / len(found)

    def __enter__(self) -> Self:
        self._since = time.perf_counter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._until is None:
            return
        if kind is not None and issubclass(kind, Exception):
            self._study.tell(self, failed=True, cost=time.perf_counter() - self._since)
        else:
            self._study.withdraw(self)
