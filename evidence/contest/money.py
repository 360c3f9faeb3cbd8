"""Measured tables, and a surrogate of XGBoost, at equal money: that of 100 trials of median cost.

Costs are the measured seconds, of the surrogate those it predicts. The tables are full grids of
networks' settings and of architectures: an ordered setting is `ordinal`, a name a `choice`. The
surrogate is YAHPO Gym's network of rbv2_xgboost, its log loss at full fidelity on six data sets.
Both are in the folder of `--data` and not part of this package; what is missing there is skipped by
name. A run ends when its money is spent, or after 500 evaluations. Means of costs are far above
their median, so that who draws at random pays for some 15 trials of the dearer tables.
"""

import pathlib

import measured
import numpy as np
from problem import Problem

TRIALS, MOST = 100, 500
# OpenML's data sets, where no setting has a log loss of 0: the best known boosters are of all three
# kinds, and what the best setting costs is from a quick one's to nearly the dearest one's.
DATASETS = (16, 31, 44, 151, 181, 1053)
BOOSTED = {f"xgb-{dataset}": str(dataset) for dataset in DATASETS}
PROBLEMS = [*measured.GRIDS, *BOOSTED]


def budget(id):
    return MOST


def available(id, folder):
    """Whether the data of a problem are there; else it is said."""
    names = [f"rbv2_xgboost.{end}" for end in ("py", "json", "bin")]
    if id not in BOOSTED:
        names = ["tables.json", f"{id}.csv.gz"]
    missing = [name for name in names if not pathlib.Path(folder, name).exists()]
    if missing:
        print(f"{id}: no {missing[0]} in {folder}, skipped")
    return not missing


def grid(id, folder):
    parameters, found, unit = measured.table(folder, id)

    def evaluate(values):
        y, cost = found[tuple(values)]
        return y, y, cost

    return parameters, evaluate, unit, min(y for y, _ in found.values())


def boosted(id, folder):
    bench, parameters = measured.surrogate(folder), measured.boosting(folder)[0]

    def evaluate(values):
        y, seconds = measured.boosted(folder, BOOSTED[id], values)
        return y, y, seconds

    sample = bench.sample(np.random.default_rng(0), 1000)
    unit = float(np.median(bench.evaluate(BOOSTED[id], sample)["timetrain"]))
    return parameters, evaluate, unit, 0.0


def problem(id, folder):
    parameters, evaluate, unit, optimum = (boosted if id in BOOSTED else grid)(id, folder)
    given = {}
    for p in parameters:
        given[p.name] = p.value(0.5) if p.present(given) else None
    middle = evaluate(list(given.values()))[0] - optimum
    return Problem(id, parameters, evaluate, MOST, optimum, TRIALS * unit, probe=middle)
