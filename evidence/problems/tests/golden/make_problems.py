"""Writes problems.json: test functions of Astudillo et al. (2021) and their costs, with mpmath at 50 digits. Inputs are exact doubles, results the nearest doubles."""
import json
from mpmath import mp, mpf, asin, cos, exp, findroot, pi, sin, sqrt, fabs

mp.dps = 50
HOLES = [((4, 4, 4, 4), 1), ((1, 1, 1, 1), 2), ((8, 8, 8, 8), 2), ((6, 6, 6, 6), 4), ((3, 7, 3, 7), 4)]


def dropwave(x):
    r = sqrt(sum(v * v for v in x))
    return -(1 + cos(12 * r)) / (r * r / 2 + 2)


def alpine1(x):
    return sum(fabs(v * sin(v) + v / 10) for v in x)


def shekel5(x):
    return -sum(1 / (sum((v - c) ** 2 for v, c in zip(x, center)) + mpf(b) / 10) for center, b in HOLES)


def slope(a, b):
    """Of Shekel's function at (a, b, a, b), the plane of its minimum by symmetry."""
    terms = [(2 * (a - c[0]) ** 2 + 2 * (b - c[1]) ** 2 + mpf(w) / 10, a - c[0], b - c[1]) for c, w in HOLES]
    return [sum(4 * t[1] / t[0] ** 2 for t in terms), sum(4 * t[2] / t[0] ** 2 for t in terms)]


RIDGE = float(pi / 12)  # Between the first two rings of Dropwave the function is zero to second order.
POINTS = {
    "dropwave": [[1e-9, 0.0], [1e-4, -2e-4], [RIDGE, 0.0], [0.26, 0.03], [-4.096, 2.048], [-5.12, -5.12], [-1.024, -1.024]],
    "alpine1": [[0.0, 0.0, 0.0], [-8.0, 4.0, -3.0], [-10.0, -10.0, -10.0], [-2.0, -2.0, -2.0], [-0.1, 3.2417, 9.5], [1e-6, -1e-9, 6.0]],
    "shekel5": [[5.0, 5.0, 5.0, 5.0], [1.0, 7.0, 3.5, 9.0], [0.0, 0.0, 0.0, 0.0], [4.0, 4.0, 4.0, 4.0], [3.1, 6.8, 3.0, 7.2]],
    "ackley": [[0.0, 0.0, 0.0], [-0.8, 0.4, -0.3], [-1.0, -1.0, -1.0]],
}
WAVES = {"dropwave": (512, 0), "alpine1": (1000, 0), "ackley": (100, 0), "shekel5": (400, 4)}  # Hundredths of D, and x*.
FUNCTIONS = {"dropwave": dropwave, "alpine1": alpine1, "shekel5": shekel5}
# The published draws of three seeds, as doubles.
DRAWS = {
    0: (1.4775397513549149, 2.415639728799576, 2.886388158627315),
    1: (0.7957899560397177, 1.4491090131353008, 1.4718519537880959),
}


def cost(draw, problem, x):
    alpha, b, gamma = map(mpf, draw)
    divisor, center = mpf(WAVES[problem][0]) / 100, WAVES[problem][1]
    return exp(alpha / len(x) * sum(cos(2 * pi * b / divisor * (v - center + gamma)) for v in x))


rows = []
for problem, points in POINTS.items():
    for point in points:
        x = [mpf(v) for v in point]
        row = {"problem": problem, "x": point, "costs": {seed: float(cost(draw, problem, x)) for seed, draw in DRAWS.items()}}
        if problem in FUNCTIONS:
            row["f"] = float(FUNCTIONS[problem](x))
        rows.append(row)
turns = [v for k in range(-3, 4) for v in (asin(mpf(-1) / 10) + 2 * pi * k, pi + asin(mpf(1) / 10) + 2 * pi * k)]
a, b = findroot(slope, (mpf(4), mpf(4)))
with open("problems.json", "w") as file:
    json.dump(
        {
            "rows": rows,
            "alpine1_roots": sorted(float(v) for v in turns + [mpf(0)] if fabs(v) <= 10),
            "shekel5_minimizer": [float(v) for v in (a, b, a, b)],
            "shekel5_minimum": float(shekel5([a, b, a, b])),
        },
        file,
        indent=1,
    )
    file.write("\n")
