"""Whole trials: what is said of the next one, of one at random, of the best one, of costs."""

import dataclasses
import functools
import math
import pathlib
import zlib

import functions
import gittins
import numpy as np
from functions import CLASSIC, TURNED, chance, names, noisy, plain, right, smooth, stepped

# The suites, and of each its problems.
SUITES = {
    "classic": {name: functools.partial(smooth, name) for name in CLASSIC},
    "rotated": {name: functools.partial(smooth, name) for name in TURNED},
    "noise": {
        f"{name} {level}": functools.partial(noisy(level), name)
        for name, level in (("branin", 0.1), ("hartmann", 0.2), ("ellipsoid", 0.1),
                            ("rastrigin", 0.2), ("ridge", 0.5))
    },
    "steps": {
        f"{name} {levels}": functools.partial(stepped(levels), name)
        for name, levels in (("branin", 5), ("hartmann", 20), ("ellipsoid", 10),
                             ("rastrigin", 20), ("ridge", 10))
    },
    "zeros": {
        **{f"{name} {share}": functools.partial(plain(share), name)
           for name, share in (("branin", 0.2), ("hartmann", 0.1), ("ellipsoid", 0.2))},
        "names": functools.partial(names, "names"),
    },
    "right": {
        **{f"{name} {share}": functools.partial(right(share), name)
           for name, share in (("branin", 0.3), ("ellipsoid", 0.3), ("rastrigin", 0.1))},
        **{f"{name} chance": functools.partial(chance, name) for name in ("branin", "ellipsoid")},
    },
    "fronts": {
        f"{name}, {place} objective": functools.partial(functions.front, name, place == "second")
        for name in functions.FRONTS for place in ("first", "second")
    },
    "costs": {"branin": None, "hartmann": None, "ellipsoid": None},
    "tables": dict.fromkeys(("hpobench_car", "hpobench_kc1", "hpobench_australian",
                             "hpobench_segment", "hpolib_parkinsons_telemonitoring",
                             "hpolib_naval_propulsion")),
}
PROBLEMS = tuple(f"{suite}: {name}" for suite, found in SUITES.items() for name in found)
SEEDS = 5
TRIALS = 44
# After so many trials settings at random are asked about, and the recommendation is judged.
MARKS = (5, 10, 20, 40)
RANDOM = 4


def available(problem, data):
    suite, name = problem.split(": ")
    return suite != "tables" or bool(data) and pathlib.Path(data, f"{name}.csv.gz").exists()


def costly(name, seed):
    """A function each trial of which costs what depends on its place, and a tenth by chance."""
    found = smooth(name, seed)
    rng = np.random.default_rng([zlib.crc32(name.encode()), seed, 2])

    def cost(values):
        x = list(values.values())
        return math.exp(2 * x[0] + math.sin(4 * x[1]) + 0.1 * rng.standard_normal())

    found.cost = cost
    return found


def table(name, data):
    """A table of measured settings with seconds, read at the row nearest to numbers."""
    import everyday
    import measured

    parameters = everyday.nearest(f"nearest-{name}", data)[0]
    space = gittins.Space()
    for p in parameters:
        space = space.choice(p.name, list(p.options)) if p.kind == "choice" else getattr(
            space, p.kind)(p.name, p.low, p.high)

    def draw(rng):
        return {p.name: p.value(float(u)) for p, u in zip(parameters, rng.random(len(parameters)))}

    levels, rows, _ = measured.table(data, name)
    readers = [str if p.kind == "choice" else everyday.reader(
        p.options, math.log if axis.kind == "log_float" else float)
        for p, axis in zip(levels, parameters)]

    def row(values):
        return rows[tuple(r(v) for r, v in zip(readers, values.values()))]

    def told(values):
        return row(values)[0]

    return functions.Problem(space, "minimize", "tables", told, told, draw,
                             lambda values: row(values)[1])


