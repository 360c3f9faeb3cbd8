"""COCO's suite bbob-mixint (Tusar et al., GECCO 2019): BBOB functions with whole numbers.

Of each five parameters one has 2 values, one 4, one 8, one 16, and one is a number in [-5, 5]. The
seed is COCO's instance, 1 to 15. The optimum is on the grid, and its value is that of the BBOB
function, times the factor by which the suite brings functions to a like scale.
"""

import functools

from problem import Problem
from space import Parameter

DIMS = (5, 10)
PROBLEMS = [f"f{function:02}-d{dim:02}" for dim in DIMS for function in range(1, 25)]
# Exponents of ten of the published factors, f1 first.
FACTORS = (0, -3, -1, -1, 0, -2, 0, -2, -2, -3, -2, -4, -1, 0, -1, 0, 1, 0, 1, -1, 0, 0, 1, -1)


def parts(id):
    return tuple(int(part[1:]) for part in id.split("-"))


def budget(id):
    return 10 * parts(id)[1]


def chosen(id, args):
    function, dim = parts(id)
    return function in args.functions and dim in args.dims


@functools.cache
def suite(dim):
    # Problems live no longer than their suite.
    import cocoex

    return cocoex.Suite("bbob-mixint", "", f"dimensions:{dim} instance_indices:1-15")


def problem(id, seed):
    import ioh

    function, dim = parts(id)
    f = suite(dim).get_problem_by_function_dimension_instance(function, dim, seed)
    bounds = list(zip(f.lower_bounds.tolist(), f.upper_bounds.tolist()))
    whole = f.number_of_integer_variables
    box = [
        Parameter(f"x{k}", "int", int(low), int(high)) if k < whole
        else Parameter(f"x{k}", "float", low, high)
        for k, (low, high) in enumerate(bounds)
    ]
    continuous = ioh.get_problem(function, seed, dim, ioh.ProblemClass.BBOB)
    optimum = continuous.optimum.y * 10.0 ** FACTORS[function - 1]

    def evaluate(values):
        y = float(f([float(v) for v in values]))
        return y, y, None

    middle = evaluate([p.value(0.5) for p in box])[0] - optimum
    return Problem(id, box, evaluate, budget(id), optimum, probe=middle)
