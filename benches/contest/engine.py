"""What the engines that live in this process have in common."""

import numpy as np


class Engine:
    """Knows what it was told, and recommends the best of it."""

    packages = ()

    def __init__(self, problem, seed):
        self.problem, self.seed, self.outcomes = problem, seed, []

    def tell(self, outcome, cost):
        self.outcomes.append(outcome)

    def recommend(self):
        return int(np.argmin(self.outcomes))

    def values(self, unit):
        return [p.value(float(u)) for p, u in zip(self.problem.parameters, unit)]