def problem_of(problem, seed, data):
    suite, name = problem.split(": ")
    if suite == "tables":
        found = table(name, data)
        # Each second study has its seconds, which are then learned.
        return found if seed % 2 else dataclasses.replace(found, cost=None)
    return costly(name, seed) if suite == "costs" else SUITES[suite][name](seed)


def mark(n):
    """The number of trials by which an outcome is counted: 5, 10, 20, 40."""
    return max([at for at in MARKS if at <= n], default=MARKS[0])


class Said:
    """What was said, each as kind, about what, after how many trials, error in deviations."""

    def __init__(self, problem):
        self.problem, self.rows = problem, []
        self.sign = 1.0 if problem.direction == "maximize" else -1.0

    def outcome(self, about, n, mean, sd, came):
        if mean is None or not math.isfinite(mean):
            return
        gap = self.sign * (mean - came)
        # Beyond the sixth digit no two numbers are held to differ.
        if abs(gap) <= 1e-6 * max(abs(came), 1e-9):
            gap = 0.0
        self.add(self.problem.kind, about, n, gap, sd)

    def cost(self, n, forecast, came):
        # A log-normal distribution is exp(s^2 / 2) larger on average than in the median.
        if forecast is not None:
            s = math.sqrt(2 * max(math.log(forecast.expected / forecast.median), 0.0))
            self.add("cost", "suggested", n, math.log(forecast.median / came), s)

    def add(self, kind, about, n, gap, sd):
        z = gap / sd if sd > 0 else math.copysign(1e6, gap) if gap else 0.0
        self.rows.append([kind, about, mark(n), float(f"{min(max(z, -1e6), 1e6):.4g}")])


def at_random(study, problem, said, n, rng):
    """What is said of settings at random: each is asked for by name, and withdrawn."""
    for _ in range(RANDOM):
        values = problem.drawn(rng)
        try:
            ask = study.ask(where=values)
        except gittins.ExhaustedError:  # It was evaluated, and without noise nothing is left of it.
            continue
        record = study.record()
        mean, sd = record["mean"][ask.trial], record["sd"][ask.trial]
        study.withdraw(ask)
        if mean is None:
            return
        said.outcome("random", n, mean, sd, problem.value(dict(ask)))


def recommended(study, problem, said, n):
    best = study.recommendation()
    if best is not None:
        said.outcome("recommended", n, best.mean, best.sd, problem.value(best.values))


def play(problem, seed, data):
    """What one study said, and how it came."""
    one = problem_of(problem, seed, data)
    said, rng = Said(one), np.random.default_rng([zlib.crc32(problem.encode()), seed])
    more = {"cost": "learned"} if one.cost else {}
    more |= {"objectives": {"other": "minimize"}} if one.other else {}
    study = gittins.Study(one.space, one.direction, seed=seed + 1, **more)
    marks, modeled = list(MARKS), False
    for n in range(TRIALS):
        ask = study.ask()
        came = one.told(dict(ask))
        cost = one.cost(dict(ask)) if one.cost else None
        record = study.record()
        mean, sd = record["mean"][ask.trial], record["sd"][ask.trial]
        if mean is not None:
            modeled = True
            said.outcome("suggested", n, mean, sd, one.value(dict(ask)))
            if one.told is not one.value:
                said.outcome("suggested, as told", n, mean, sd, came)
            if cost is not None:
                said.cost(n, study.forecast(ask), cost)
        beside = {"other": one.other(dict(ask))} if one.other else None
        study.tell(ask, came, cost=cost, measured=beside)
        if n + 1 in MARKS:
            recommended(study, one, said, n + 1)
        # In the design there is no model to ask. Beside learned costs a part of the space that is
        # one point is searched for minutes.
        if modeled and one.cost is None and marks and n + 1 >= marks[0]:
            del marks[0]
            at_random(study, one, said, n + 1, rng)
    return {"rows": said.rows}
