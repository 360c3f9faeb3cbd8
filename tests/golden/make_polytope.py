"""Minima of quadratic functions within linear rows, by quadprog (Goldfarb and Idnani).

Run: python make_polytope.py > polytope.json

The problems are made of a linear congruence, here and in the test, so that the table holds the minima
alone.
"""

import json

import numpy as np
import quadprog

COUNT = 1000


class Draws:
    def __init__(self, seed):
        self.state = seed + 1

    def one(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 11) / 2**53

    def many(self, count):
        return np.array([self.one() for _ in range(count)])


def problem(number):
    draws = Draws(number)
    dim, rows = 2 + number % 9, 1 + number % 3
    upper = np.array([1.0 if draws.one() < 0.5 else 0.2 + 0.8 * draws.one() for _ in range(dim)])
    inside = draws.many(dim) * upper
    weights, bounds, equal = [], [], []
    for row in range(min(rows, dim - 1)):
        is_sum = number % 4 == 0 and row == 0
        weights.append(np.ones(dim) if is_sum else 2.0 * draws.many(dim) - 1.0)
        equal.append(row == 0 and number % 2 == 0)
        slack = 0.0 if equal[-1] else 0.1 * draws.one()
        bounds.append(weights[-1] @ inside + slack)
    scales = np.ones(dim) if number % 5 == 0 else 10.0 ** (2.0 * draws.many(dim))
    tilt = np.zeros(dim) if number % 5 == 0 else 2.0 * draws.many(dim) - 1.0
    center = 3.0 * draws.many(dim) - 1.0
    return upper, weights, bounds, equal, scales, tilt, center


def minimum(number):
    upper, weights, bounds, equal, scales, tilt, center = problem(number)
    dim = len(upper)
    matrix = np.diag(scales) + np.outer(tilt, tilt)
    order = sorted(range(len(weights)), key=lambda row: not equal[row])
    normals = [weights[row] if equal[row] else -weights[row] for row in order]
    least = [bounds[row] if equal[row] else -bounds[row] for row in order]
    eye = np.eye(dim)
    columns = np.array([*normals, *eye, *-eye]).T
    floor = np.array([*least, *np.zeros(dim), *-upper])
    found = quadprog.solve_qp(matrix, matrix @ center, columns, floor, sum(equal))
    return [round(float(x), 12) + 0.0 for x in found[0]]


print("[")
print(",\n".join(json.dumps(minimum(number)) for number in range(COUNT)))
print("]")
