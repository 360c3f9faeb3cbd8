"""Problems of 60 to 1000 parameters. Each seed has an instance of its own, the same for all.

The functions are written anew from their publications. Where an optimum is known, it lies at a
place drawn from the seed; elsewhere the data or the obstacles are drawn from it.
"""

import functools
import math
import zlib

import numpy as np

from problem import Problem
from space import Parameter

BUDGET, LARGE_BUDGET = 1000, 300

HARTMANN_A = np.array([
    [10.0, 3.0, 17.0, 3.5, 1.7, 8.0], [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
    [3.0, 3.5, 1.7, 10.0, 17.0, 8.0], [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
])
HARTMANN_P = 1e-4 * np.array([
    [1312, 1696, 5569, 124, 8283, 5886], [2329, 4135, 8307, 3736, 1004, 9991],
    [2348, 1451, 3522, 2883, 3047, 6650], [4047, 8828, 8732, 5743, 1091, 381],
])
HARTMANN_WEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])


def hartmann6(u):
    return -float(HARTMANN_WEIGHTS @ np.exp(-(HARTMANN_A * (u - HARTMANN_P) ** 2).sum(1)))


def branin(u):
    x, y = 15 * u[0] - 5, 15 * u[1]
    bowl = y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6
    return float(bowl**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10)


def ackley(x):
    return float(20 - 20 * np.exp(-0.2 * math.sqrt(np.mean(x**2)))
                 + math.e - np.exp(np.mean(np.cos(2 * math.pi * x))))


def levy(x):
    w = 1 + (x - 1) / 4
    inner = (w[:-1] - 1) ** 2 * (1 + 10 * np.sin(math.pi * w[:-1] + 1) ** 2)
    last = (w[-1] - 1) ** 2 * (1 + np.sin(2 * math.pi * w[-1]) ** 2)
    return float(np.sin(math.pi * w[0]) ** 2 + inner.sum() + last)


