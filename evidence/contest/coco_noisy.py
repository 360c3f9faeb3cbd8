"""BBOB functions with severe noise, f110 to f130 (Hansen et al. 2009), in 5 dimensions.

COCO's own suite bbob-noisy draws from a generator that cannot be seeded and does not say the value
without noise. So the published noise is put here on the functions without noise: f8, f7, f14, f17
and f21 of BBOB as they are, f19 by a tenth, and f10 with a condition of 1e4 in place of 1e6. These
agree with COCO's, which a test holds against the answers of its functions with Cauchy noise. In
each three the first has Gaussian noise, the next uniform and the last Cauchy noise. The seed is the
instance. The draws depend on the problem, its instance and the number of the evaluation, not on who
asks. Judged is the value without noise.
"""

import math

import numpy as np

from problem import Problem
from space import Parameter

DIM = 5
PROBLEMS = [f"f{function}" for function in range(110, 131)]
# The function without noise of each three.
BASES = (8, 7, 10, 14, 17, 19, 21)
# From 1e-8 on, values are lifted by this, so that the last of COCO's targets is without noise.
LIFT = 1.01e-8


def budget(id):
    return 10 * DIM


def uniform(count, seed):
    """BBOB's own generator: a linear congruence, shuffled."""

    def after(state):
        state = 16807 * (state % 127773) - 2836 * (state // 127773)
        return state if state >= 0 else state + 2147483647

    state, shelf = max(1, abs(seed)), [0] * 32
    for k in range(39, -1, -1):
        state = after(state)
        if k < 32:
            shelf[k] = state
    found, last = [], shelf[0]
    for _ in range(count):
        state = after(state)
        place = last // 67108865
        last, shelf[place] = shelf[place], state
        found.append(last / 2.147483647e9 or 1e-99)
    return np.array(found)


def rotation(dim, seed):
    """BBOB's rotation of a seed: normal draws, made orthonormal column by column."""
    draws = uniform(2 * dim * dim, seed)
    half = dim * dim
    normal = np.sqrt(-2 * np.log(draws[:half])) * np.cos(2 * math.pi * draws[half:])
    basis = normal.reshape(dim, dim).T.copy()
    for k in range(dim):
        for earlier in range(k):
            basis[:, k] -= (basis[:, k] @ basis[:, earlier]) * basis[:, earlier]
        basis[:, k] /= np.sqrt(basis[:, k] @ basis[:, k])
    return basis


def wavy(z):
    """BBOB's transformation that breaks symmetry between small steps."""
    with np.errstate(divide="ignore"):
        log = np.where(z == 0, 0.0, np.log(np.abs(z)))
    first, second = np.where(z > 0, 10.0, 5.5), np.where(z > 0, 7.9, 3.1)
    return np.sign(z) * np.exp(log + 0.049 * (np.sin(first * log) + np.sin(second * log)))


def ellipsoid(center, instance, condition):
    turn = rotation(len(center), 10 + 10_000 * instance + 1_000_000)
    weights = condition ** (np.arange(len(center)) / (len(center) - 1))
    return lambda x: float(weights @ wavy(turn @ (np.array(x) - center)) ** 2)


def exact(function, instance):
    """The value over that of the optimum, without noise, and the value of the optimum."""
    import ioh

    base = BASES[(function - 110) // 3]
    f = ioh.get_problem(base, instance, DIM, ioh.ProblemClass.BBOB)
    optimum = float(f.optimum.y)
    if base == 10:
        return ellipsoid(np.array(f.optimum.x), instance, 1e4), optimum
    factor = 0.1 if base == 19 else 1.0
    return lambda x: max(0.0, factor * (float(f(x)) - optimum)), optimum


def noise(function, value, rng):
    """A value over that of the optimum with severe noise, as published."""
    kind = (function - 110) % 3
    if kind == 0:
        return value * math.exp(rng.standard_normal())
    if kind == 1:
        first, second = rng.random(2)
        power = (0.49 + 1 / DIM) * second
        return value * first * max(1.0, (1e9 / (value + 1e-99)) ** power)
    chance, above, below = rng.random(), rng.standard_normal(), rng.standard_normal()
    outlier = above / (abs(below) + 1e-199) if chance < 0.2 else 0.0
    return value + max(0.0, 1000 + outlier)


def problem(id, seed):
    function = int(id[1:])
    f, optimum = exact(function, seed)
    rng = np.random.default_rng([function, DIM, seed])

    def evaluate(values):
        value = f(values)
        noisy = noise(function, value, rng)
        return noisy + (LIFT if value >= 1e-8 else 0.0) + optimum, value + optimum, None

    box = [Parameter(f"x{k}", "float", -5.0, 5.0) for k in range(DIM)]
    return Problem(id, box, evaluate, budget(id), optimum, noisy=True, probe=f([0.0] * DIM))
