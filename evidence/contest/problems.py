"""What the engines minimize: suites of problems, each with a space and a budget."""

import csv
import dataclasses
import functools
import importlib
import pathlib

import numpy as np

from problem import Problem
from space import Parameter

# The groups of the BBOB functions, as their authors name them.
GROUPS = {
    "separable": range(1, 6),
    "moderate": range(6, 10),
    "ill-conditioned": range(10, 15),
    "multi-modal": range(15, 20),
    "weak structure": range(20, 25),
}

# Suites with a module of their own, where a seed stands for an instance of each problem.
SEEDED = ("high", "mixed", "workers", "mixint", "pbo", "coco-noisy", "robots", "everyday")
SUITES = ("bbob", "noisy", "models", "tables", "money", *SEEDED)

# One or two functions of each group, for the suite with noise.
NOISY = (1, 3, 6, 8, 10, 13, 15, 21)
LEVELS = (0.1, 0.5)


def bbob_id(function, dim, instance):
    return f"f{function:02}-d{dim:02}-i{instance:02}"


def parts(id):
    """Function, dimension and instance of a problem of the suites `bbob` and `noisy`."""
    return tuple(int(part[1:]) for part in id.split("-")[:3])


def group(id):
    return next(name for name, members in GROUPS.items() if parts(id)[0] in members)


def bbob(id):
    import ioh

    function, dim, instance = parts(id)
    f = ioh.get_problem(function, instance, dim, ioh.ProblemClass.BBOB)
    box = [Parameter(f"x{k}", "float", -5.0, 5.0) for k in range(dim)]

    def evaluate(values):
        y = float(f(values))
        return y, y, None

    optimum = float(f.optimum.y)
    middle = float(f([0.0] * dim)) - optimum
    return Problem(id, box, evaluate, 10 * dim, optimum, probe=middle)


def noisy(id):
    """A BBOB function with Gaussian noise, in shares of its spread over the box.

    The draws depend on the problem and on the number of the evaluation, not on who asks.
    """
    exact = bbob(id)
    level = float(id.split("-n")[1])
    rng = np.random.default_rng(parts(id))
    uniform = rng.uniform(-5, 5, (1000, len(exact.parameters)))
    spread = np.std([exact.evaluate(x.tolist())[0] for x in uniform])

    def evaluate(values):
        y = exact.evaluate(values)[0]
        return y + level * spread * rng.standard_normal(), y, None

    return dataclasses.replace(exact, evaluate=evaluate, noisy=True)


# Column names, the outcome, the columns on a log scale, the money as a share of all settings'.
TABLES = {
    "lda": ("lda_grid.csv", ["kappa", "tau0", "batch_size"], "perplexity",
            ["tau0", "batch_size"], 0.2),
    "logreg": ("logreg_grid.csv", ["learning_rate", "l2_regularisation", "batch_size", "epochs"],
               "valid_error", ["batch_size", "epochs"], 0.01),
}


@functools.cache
def rows(path, names):
    """The rows of a table by their settings; the first of two with the same settings counts."""
    found = {}
    with pathlib.Path(path).open() as file:
        for row in csv.DictReader(file):
            found.setdefault(tuple(float(row[name]) for name in names), row)
    return found


def table(id, folder):
    file, names, outcome, log, share = TABLES[id]
    found = rows(pathlib.Path(folder, file), tuple(names))
    # Who knows no tables chooses the number of a value on each axis.
    axes = [sorted({key[k] for key in found}) for k in range(len(names))]
    indices = [Parameter(name, "int", 0, len(axis) - 1) for name, axis in zip(names, axes)]

    def evaluate(values):
        row = found[tuple(axis[int(k)] for axis, k in zip(axes, values))]
        y = float(row[outcome])
        return y, y, float(row["cost_seconds"])

    places = [[axis.index(v) for axis, v in zip(axes, key)] for key in found]
    given = {"names": names, "rows": [list(key) for key in found], "log": log, "places": places}
    best = min(float(row[outcome]) for row in found.values())
    money = share * sum(float(row["cost_seconds"]) for row in found.values())
    return Problem(id, indices, evaluate, 150, best, money, price=1e-4, table=given)


def module(suite):
    """The module of a suite that has one of its own."""
    return importlib.import_module(suite.replace("-", "_"))


def problem(suite, id, data, seed):
    """A problem by its suite and its name; the seed chooses an instance where the suite has any."""
    if suite == "tables":
        return table(id, data)
    if suite == "models":
        import models

        return models.problem(id)
    if suite == "money":
        return module(suite).problem(id, data)
    if suite == "everyday":
        return module(suite).problem(id, seed, data)
    if suite in SEEDED:
        return module(suite).problem(id, seed)
    return {"bbob": bbob, "noisy": noisy}[suite](id)


def batches(suite, args):
    """The problems of a suite that the filters leave; a batch is one instance of each function."""
    if suite == "models":
        import models

        return [[name for name in models.MODELS if name in args.problems or not args.problems]]
    if suite in SEEDED or suite == "money":
        kept = [id for id in module(suite).PROBLEMS if id in args.problems or not args.problems]
        if suite == "money":
            kept = [id for id in kept if module(suite).available(id, args.data)]
        elif suite == "mixint":
            kept = [id for id in kept if module(suite).chosen(id, args)]
        return [kept]
    if suite == "tables":
        found = []
        for name, (file, *_) in TABLES.items():
            if pathlib.Path(args.data, file).exists():
                found.append(name)
            else:
                print(f"{name}: no {file} in {args.data}, skipped")
        return [found]
    functions = args.functions if suite == "bbob" else [f for f in args.functions if f in NOISY]
    ids = [[bbob_id(f, d, i) for f in functions] for d in args.dims for i in args.instances]
    if suite == "noisy":
        ids = [[f"{id}-n{level}" for level in LEVELS for id in batch] for batch in ids]
    return ids
