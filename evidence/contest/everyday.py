"""Everyday problems whose outcomes are steps: accuracies on a small test set, ranks, tables.

Many settings are exactly as good there. A seed is an instance: the rows that train and test, or the
function's. `TUNED` are those that the rules for ties were chosen on.
"""

import importlib
import json
import math
import pathlib
import warnings
import zlib

import measured
import numpy as np
from problem import Problem
from space import Parameter, choice, flag

CLASSIFIERS = json.loads(pathlib.Path(__file__).with_suffix(".json").read_text())
STEPS = tuple(f"steps-{f}-{levels}" for f, levels in zip(
    ("f01", "f03", "f06", "f08", "f11", "f15", "f20", "f21", "f24"), (5, 10, 20) * 3))
MODELS = tuple(f"{kind}-{data}" for kind, about in CLASSIFIERS.items() for data in about["data"])
TABLES = tuple(f"nearest-{id}" for id in measured.GRIDS[:6])
TUNED = tuple(id for id in MODELS if id.startswith(("tree", "svm"))) + STEPS + TABLES
PROBLEMS = TUNED + tuple(id for id in MODELS if id not in TUNED)
# The most rows of a data set, of which 60 % train.
ROWS = 600


def budget(id):
    return 50


def parameter(name, kind, *about):
    if kind == "flag":
        return flag(name)
    return choice(name, *about[0]) if kind == "choice" else Parameter(name, kind, *about)


def classifier(about, values, seed):
    from sklearn import decomposition, pipeline, preprocessing

    folder, name = about["class"].rsplit(".", 1)
    given = about["fixed"] | values | ({"random_state": seed} if about["seeded"] else {})
    scaling, components = given.pop("scaling", "none"), given.pop("components", None)
    scaling = "standard" if given.pop("scale", False) else scaling
    scalers = {"standard": preprocessing.StandardScaler, "minmax": preprocessing.MinMaxScaler}
    steps = [scalers[scaling]()] if scaling in scalers else []
    steps += [decomposition.PCA(components, random_state=seed)] if components else []
    return pipeline.make_pipeline(*steps, getattr(importlib.import_module(folder), name)(**given))


def trained(id, seed):
    """The share of a test set that a classifier gets wrong; all of it where it cannot be fitted."""
    from sklearn import datasets

    kind, data = id.split("-")
    about = CLASSIFIERS[kind]
    parameters = [parameter(*one) for one in about["parameters"]]
    x, y = getattr(datasets, f"load_{data}")(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(x))[:ROWS]
    train, test = np.split(order, [int(0.6 * len(order))])

    def value(values):
        model = classifier(about, dict(zip((p.name for p in parameters), values)), seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model.fit(x[train], y[train])
                return float(np.mean(model.predict(x[test]) != y[test]))
            except (FloatingPointError, ValueError, OverflowError):
                return 1.0

    return parameters, value, 0.0


def stepped(id, seed):
    """A function of BBOB in 5 dimensions by its rank in a sample, in steps of equal ratios."""
    import ioh

    _, f, levels = id.split("-")
    function = ioh.get_problem(int(f[1:]), 100 + seed, 5, ioh.ProblemClass.BBOB)
    rng = np.random.default_rng(seed)
    sample = [function(x) for x in rng.uniform(-5, 5, (4000, 5))]
    edges = np.quantile(sample, np.geomspace(1.0, 1e-4, int(levels) + 1)[::-1])
    box = [Parameter(f"x{k}", "float", -5.0, 5.0) for k in range(5)]
    return box, lambda values: float(np.searchsorted(edges, function(list(values)))), 0.0


def reader(options, scale):
    """From a number to the nearest of the levels."""
    places = np.array([scale(float(option)) for option in options])
    return lambda number: options[int(np.argmin(np.abs(places - scale(number))))]


def nearest(id, folder):
    """A table of measured settings, read at the levels nearest to the numbers."""
    levels, found, _ = measured.table(folder, id.removeprefix("nearest-"))
    parameters, readers = [], []
    for p in levels:
        if p.kind == "choice":
            parameters.append(p)
            readers.append(str)
            continue
        low, high = float(p.options[0]), float(p.options[-1])
        wide = low > 0 and high / low > 20
        parameters.append(Parameter(p.name, "log_float" if wide else "float", low, high))
        readers.append(reader(p.options, math.log if wide else float))
    best = min(outcome for outcome, _ in found.values())
    return parameters, lambda values: found[tuple(r(v) for r, v in zip(readers, values))][0], best


def problem(id, seed, folder):
    instance = zlib.crc32(f"{id} {seed}".encode()) % 10_000
    if id.startswith("nearest"):
        parameters, value, optimum = nearest(id, folder)
    else:
        make = stepped if id.startswith("steps") else trained
        parameters, value, optimum = make(id, instance)

    def evaluate(values):
        y = value(values)
        return y, y, None

    middle = evaluate([p.value(0.5) for p in parameters])[0] - optimum
    return Problem(id, parameters, evaluate, budget(id), optimum, probe=middle)
