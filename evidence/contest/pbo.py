"""The 25 pseudo-Boolean functions of IOHprofiler (Doerr et al. 2020) of 25 flags.

They are maximized there, so that their negative is minimized. The seed is the instance; from 2 on
it inverts flags, or orders them anew, and scales and shifts the values.
"""

import math

from problem import Problem
from space import flag

DIM, BUDGET = 25, 100
PROBLEMS = [f"f{function:02}" for function in range(1, 26)]
# The largest values before they are scaled, where ioh has none or one that is not right for 25
# flags: the best merit factor of 25 signs (its energy is 36, found by exhaustive search), the size
# of the largest independent set of 24 nodes, and a bound that landscapes of Kauffman's never pass.
LARGEST = {18: DIM**2 / (2 * 36), 22: 13.0, 25: 0.0}


def budget(id):
    return BUDGET


def scaling(instance):
    """Factor and shift of the values of an instance: those of the number of ones, whose sum at a
    point and at its opposite is that of 0 and 25."""
    import ioh

    ones = ioh.get_problem(1, instance, DIM, ioh.ProblemClass.PBO)
    largest = ones.optimum.y
    shift = ones([0] * DIM) + ones([1] * DIM) - largest
    return (largest - shift) / DIM, shift


def problem(id, seed):
    import ioh

    function = int(id[1:])
    f = ioh.get_problem(function, seed, DIM, ioh.ProblemClass.PBO)
    if function in LARGEST:
        factor, shift = scaling(seed)
        largest = factor * LARGEST[function] + shift
    else:
        largest = f.optimum.y
    assert math.isfinite(largest)

    def evaluate(values):
        y = -float(f([int(v) for v in values]))
        return y, y, None

    middle = evaluate([False] * DIM)[0] + largest
    axes = [flag(f"x{k}") for k in range(DIM)]
    return Problem(id, axes, evaluate, BUDGET, -largest, probe=middle)
