"""One objective with limits on measured numbers: problems whose optimum is known.

Gardner's two simulations are those of section 5.1 of Gardner et al., "Bayesian Optimization with
Inequality Constraints" (ICML 2014). The next six are of `botorch.test_functions`, which names
their sources. Optima are of the functions as they are there. Those of `pressure` and `beam` are
below the published ones: two parameters of the first are rounded in the objective only, and the
buckling load of the second is another. Tables are in the folder of `--data` and not part of this
package.
"""

import functools
import math
import statistics

import measured
from several import Rows, Several, missing
from space import Parameter


def box(low, high, d):
    return [Parameter(f"x{k}", "float", low, high) for k in range(d)]


def formula(id, parameters, evaluate, optimum, known):
    return Several(id, parameters, evaluate, 1, 1, optimum, known)


def gardner1():
    def evaluate(values):
        x, y = values
        limit = math.cos(x) * math.cos(y) - math.sin(x) * math.sin(y) - 0.5
        return [math.cos(2 * x) * math.cos(y) + math.sin(x)], [limit]

    return formula("gardner1", box(0.0, 6.0, 2), evaluate, -2.0, [1.5 * math.pi, 0.0])


def gardner2():
    def evaluate(values):
        x, y = values
        return [math.sin(x) + y], [math.sin(x) * math.sin(y) + 0.95]

    least = math.asin(0.95)
    known = [1.5 * math.pi, least + 1e-9]
    return formula("gardner2", box(0.0, 6.0, 2), evaluate, least - 1.0, known)


def linear():
    def evaluate(values):
        x, y = values
        return [x * x + y * y], [1.2 - x - y]

    return formula("linear", box(0.0, 2.0, 2), evaluate, 0.72, [0.6, 0.6])


# The class, the least value and where it is: SLSQP from 60 starts or more; of `PressureVessel` a
# search over what is rounded, and of the constrained Hartmann function its free optimum, which
# holds the limit.
BOTORCH = {
    "gramacy": ("ConstrainedGramacy", 0.59978805, [0.1951226859, 0.4046653675]),
    "hartmann": ("ConstrainedHartmann", -3.32236801,
                 [0.20168951, 0.15001069, 0.47687397, 0.27533243, 0.31165162, 0.65730053]),
    "spring": ("TensionCompressionString", 0.012665233,
               [0.0516890608, 0.3567177251, 11.2889727067]),
    "pressure": ("PressureVessel", 5633.95024, [0.78125, 0.40625, 40.4792746, 197.78935]),
    "beam": ("WeldedBeamSO", 1.5870775, [0.1680000157, 4.0670842902, 10.0, 0.1680000278]),
    "reducer": ("SpeedReducer", 2996.34816,
                [3.5000000009, 0.7, 17.0, 7.3, 7.8, 3.350214667, 5.2866832302]),
}


def published(id):
    import botorch.test_functions.synthetic as functions
    import torch

    name, optimum, known = BOTORCH[id]
    function = getattr(functions, name)()
    low, high = function.bounds.tolist()
    parameters = [Parameter(f"x{k}", "float", a, b) for k, (a, b) in enumerate(zip(low, high))]

    def evaluate(values):
        point = torch.tensor([values], dtype=torch.float64)
        value = function.evaluate_true(point)[0]
        return [float(value)], (-function.evaluate_slack_true(point)[0]).tolist()

    return Several(id, parameters, evaluate, 1, function.num_constraints, optimum, known)


def lighter(row, typical):
    """The logarithm of the loss, and the number of weights in shares of the typical one."""
    return [math.log(float(row["val_loss"]))], [float(row["model_size"]) / typical - 1.0]


def quick(row, _):
    """The error in percent, and what is missing of 8000 images a second on an A100."""
    return [100.0 - float(row["val_top1"])], [1.0 - float(row["throughput_a100"]) / 8000.0]


TABLES = {
    "naval": ("hpolib_naval_propulsion", lighter),
    "parkinsons": ("hpolib_parkinsons_telemonitoring", lighter),
    "accel": ("accel_nas", quick),
}


@functools.cache
def measurements(id, folder):
    name, numbers = TABLES[id]
    if missing(id, folder, name):
        return None
    _, parameters, rows = measured.described(folder, name)
    typical = statistics.median(float(row["model_size"]) for row in rows) if id != "accel" else None
    table = Rows(parameters, rows, [numbers(row, typical) for row in rows])
    right = [k for k, (_, limits) in enumerate(table.numbers) if limits[0] <= 0.0]
    best = min(right, key=lambda k: table.numbers[k][0][0])
    return Several(id, parameters, table.evaluate, 1, 1, table.numbers[best][0][0],
                   table.rows[best], rows=table.rows)


FORMULAS = {"gardner1": gardner1, "gardner2": gardner2, "linear": linear}
PROBLEMS = (*FORMULAS, *BOTORCH, *TABLES)


def problem(id, folder):
    """A problem by its name; nothing if its table is not there."""
    if id in FORMULAS:
        return FORMULAS[id]()
    return published(id) if id in BOTORCH else measurements(id, folder)
