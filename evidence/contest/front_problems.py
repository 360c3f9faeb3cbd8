"""Two and three objectives: problems, their reference points and the largest known hypervolume.

ZDT1 to ZDT3, DTLZ2, C2-DTLZ2, Branin-Currin and vehicle safety are of `botorch.test_functions`,
with its reference points and largest hypervolumes. ZDT4 and ZDT6 are those of Zitzler, Deb and
Thiele, "Comparison of Multiobjective Evolutionary Algorithms" (2000), by their formulas. WFG4 is
that of Huband, Hingston, Barone and While, "A Review of Multiobjective Test Problems and a
Scalable Test Problem Toolkit" (2006), by theirs. ZDT, DTLZ and WFG have six parameters. The
reference point of ZDT4 is (11, 100): with that of the others, (11, 11), hardly a trial would
count. Tables are in the folder of `--data` and not part of this package. Their reference point is
the median of each objective over all rows.
"""

import functools
import math
import statistics

import measured
from several import Rows, Several, missing
from space import Parameter

D = 6


def zdt(id, low, value, reference, volume):
    parameters = [Parameter("x0", "float", 0.0, 1.0)]
    parameters += [Parameter(f"x{k}", "float", low, -low if low else 1.0) for k in range(1, D)]
    return Several(id, parameters, lambda values: (value(values), []), 2, 0, volume,
                   reference=reference)


def zdt4():
    def value(x):
        g = 1.0 + 10.0 * (len(x) - 1)
        g += sum(v * v - 10.0 * math.cos(4.0 * math.pi * v) for v in x[1:])
        return [x[0], g * (1.0 - math.sqrt(x[0] / g))]

    # The front is 1 - sqrt(f1): a third of the square below it is not dominated.
    return zdt("zdt4", -5.0, value, [11.0, 100.0], 1100.0 - 1.0 / 3.0)


# The least first objective of ZDT6, at x = 0.0814578.
LEAST = 0.28077531881


def zdt6():
    def value(x):
        first = 1.0 - math.exp(-4.0 * x[0]) * math.sin(6.0 * math.pi * x[0]) ** 6
        g = 1.0 + 9.0 * (sum(x[1:]) / (len(x) - 1)) ** 0.25
        return [first, g * (1.0 - (first / g) ** 2)]

    # The front is 1 - f1^2 from the least first objective on.
    below = (1.0 - LEAST) - (1.0 - LEAST**3) / 3.0
    return zdt("zdt6", 0.0, value, [11.0, 11.0], (11.0 - LEAST) * 11.0 - below)


# Of the six parameters of WFG4, so many say where on the front; the others, how far from it.
POSITIONS = 4


def shifted(y):
    """`s_multi(y; 30, 10, 0.35)` of WFG4: 0 at 0.35 alone, 1 at both ends, and hills between."""
    place = abs(y - 0.35) / (2.0 * (math.floor(0.35 - y) + 0.35))
    return (1.0 + math.cos(122.0 * math.pi * (0.5 - place)) + 40.0 * place * place) / 12.0


def wfg4():
    def value(z):
        t = [shifted(v / (2.0 * k)) for k, v in enumerate(z, 1)]
        position, distance = statistics.fmean(t[:POSITIONS]), statistics.fmean(t[POSITIONS:])
        angle = 0.5 * math.pi * position
        return [distance + 2.0 * math.sin(angle), distance + 4.0 * math.cos(angle)]

    parameters = [Parameter(f"z{k}", "float", 0.0, 2.0 * k) for k in range(1, D + 1)]
    # The front is a quarter of an ellipse with the half-axes 2 and 4. The reference point is the
    # worst of each objective.
    return Several("wfg4", parameters, lambda z: (value(z), []), 2, 0, 15.0 - 2.0 * math.pi,
                   reference=[3.0, 5.0])


# The class, its dimension and number of objectives.
BOTORCH = {
    "zdt1": ("ZDT1", D, 2), "zdt2": ("ZDT2", D, 2), "zdt3": ("ZDT3", D, 2),
    "dtlz2-2": ("DTLZ2", D, 2), "dtlz2-3": ("DTLZ2", D, 3), "c2dtlz2": ("C2DTLZ2", D, 2),
    "branin-currin": ("BraninCurrin", None, None), "vehicle": ("VehicleSafety", None, None),
}


def published(id):
    import botorch.test_functions.multi_objective as functions
    import torch

    name, d, m = BOTORCH[id]
    settings = {"dim": d, "num_objectives": m} if d else {}
    function = getattr(functions, name)(**settings)
    low, high = function.bounds.tolist()
    parameters = [Parameter(f"x{k}", "float", a, b) for k, (a, b) in enumerate(zip(low, high))]
    limits = getattr(function, "num_constraints", 0)

    def evaluate(values):
        point = torch.tensor([values], dtype=torch.float64)
        held = (-function.evaluate_slack_true(point)[0]).tolist() if limits else []
        return function.evaluate_true(point)[0].tolist(), held

    return Several(id, parameters, evaluate, function.num_objectives, limits, function.max_hv,
                   reference=function.ref_point.tolist())


def accurate(row):
    """Error in percent, seconds of latency."""
    return [100.0 - float(row["val_accuracy"]), float(row["latency_seconds"])]


def quick(row):
    """Error in percent, negative thousands of images a second on an A100."""
    return [100.0 - float(row["val_top1"]), -float(row["throughput_a100"]) / 1000.0]


TABLES = {"nasbench": ("nasbench201_cifar10", accurate), "accel": ("accel_nas", quick)}


@functools.cache
def measurements(id, folder):
    name, numbers = TABLES[id]
    if missing(id, folder, name):
        return None
    _, parameters, rows = measured.described(folder, name)
    outcomes = [numbers(row) for row in rows]
    table = Rows(parameters, rows, [(outcome, []) for outcome in outcomes])
    reference = [statistics.median(column) for column in zip(*outcomes)]
    return Several(id, parameters, table.evaluate, 2, 0, hypervolume(outcomes, reference),
                   reference=reference, rows=table.rows)


def hypervolume(outcomes, reference):
    """What minimized outcomes dominate of the space below the reference."""
    import torch
    from botorch.utils.multi_objective.hypervolume import Hypervolume
    from botorch.utils.multi_objective.pareto import is_non_dominated

    points = -torch.tensor(outcomes, dtype=torch.float64)
    front = points[is_non_dominated(points)]
    return Hypervolume(-torch.tensor(reference, dtype=torch.float64)).compute(front)


FORMULAS = {"zdt4": zdt4, "zdt6": zdt6, "wfg4": wfg4}
PROBLEMS = (*BOTORCH, *FORMULAS, *TABLES)


def problem(id, folder):
    """A problem by its name; nothing if its table is not there."""
    if id in FORMULAS:
        return FORMULAS[id]()
    return published(id) if id in BOTORCH else measurements(id, folder)
