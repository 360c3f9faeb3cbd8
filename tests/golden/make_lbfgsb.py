"""The results of SciPy's L-BFGS-B on a suite of bounded problems.

Writes lbfgsb.json beside this file.

The functions are defined here and, written in the same way, in tests/oracles/lbfgsb/functions.rs.
The table holds starts, bounds and outcomes. Each problem is run again from starts moved by one part
in 1e12. If the counts of evaluations then differ, they are an accident of rounding. The table holds
the range of these counts and the range of the values.
"""

import json
import pathlib
import warnings

import numpy as np
import scipy
from scipy.optimize import minimize

INF = float("inf")


def quadratic(condition):
    """0.5 (x - c)' Q diag(s) Q (x - c).

    Q is a reflection, s runs from 1 to the condition number, and c is partly outside [-1, 1].
    """

    def f(x):
        i = np.arange(len(x))
        v = np.sin(i + 1.0)
        scale = condition ** (i / max(len(x) - 1, 1))
        reflect = lambda y: y - v * (2.0 * (v @ y) / (v @ v))
        y = reflect(x - 2.0 * np.cos(3.0 * i))
        return 0.5 * np.sum(scale * y * y), reflect(scale * y)

    return f


def rosenbrock(x):
    a, b = x[:-1], x[1:]
    g = np.zeros_like(x)
    g[:-1] = -400.0 * a * (b - a**2) - 2.0 * (1.0 - a)
    g[1:] += 200.0 * (b - a**2)
    return np.sum(100.0 * (b - a**2) ** 2 + (1.0 - a) ** 2), g


def driver(x):
    """The problem of the Fortran code's first driver."""
    t = x[1:] - x[:-1] ** 2
    g = np.zeros_like(x)
    g[0] = 0.5 * (x[0] - 1.0)
    g[1:] += 8.0 * t
    g[:-1] -= 16.0 * x[:-1] * t
    return 0.25 * (x[0] - 1.0) ** 2 + 4.0 * np.sum(t**2), g


def beale(x):
    a, b = x
    t = [1.5 - a * (1 - b), 2.25 - a * (1 - b**2), 2.625 - a * (1 - b**3)]
    da = [-(1 - b), -(1 - b**2), -(1 - b**3)]
    db = [a, 2 * a * b, 3 * a * b**2]
    return sum(v * v for v in t), np.array([2 * sum(v * w for v, w in zip(t, da)), 2 * sum(v * w for v, w in zip(t, db))])


def booth(x):
    p, q = x[0] + 2 * x[1] - 7, 2 * x[0] + x[1] - 5
    return p * p + q * q, np.array([2 * p + 4 * q, 4 * p + 2 * q])


def powell(x):
    a, b, c, d = x
    p, q, r, s = a + 10 * b, c - d, b - 2 * c, a - d
    g = [2 * p + 40 * s**3, 20 * p + 4 * r**3, 10 * q - 8 * r**3, -10 * q - 40 * s**3]
    return p**2 + 5 * q**2 + r**4 + 10 * s**4, np.array(g)


def styblinski_tang(x):
    return 0.5 * np.sum(x**4 - 16 * x**2 + 5 * x), 0.5 * (4 * x**3 - 32 * x + 5)


def hs3(x):
    t = x[1] - x[0]
    return x[1] + 1e-5 * t * t, np.array([-2e-5 * t, 1 + 2e-5 * t])


def hs4(x):
    return (x[0] + 1) ** 3 / 3 + x[1], np.array([(x[0] + 1) ** 2, 1.0])


def hs5(x):
    c, t = np.cos(x[0] + x[1]), x[0] - x[1]
    return np.sin(x[0] + x[1]) + t * t - 1.5 * x[0] + 2.5 * x[1] + 1, np.array([c + 2 * t - 1.5, c - 2 * t + 2.5])


def hs38(x):
    a, b, c, d = x
    f = 100 * (b - a**2) ** 2 + (1 - a) ** 2 + 90 * (d - c**2) ** 2 + (1 - c) ** 2
    f += 10.1 * ((b - 1) ** 2 + (d - 1) ** 2) + 19.8 * (b - 1) * (d - 1)
    g = [
        -400 * a * (b - a**2) - 2 * (1 - a),
        200 * (b - a**2) + 20.2 * (b - 1) + 19.8 * (d - 1),
        -360 * c * (d - c**2) - 2 * (1 - c),
        180 * (d - c**2) + 20.2 * (d - 1) + 19.8 * (b - 1),
    ]
    return f, np.array(g)


def hs45(x):
    others = [np.prod(np.delete(x, i)) for i in range(5)]
    return 2 - np.prod(x) / 120, -np.array(others) / 120


