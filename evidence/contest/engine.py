"""What the engines that live in this process have in common."""

import numpy as np

import space


class Engine:
    """Knows what it was told, and recommends the best of it.

    `trial` is what was asked for last; who has several under way sets it to the one that is told.
    """

    packages = ()

    def __init__(self, problem, seed):
        self.problem, self.seed, self.outcomes = problem, seed, []
        self.trial = None

    def tell(self, outcome, cost):
        self.outcomes.append(outcome)

    def recommend(self):
        return int(np.argmin(self.outcomes))

    def values(self, unit):
        return space.fill(self.problem.parameters, lambda k, p: p.value(float(unit[k])))
