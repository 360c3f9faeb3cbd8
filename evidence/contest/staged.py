"""Trials that are paid in instalments: their curves, and the account of who pays for them."""

import dataclasses
import time

import numpy as np

import space

#: The money of a study, in seconds of the median trial at random.
UNITS = 20


@dataclasses.dataclass(frozen=True)
class Curve:
    """What one trial shows: the loss at each rung, and the seconds of each instalment.

    The loss is `None` from the instalment on in which the trial breaks.
    """

    losses: tuple
    seconds: tuple


@dataclasses.dataclass
class Staged:
    """Losses to minimize, of trials that can be looked at on rungs. The last rung is the end.

    `opened` begins a study: it gives the function from values to a curve. Seconds count in units of
    the median trial's. A regret is 0 at the `best` loss known and 1 at the `median` of trials at
    random.
    """

    id: str
    suite: str
    parameters: list
    rungs: tuple
    opened: object
    unit: float
    median: float
    best: float
    #: The smallest cost that matters, where instalments may be free.
    floor: float | None = None

    @property
    def total(self):
        return self.rungs[-1]

    def draw(self, rng):
        """Values at random."""
        return space.fill(self.parameters, lambda _, p: p.value(float(rng.random())))


class Rows:
    """Measured trials. Who proposes values gets the nearest trial that the study has not had."""

    def __init__(self, parameters, points, curves):
        self.parameters, self.curves = parameters, curves
        self.units = np.array([self.place(point) for point in points])

    def place(self, values):
        return [p.unit(value) for p, value in zip(self.parameters, values, strict=True)]

    def opened(self):
        used = np.zeros(len(self.units), bool)

        def run(values):
            if used.all():
                raise Spent
            gaps = ((self.units - self.place(values)) ** 2).sum(1)
            row = int(np.argmin(np.where(used, np.inf, gaps)))
            used[row] = True
            return self.curves[row]

        return run


class Spent(Exception):
    """The money is spent, or a table has no trial left."""


@dataclasses.dataclass
class Trial:
    """A trial: how many instalments are paid, what they cost, the loss seen last."""

    number: int
    curve: Curve
    paid: int = 0
    cost: float = 0.0
    loss: float | None = None


class Account:
    """The money of one study. Everybody's trials are paid here, instalment by instalment.

    `hand` has the best loss of the trials that were paid to the end, with the units spent by then.
    """

    def __init__(self, problem, units=UNITS):
        self.problem, self.money, self.spent = problem, units * problem.unit, 0.0
        self.run, self.hand, self.evaluating = problem.opened(), [], 0.0
        self.started = self.finished = self.failed = 0

    @property
    def units(self):
        return self.spent / self.problem.unit

    def start(self, values):
        """A new trial, of which nothing is paid yet."""
        began = time.perf_counter()
        curve = self.run(space.checked(self.problem.parameters, values))
        self.evaluating += time.perf_counter() - began
        self.started += 1
        return Trial(self.started, curve)

    def pay(self, trial, rung):
        """Takes a trial on to a rung, counted from 1: its loss there, or `None` if it breaks.

        An instalment that the money does not reach is not finished. It takes what is left.
        """
        while trial.paid < rung:
            cost, loss = trial.curve.seconds[trial.paid], trial.curve.losses[trial.paid]
            if self.spent + cost > self.money * (1 + 1e-12):
                self.spent = self.money
                raise Spent
            self.spent += cost
            trial.cost += cost
            trial.paid, trial.loss = trial.paid + 1, loss
            if loss is None:
                self.failed += 1
                return None
            if trial.paid == len(self.problem.rungs):
                self.finished += 1
                if not self.hand or loss < self.hand[-1][1]:
                    self.hand.append([self.units, loss])
        return trial.loss


def scale(curves):
    """Unit, median and best of trials that are all paid to the end.

    A trial that breaks costs what it took. Its loss counts as the worst.
    """
    seconds = [sum(curve.seconds[:whole(curve)]) for curve in curves]
    ends = [np.inf if curve.losses[-1] is None else curve.losses[-1] for curve in curves]
    return float(np.median(seconds)), float(np.median(ends)), float(np.min(ends))


def whole(curve):
    """How many instalments there are to pay, that in which the trial breaks included."""
    broken = [k for k, loss in enumerate(curve.losses) if loss is None]
    return broken[0] + 1 if broken else len(curve.losses)