def hs110(x):
    root = np.prod(x) ** 0.2
    f = np.sum(np.log(x - 2) ** 2 + np.log(10 - x) ** 2) - root
    return f, 2 * np.log(x - 2) / (x - 2) - 2 * np.log(10 - x) / (10 - x) - 0.2 * root / x


def linear(x):
    slopes = np.cos(np.arange(len(x)) + 1.0)
    return slopes @ x, slopes


def barrier(x):
    """Infinite if a coordinate is not positive."""
    weights = np.arange(len(x)) + 1.0
    if np.any(x <= 0):
        return INF, np.zeros_like(x)
    return np.sum(weights * x - 0.1 * np.log(x)), weights - 0.1 / x


def cliff(x):
    """Not a number beyond the circle of radius 2."""
    if x @ x > 4:
        return np.nan, np.full_like(x, np.nan)
    return np.sum(np.exp(x) - 3.0 * x), np.exp(x) - 3.0


def tail(x):
    """A narrow dip with a long tail (More, Thuente 1994, function 5.1).

    Far out the value is lower, but not by enough.
    """
    q = x * x + 1e-4
    return -np.sum(x / q), (x * x - 1e-4) / q**2


def ripples(x):
    """Concave in some places: steps there gain no curvature."""
    i = np.arange(len(x))
    f = np.sum(0.05 * x**2 + np.cos(3 * x + i)) + np.sum(np.sin(x[1:] * x[:-1]))
    g = 0.1 * x - 3 * np.sin(3 * x + i)
    c = np.cos(x[1:] * x[:-1])
    g[1:] += c * x[:-1]
    g[:-1] += c * x[1:]
    return f, g


def stairs(x):
    """Downhill everywhere to a vertex, in turn steep and flat."""
    w = 1.0 + np.arange(len(x)) / 3.0
    return np.sum(w * (0.45 * np.sin(2 * x) - x)), w * (0.9 * np.cos(2 * x) - 1)


FUNCTIONS = {f.__name__: f for f in [rosenbrock, driver, beale, booth, powell, styblinski_tang, hs3, hs4, hs5, hs38, hs45, hs110, linear, tail, ripples, stairs, barrier, cliff]}


