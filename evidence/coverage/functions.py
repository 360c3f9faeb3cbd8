"""Functions of the unit cube, and what is made of them: noise, steps, zeros, right and wrong.

All are minimized but those of zeros and of right and wrong. `Problem.told` is what a trial says,
`Problem.value` what it would say on average.
"""

import dataclasses
import itertools
import math
import zlib

import gittins
import numpy as np

# A sample of so many points says how large a function is, where its steps are and its zeros end.
SAMPLE = 4000


@dataclasses.dataclass
class Problem:
    """What a study searches. `kind` is how its outcomes are, `cost` what a trial costs, if any."""

    space: gittins.Space
    direction: str
    kind: str
    value: object
    told: object
    # Settings at random, as a dictionary.
    drawn: object
    cost: object = None
    # Another objective to be minimized.
    other: object = None


def branin(x):
    a, b = 15 * x[0] - 5, 15 * x[1]
    first = b - 5.1 / (4 * math.pi**2) * a * a + 5 / math.pi * a - 6
    return first**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(a) + 10


A6 = np.array([[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14],
               [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]])
P6 = 1e-4 * np.array([[1312, 1696, 5569, 124, 8283, 5886], [2329, 4135, 8307, 3736, 1004, 9991],
                      [2348, 1451, 3522, 2883, 3047, 6650], [4047, 8828, 8732, 5743, 1091, 381]])


def hartmann(x):
    terms = np.exp(-(A6 * (np.asarray(x) - P6) ** 2).sum(axis=1))
    return -float(np.array([1.0, 1.2, 3.0, 3.2]) @ terms)


def ackley(x):
    z = 10 * np.asarray(x) - 4
    near = 20 * math.exp(-0.2 * math.sqrt(np.mean(z * z)))
    return 20 + math.e - near - math.exp(np.mean(np.cos(2 * math.pi * z)))


def rosenbrock(x):
    z = 4 * np.asarray(x) - 2
    return float(np.sum(100 * (z[1:] - z[:-1] ** 2) ** 2 + (1 - z[:-1]) ** 2))


def rotated(rng, dim):
    """A rotation and a place for the optimum, as BBOB's functions have them."""
    return np.linalg.qr(rng.standard_normal((dim, dim)))[0], rng.uniform(0.1, 0.9, dim)


def ellipsoid(rng):
    turn, best = rotated(rng, 5)
    weights = 10.0 ** np.linspace(0, 3, 5)
    return lambda x: float(weights @ (turn @ (np.asarray(x) - best)) ** 2)


def rastrigin(rng):
    turn, best = rotated(rng, 5)

    def value(x):
        z = 6 * turn @ (np.asarray(x) - best)
        return float(10 * np.sum(1 - np.cos(2 * math.pi * z)) + z @ z)

    return value


def ridge(rng):
    turn, best = rotated(rng, 5)

    def value(x):
        z = turn @ (np.asarray(x) - best)
        return float(z[0] ** 2 + 10 * math.sqrt(z[1:] @ z[1:]))

    return value


CLASSIC = {"branin": (branin, 2), "hartmann": (hartmann, 6), "ackley": (ackley, 4),
           "rosenbrock": (rosenbrock, 4)}
TURNED = {"ellipsoid": ellipsoid, "rastrigin": rastrigin, "ridge": ridge}


def function(name, seed):
    """A function and its dimension."""
    if name in CLASSIC:
        return CLASSIC[name]
    return TURNED[name](np.random.default_rng([zlib.crc32(name.encode()), seed])), 5


def box(dim):
    space = gittins.Space()
    for k in range(dim):
        space = space.float(f"x{k}", 0.0, 1.0)
    return space


def of_list(value):
    return lambda values: value(list(values.values()))


def drawn(dim):
    return lambda rng: {f"x{k}": float(u) for k, u in enumerate(rng.random(dim))}


def made(name, seed, change):
    """A problem of a function: `change` gives its kind, direction, value and told of a sample."""
    f, dim = function(name, seed)
    rng = np.random.default_rng([zlib.crc32(name.encode()), seed, 1])
    sample = np.array([f(x) for x in rng.random((SAMPLE, dim))])
    kind, direction, value, told = change(f, sample, rng)
    value = of_list(value)
    return Problem(box(dim), direction, kind, value, of_list(told) if told else value, drawn(dim))


