"""Trials in stages: what is said of their end after each report, where the end is known."""

import functools
import math
import pathlib
import tempfile
import zlib

import functions
import gittins
import numpy as np
from whole import Said

# So many whole trials are what a study may pay.
MONEY = 12
FOLDS = 5
REPORTS = (1, 2, 4, 8, 16, 27)

MADE = {
    "curves made": ("branin", "hartmann", "ellipsoid"),
    "folds": ("branin", "ellipsoid"),
    "folds of steps": ("branin", "ellipsoid"),
}
RECORDED = {
    "lcbench": ("adult", "Fashion-MNIST", "higgs"),
    "lcbench-accuracy": ("adult", "segment", "higgs"),
    "taskset": ("patch128_LSTM128_avg_bs64", "patch32_VRNN64_tanh_avg_bs128"),
}
PROBLEMS = tuple(f"{suite}: {name}" for suite, names in (MADE | RECORDED).items()
                 for name in names)
SEEDS = 2


def available(problem, data):
    suite, name = problem.split(": ")
    if suite in MADE:
        return True
    import recorded

    return bool(data) and all(pathlib.Path(data, file).exists()
                              for file in recorded.files(suite, name))


def curves_made(name, seed):
    """A function as the end of curves that fall by powers, with a little noise."""
    f, dim = functions.function(name, seed)
    rng = np.random.default_rng([zlib.crc32(name.encode()), seed, 3])
    spread = float(np.std([f(x) for x in rng.random((functions.SAMPLE, dim))]))

    def curve(values):
        x = list(values.values())
        rate, above = 0.3 + 0.7 * x[-1], spread * (0.5 + x[0])
        return [f(x) + above * progress**-rate + 0.02 * spread * float(rng.standard_normal())
                for progress in REPORTS]

    space = functions.box(dim)
    stages = {"epochs": REPORTS[-1], "reports": list(REPORTS)}
    return space, stages, curve, np.diff(REPORTS, prepend=0), "curves"


def folds(name, rows, seed):
    """A function by folds: some are harder, and each trial has luck of its own in each.

    With `rows` an outcome is the share that is wrong of so many.
    """
    f, dim = functions.function(name, seed)
    rng = np.random.default_rng([zlib.crc32(name.encode()), seed, 4])
    order = np.sort([f(x) for x in rng.random((functions.SAMPLE, dim))])
    hard = rng.normal(0, 0.04, FOLDS)

    def curve(values):
        rank = np.searchsorted(order, f(list(values.values()))) / len(order)
        wrong = np.clip(0.1 + 0.3 * rank + hard, 0, 1)
        if rows:
            return list(rng.binomial(rows, wrong) / rows)
        return list(wrong + rng.normal(0, 0.02, FOLDS))

    return functions.box(dim), {"folds": FOLDS}, curve, np.ones(FOLDS), "folds"


def recorded_curves(suite, name, data):
    import recorded

    cache = pathlib.Path(tempfile.gettempdir(), "gittins-coverage")
    one = recorded.problem(suite, name, data, cache)
    space = gittins.Space()
    for p in one.parameters:
        space = getattr(space, p.kind)(p.name, p.low, p.high)
    run = one.opened()

    @functools.cache
    def shown(values):
        return run(list(values))

    stages = {"total": float(one.rungs[-1]), "reports": [float(rung) for rung in one.rungs]}
    first = shown(tuple(one.draw(np.random.default_rng(0))))
    return (space, stages, lambda values: list(shown(tuple(values.values())).losses),
            np.array(first.seconds) / sum(first.seconds), "curves")


def problem_of(problem, seed, data):
    suite, name = problem.split(": ")
    if suite in RECORDED:
        return recorded_curves(suite, name, data)
    if suite == "curves made":
        return curves_made(name, seed)
    return folds(name, 30 if suite == "folds of steps" else 0, seed)


def play(problem, seed, data):
    """What one study said of the ends of its trials, and how they came."""
    space, stages, curve, costs, kind = problem_of(problem, seed, data)
    costs = costs / costs.sum()
    places = list(range(1, FOLDS + 1)) if kind == "folds" else stages["reports"]
    study = gittins.Study(space, "minimize", stages=stages, seed=seed + 1, budget=float(MONEY))
    said = Said(functions.Problem(space, "minimize", kind, None, None, None))
    known, spent = {}, 0.0
    while spent < MONEY and not study.verdict():
        ask = study.ask()
        if ask.trial not in known:
            known[ask.trial] = curve(dict(ask))
        shown, at = known[ask.trial], places.index(ask.until)
        end = float(np.mean(shown)) if kind == "folds" else shown[-1]
        going = True
        while going:
            advice = study.report(ask, places[at], shown[at], cost=float(costs[at]))
            spent += costs[at]
            found = study.forecast_end(ask.trial)
            if found is not None and math.isfinite(end):
                said.outcome(f"after report {at + 1}", len(known), found.mean, found.sd, end)
            going, at = bool(advice), at + 1
    best = study.recommendation()
    if best is not None:
        shown = known[best.trial]
        end = float(np.mean(shown)) if kind == "folds" else shown[-1]
        said.outcome("recommended", len(known), best.mean, best.sd, end)
    return {"rows": said.rows}