def problems():
    def wave(d, scale=1.0):
        return [round(scale * float(np.sin(1.7 * (i + 1))), 3) for i in range(d)]

    def add(name, function, start, lower=-INF, upper=INF, condition=None):
        d = len(start)
        spread = lambda b: [float(b)] * d if np.isscalar(b) else [float(v) for v in b]
        listed.append(dict(name=name, function=function, condition=condition, start=[float(s) for s in start], lower=spread(lower), upper=spread(upper)))

    listed = []
    for d in [2, 5, 20, 100]:
        classic = [-1.2, 1.0] * (d // 2) + [-1.2] * (d % 2)
        add(f"rosenbrock {d}, free", "rosenbrock", classic)
        add(f"rosenbrock {d}, optimum inside", "rosenbrock", classic, -2, 2)
        add(f"rosenbrock {d}, upper bounds active", "rosenbrock", [-0.5] * d, -1.5, 0.8)
        add(f"rosenbrock {d}, every other lower bound", "rosenbrock", [2.0] * d, [1.2 if i % 2 else -INF for i in range(d)], INF)
    for d in [1, 2, 10, 50, 200]:
        for condition in [1e0, 1e2, 1e4, 1e6]:
            add(f"quadratic {d}, condition {condition:.0e}", "quadratic", wave(d, 0.9), -1, 1, condition)
    add("quadratic 10, free", "quadratic", wave(10), condition=1e3)
    add("quadratic 10, one-sided", "quadratic", [0.0] * 10, [-1 if i % 3 == 0 else -INF for i in range(10)], [1 if i % 3 == 1 else INF for i in range(10)], 1e2)
    add("quadratic 10, from a vertex", "quadratic", [1.0 if i % 2 else -1.0 for i in range(10)], -1, 1, 1e2)
    add("quadratic 10, three fixed", "quadratic", [0.25] * 10, [0.25 if i in (0, 4, 9) else -1 for i in range(10)], [0.25 if i in (0, 4, 9) else 1 for i in range(10)], 1e2)
    add("quadratic 10, start outside", "quadratic", [5.0] * 10, -1, 1, 1e2)
    add("driver 25", "driver", [3.0] * 25, [1.0 if i % 2 == 0 else -100.0 for i in range(25)], 100)
    add("beale", "beale", [1.0, 1.0], -4.5, 4.5)
    add("beale, corner cut", "beale", [1.0, 1.0], -4.5, [2.5, 4.5])
    add("booth", "booth", [-8.0, 7.0], -10, 10)
    add("booth, bound active", "booth", [-8.0, 7.0], -10, [10, 2.5])
    add("powell", "powell", [3.0, -1.0, 0.0, 1.0])
    add("powell, one at its bound", "powell", [3.0, -1.0, 0.5, 1.0], [0.1, -4, -4, -4], 5)
    add("styblinski-tang 8", "styblinski_tang", wave(8, 2.0), -5, 5)
    add("styblinski-tang 40, narrow", "styblinski_tang", wave(40, 1.0), -2, 2)
    add("hs1", "rosenbrock", [-2.0, 1.0], [-INF, -1.5], INF)
    add("hs2", "rosenbrock", [-2.0, 1.5], [-INF, 1.5], INF)
    add("hs3", "hs3", [10.0, 1.0], [-INF, 0.0], INF)
    add("hs4", "hs4", [1.125, 0.125], [1.0, 0.0], INF)
    add("hs5", "hs5", [0.0, 0.0], [-1.5, -3.0], [4.0, 3.0])
    add("hs38", "hs38", [-3.0, -1.0, -3.0, -1.0], -10, 10)
    add("hs45", "hs45", [0.9, 1.0, 1.5, 2.0, 2.5], 0, [1, 2, 3, 4, 5])
    add("hs110", "hs110", [9.0] * 10, 2.001, 9.999)
    add("linear 1", "linear", [0.3], -1, 2)
    add("linear 30", "linear", wave(30), -1, 2)
    add("tail 1", "tail", [0.0])
    add("tail 3, boxed", "tail", [0.0, 0.002, -0.001], -3, [3, INF, 0.005])
    for k in range(6):
        add(f"ripples {4 + 3 * k}", "ripples", wave(4 + 3 * k, 1.5 + 0.2 * k), -2, 2.5)
    for d in [2, 5, 12]:
        add(f"stairs {d}", "stairs", [0.5 + 0.3 * i for i in range(d)], 0, [4.0 + i for i in range(d)])
        add(f"stairs {d}, half open", "stairs", [0.5 + 0.3 * i for i in range(d)], -INF, [9.0 + 2 * i for i in range(d)])
    add("barrier 3", "barrier", [1.0, 1.0, 1.0])
    add("barrier 20", "barrier", [4.0] * 20)
    add("cliff 2", "cliff", [-1.0, 0.5])
    add("cliff 3, boxed", "cliff", [-1.0, 0.5, -0.5], -1.9, [1.9, 1.9, 0.4])
    return listed


def shorten(v):
    return float(f"{v:.10g}")


def jsonable(values):
    """Infinities as text, and one entry if all are the same."""
    values = values[:1] if len(set(values)) == 1 else values
    return [str(v) if np.isinf(v) else shorten(v) for v in values]


def run(problem, start):
    f = quadratic(problem["condition"]) if problem["condition"] else FUNCTIONS[problem["function"]]
    lower, upper = np.array(problem["lower"]), np.array(problem["upper"])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        r = minimize(f, np.clip(start, lower, upper), jac=True, method="L-BFGS-B", bounds=list(zip(lower, upper)), options=dict(maxiter=15000))
    # A step that ends on a bound may miss it by rounding.
    near = lambda x, bound: abs(x - bound) <= 1e-12 * max(1.0, abs(x))
    r.active = ["=" if l == u else "-" if near(x, l) else "+" if near(x, u) else "." for x, l, u in zip(r.x, lower, upper)]
    return r


def case(problem):
    rng = np.random.default_rng(20)
    start = np.array(problem["start"])
    r = run(problem, start)
    moved = [run(problem, start * (1 + 1e-12 * rng.standard_normal(len(start)))) for _ in range(40)]
    span = lambda pick: [min(map(pick, [r, *moved])), max(map(pick, [r, *moved]))]
    return dict(
        name=problem["name"],
        function=problem["function"],
        condition=problem["condition"],
        dim=len(start),
        start=jsonable(problem["start"]),
        lower=jsonable(problem["lower"]),
        upper=jsonable(problem["upper"]),
        point=[shorten(x) for x in r.x],
        point_spread=max(float(np.max(np.abs(m.x - r.x))) for m in moved),
        value=float(r.fun) if np.isfinite(r.fun) else str(r.fun),
        values=span(lambda r: float(r.fun)) if np.isfinite(r.fun) else None,
        iterations=int(r.nit),
        evaluations=int(r.nfev),
        evaluations_span=span(lambda r: int(r.nfev)),
        # A question mark: rounding decides whether the coordinate is on the bound.
        active="".join(a if all(m.active[i] == a for m in moved) else "?" for i, a in enumerate(r.active)),
        message=r.message,
    )


cases = [case(problem) for problem in problems()]
made_with = json.dumps(f"scipy {scipy.__version__}, numpy {np.__version__}")
lines = ",\n".join(json.dumps(c) for c in cases)
text = f'{{"made_with": {made_with}, "cases": [\n{lines}\n]}}\n'
pathlib.Path(__file__).with_name("lbfgsb.json").write_text(text)