def rosenbrock(x):
    return float((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum())


# Functions of a few parameters in [0, 1]: how many, and the minimum.
EMBEDDED = {"hartmann6": (hartmann6, 6, -3.322368011391), "branin": (branin, 2, 0.397887357730)}

# The optimum's coordinate and half of the box, anywhere in which the optimum may be. No point then
# has an argument outside of the function's usual domain, which is -32.768 to 32.768 for Ackley, -10
# to 10 for Levy and -5 to 10 for Rosenbrock.
MOVED = {
    "ackley": (ackley, 0.0, 16.0), "levy": (levy, 1.0, 4.5), "rosenbrock": (rosenbrock, 1.0, 3.0),
}

# Observations and true features of LassoBench's `synt_simple`, `synt_high` and `synt_hard`.
LASSO = {60: (30, 3), 300: (150, 15), 1000: (500, 50)}

PROBLEMS = [
    "rover-60", "lasso-60", "hartmann6-100", "branin-100", "ackley-100", "levy-100",
    "rosenbrock-100", "lasso-300", "hartmann6-300", "branin-300", "ackley-300", "levy-300",
    "rosenbrock-300", "lasso-1000", "hartmann6-1000", "branin-1000",
]


def parts(id):
    name, dim = id.rsplit("-", 1)
    return name, int(dim)


def budget(id):
    """Evaluations of a run: fewer where a suggestion of some peers takes minutes."""
    return LARGE_BUDGET if parts(id)[1] == 1000 else BUDGET


def embedded(name, dim, rng):
    """Which parameters count is drawn, and which of those run backwards."""
    f, count, optimum = EMBEDDED[name]
    active = rng.permutation(dim)[:count]
    backwards = rng.random(count) < 0.5

    def value(x):
        u = x[active]
        return f(np.where(backwards, 1 - u, u))

    return value, 0.0, 1.0, optimum


def moved(name, dim, rng):
    f, best, half = MOVED[name]
    place = rng.uniform(-half, half, dim)
    return lambda x: f(x - place + best), -half, half, 0.0


def rover(dim, rng):
    """The way of a rover through a forest, after Wang et al. (AISTATS 2018), as a cost.

    A smoothing spline of 30 points in [-0.1, 1.1] squared; 0.05 for each unit of its length, 20
    inside of trees and outside of the unit square, and ten times the 1-norms by which it misses
    start and goal. The published reward is 5 less this cost. The published forest is one draw; here
    each seed draws another, with as many trees as large.
    """
    from scipy import interpolate

    trees, side = rng.random((113, 2)), 0.05
    start, goal = np.full(2, 0.05), np.full(2, 0.95)
    # Points that coincide have no spline. The publication adds noise; here it is always the same.
    apart = 1e-4 * rng.standard_normal(dim)

    def value(x):
        points = (1.2 * x - 0.1 + apart).reshape(-1, 2)
        spline, _ = interpolate.splprep(points.T, k=3)
        way = np.array(interpolate.splev(np.linspace(0, 1, 1000), spline)).T
        hit = (np.abs(way[:, None] - trees) < side / 2).all(2).any(1)
        hit |= ((way < 0) | (way > 1)).any(1)
        height = 20.0 * hit + 0.05
        lengths = np.linalg.norm(np.diff(way, axis=0), axis=1)
        missed = np.abs(way[0] - start).sum() + np.abs(way[-1] - goal).sum()
        return float(lengths @ (height[1:] + height[:-1]) / 2 + 10 * missed)

    return value, 0.0, 1.0, 0.0


def lasso(dim, rng):
    """LassoBench's synthetic data (Sehic et al., AutoML 2022): a penalty for each feature.

    The loss is that of a cross-validation over that of the true coefficients. Each seed draws the
    data, the features that count, and by how much each penalty is shifted: without that, the
    middle of the box would be the plain Lasso with a penalty that is known to do well.
    """
    from sklearn.linear_model import Lasso
    from sklearn.model_selection import KFold

    count, features = LASSO[dim]
    inputs = np.empty((count, dim))
    inputs[:, 0] = rng.standard_normal(count)
    for k in range(1, dim):
        inputs[:, k] = 0.6 * inputs[:, k - 1] + 0.8 * rng.standard_normal(count)
    true = np.zeros(dim)
    step = dim // features
    true[rng.integers(step)::step] = (-1.0) ** np.arange(features)
    exact, noise = inputs @ true, rng.standard_normal(count)
    outcomes = exact + noise * np.linalg.norm(exact) / np.linalg.norm(noise) / 10
    kept = rng.permutation(count)[: count - math.ceil(0.15 * count)]
    inputs, outcomes = inputs[kept], outcomes[kept]
    oracle = np.mean((outcomes - inputs @ true) ** 2)
    largest = np.abs(inputs.T @ outcomes).max() / len(outcomes)
    shift = rng.uniform(-0.5, 0.5, dim)
    folds = list(KFold(5, shuffle=True, random_state=0).split(inputs))

    def value(x):
        # From a hundredth of the largest useful penalty to that, before the shift.
        penalties = largest * 10.0 ** (x + shift - 1)
        loss = 0.0
        for train, test in folds:
            # A weight on a coefficient is one on its column, the other way round.
            fit = Lasso(alpha=1.0, fit_intercept=False, max_iter=10_000, tol=1e-4)
            fit.fit(inputs[train] / penalties, outcomes[train])
            gaps = outcomes[test] - (inputs[test] / penalties) @ fit.coef_
            loss += np.mean(gaps**2) / len(folds)
        return float(loss / oracle)

    return value, -1.0, 1.0, 0.0


MAKERS = {"rover": rover, "lasso": lasso}
MAKERS |= {name: functools.partial(embedded, name) for name in EMBEDDED}
MAKERS |= {name: functools.partial(moved, name) for name in MOVED}


def problem(id, seed):
    name, dim = parts(id)
    rng = np.random.default_rng([zlib.crc32(id.encode()), seed])
    value, low, high, optimum = MAKERS[name](dim, rng)
    box = [Parameter(f"x{k}", "float", low, high) for k in range(dim)]

    def evaluate(values):
        y = value(np.array(values))
        return y, y, None

    middle = evaluate([(low + high) / 2] * dim)[0] - optimum
    # For a run that says when it would stop, a trial must save a thousandth of the way to go.
    price = middle / 1000
    return Problem(id, box, evaluate, budget(id), optimum, price=price, probe=middle)
