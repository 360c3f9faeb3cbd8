"""Problems for several workers at a time. Each seed has an instance of its own, the same for all.

BBOB functions of each group, Hartmann's function of six parameters moved to a place drawn from the
seed, and real models. No trial costs anything.
"""

import dataclasses
import functools
import heapq

import numpy as np

from problem import Problem
from space import Parameter

BBOB = {5: (1, 6, 8, 15, 21), 10: (3, 9, 13, 22)}
MODELS = ("svc-cancer", "boosting-cancer")
PROBLEMS = [f"f{f:02}-d{d:02}" for d, functions in BBOB.items() for f in functions]
PROBLEMS += ["hartmann6", *MODELS]

# What a trial must gain, as a share of the spread of the outcomes over the space.
PRICE = 1e-3
MODEL_BUDGET, HARTMANN_BUDGET = 50, 60


def budget(id):
    if id.startswith("f"):
        return 10 * int(id[5:])
    return HARTMANN_BUDGET if id == "hartmann6" else MODEL_BUDGET


def hartmann(seed):
    """Each axis turned around or not, and shifted by up to a tenth."""
    import high

    rng = np.random.default_rng(seed)
    flipped, shift = rng.random(6) < 0.5, rng.uniform(-0.1, 0.1, 6)

    def evaluate(values):
        u = np.where(flipped, 1 - np.array(values), values) + shift
        y = high.hartmann6(u)
        return y, y, None

    box = [Parameter(f"x{k}", "float", 0.0, 1.0) for k in range(6)]
    optimum = high.EMBEDDED["hartmann6"][2]
    return Problem("hartmann6", box, evaluate, HARTMANN_BUDGET, optimum)


@functools.cache
def spread(id):
    """The deviation of a model's loss over settings drawn at random."""
    import models

    exact, rng = models.problem(id), np.random.default_rng(0)
    draws = rng.random((30, len(exact.parameters)))
    return float(np.std([exact.evaluate([p.value(float(u)) for p, u in zip(exact.parameters, row)])[0]
                         for row in draws]))


def problem(id, seed):
    if id in MODELS:
        import models

        exact = models.problem(id)

        def free(values):
            y = exact.evaluate(values)[0]
            return y, y, None

        price = PRICE * spread(id)
        return dataclasses.replace(exact, evaluate=free, budget=budget(id), money=None, price=price)
    if id == "hartmann6":
        found = hartmann(seed)
    else:
        import problems

        found = problems.bbob(f"{id}-i{seed:02}")
    rng = np.random.default_rng(0)
    axes = found.parameters
    draws = rng.random((1000, len(axes)))
    values = [found.evaluate([p.value(float(u)) for p, u in zip(axes, row)])[0] for row in draws]
    middle = found.evaluate([p.value(0.5) for p in axes])[0] - found.optimum
    price = PRICE * float(np.std(values))
    return dataclasses.replace(found, id=id, price=price, probe=float(middle))


class Shift:
    """The pending trials. Each takes a time drawn from its number, and the first to end is told."""

    def __init__(self, places, problem, seed):
        self.places, self.left, self.now = places, problem.budget, 0.0
        self.running, self.started = [], 0
        self.rng = np.random.default_rng([seed, len(problem.parameters)])
        if places > 1 and problem.noisy:
            raise ValueError("a recommendation needs trials in the order in which they began")

    def has_place(self):
        return len(self.running) < self.places and self.started < self.left

    def begin(self, *trial):
        ends = self.now + float(self.rng.uniform(0.5, 1.5))
        heapq.heappush(self.running, (ends, self.started, trial))
        self.started += 1

    def end(self):
        self.now, _, trial = heapq.heappop(self.running)
        return trial