def smooth(name, seed):
    return made(name, seed, lambda f, sample, rng: ("smooth", "minimize", f, None))


def noisy(level):
    def change(f, sample, rng):
        spread = level * np.std(sample)
        return "noise", "minimize", f, lambda x: f(x) + spread * float(rng.standard_normal())

    return lambda name, seed: made(name, seed, change)


def stepped(levels):
    """Ranks of a sample, in steps of equal ratios."""

    def change(f, sample, rng):
        edges = np.quantile(sample, np.geomspace(1.0, 1e-4, levels + 1)[::-1])
        return "steps", "minimize", lambda x: float(np.searchsorted(edges, f(x))), None

    return lambda name, seed: made(name, seed, change)


def plain(share):
    """Zero in all of the space but a share, and there up to 100."""

    def change(f, sample, rng):
        edge, best = np.quantile(sample, share), sample.min()
        return ("zeros", "maximize",
                lambda x: 100.0 * max(0.0, (edge - f(x)) / (edge - best)), None)

    return lambda name, seed: made(name, seed, change)


def right(share):
    """1 in a share of the space, else 0."""

    def change(f, sample, rng):
        edge = np.quantile(sample, share)
        return "0 or 1", "maximize", lambda x: float(f(x) < edge), None

    return lambda name, seed: made(name, seed, change)


def chance(name, seed):
    """1 with a chance that depends on the place, else 0."""

    def change(f, sample, rng):
        order = np.sort(sample)

        def value(x):
            return 0.95 - 0.9 * float(np.searchsorted(order, f(x))) / len(order)

        return ("0 or 1 by chance", "maximize", value, lambda x: float(rng.random() < value(x)))

    return made(name, seed, change)


def names(name, seed):
    """A yield of five choices, most of which give nothing."""
    rng = np.random.default_rng([zlib.crc32(name.encode()), seed])
    sizes = (4, 12, 4, 3, 3)
    effects = [rng.normal(0, 1.2, size) for size in sizes]
    pairs = {(j, j + 1): rng.normal(0, 0.9, (sizes[j], sizes[j + 1])) for j in (0, 1)}
    space = gittins.Space()
    for j, size in enumerate(sizes):
        space = space.choice(f"c{j}", [f"n{k}" for k in range(size)])

    def score(at):
        return sum(effects[j][k] for j, k in enumerate(at)) + sum(
            effect[at[i], at[j]] for (i, j), effect in pairs.items())

    every = sorted(score(at) for at in itertools.product(*map(range, sizes)))
    edge = every[int(0.8 * len(every))]

    def value(values):
        logit = 1.3 * (score([int(v[1:]) for v in values.values()]) - edge)
        return round(200.0 / (1.0 + math.exp(-logit)) - 100.0, 2) if logit > 0 else 0.0

    def draw(rng):
        return {f"c{j}": f"n{rng.integers(size)}" for j, size in enumerate(sizes)}

    return Problem(space, "maximize", "zeros", value, value, draw)


def currin(x):
    below = 1.0 - math.exp(-1.0 / (2.0 * x[1])) if x[1] > 0 else 1.0
    top = 2300 * x[0] ** 3 + 1900 * x[0] ** 2 + 2092 * x[0] + 60
    return below * top / (100 * x[0] ** 3 + 500 * x[0] ** 2 + 4 * x[0] + 20)


def zdt(x):
    return 1 + 9 * float(np.mean(x[1:]))


# The dimension and two objectives, of which a study says what it expects of the first.
FRONTS = {
    "branin": (2, branin, currin),
    "zdt1": (4, lambda x: x[0], lambda x: zdt(x) * (1 - math.sqrt(x[0] / zdt(x)))),
    "zdt2": (4, lambda x: x[0], lambda x: zdt(x) * (1 - (x[0] / zdt(x)) ** 2)),
}


def front(name, swapped, seed):
    dim, *both = FRONTS[name]
    value, other = (of_list(f) for f in (both[::-1] if swapped else both))
    return Problem(box(dim), "minimize", "fronts", value, value, drawn(dim), other=other)
