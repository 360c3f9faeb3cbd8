"""Laws of uncontrolled variables, and their effect on a Gaussian process.

Needs mpmath and numpy: python make_subsets.py > subset_laws.json

The laws are in closed form with 70 digits, and their quantiles are found by bisection. An expected
factor is also integrated numerically, and both must agree to 25 digits. The expectations of the
process are in double precision. They are sums over all values of laws by samples, and Gauss-Legendre
quadratures over densities with 40 nodes an axis.
"""
import json
import math

import mpmath as mp
import numpy as np

mp.mp.dps = 70


def mass(m, s, a, b):
    """The mass of a normal distribution between a and b, without cancellation."""
    left, right = (a - m) / s, (b - m) / s
    if left > 0:
        return (mp.erfc(left / mp.sqrt(2)) - mp.erfc(right / mp.sqrt(2))) / 2
    if right < 0:
        return (mp.erfc(-right / mp.sqrt(2)) - mp.erfc(-left / mp.sqrt(2))) / 2
    return (mp.erf(right / mp.sqrt(2)) - mp.erf(left / mp.sqrt(2))) / 2


def quantile(m, s, below, above):
    """The value with probability `below` below it and `above` above it.

    The smaller of the two counts.
    """
    whole, low, high = mass(m, s, mp.mpf(0), mp.mpf(1)), mp.mpf(0), mp.mpf(1)
    for _ in range(80):
        x = (low + high) / 2
        less = mass(m, s, mp.mpf(0), x) < below * whole if below <= above else mass(m, s, x, mp.mpf(1)) > above * whole
        low, high = (x, high) if less else (low, x)
    return (low + high) / 2


def factor(m, s, z, l):
    """E exp(-(X - z)^2 / (2 l^2)). The product of two normal densities is one, up to its height."""
    both = mp.sqrt(s * s + l * l)
    middle = (z * s * s + m * l * l) / both**2
    return l / both * mp.exp(-(((z - m) / both) ** 2) / 2) * mass(middle, s * l / both, mp.mpf(0), mp.mpf(1)) / mass(m, s, mp.mpf(0), mp.mpf(1))


def law(mean, scale):
    m, s = mp.mpf(mean), mp.mpf(scale)
    whole = mass(m, s, mp.mpf(0), mp.mpf(1))
    a, b = -m / s, (1 - m) / s
    low, high = mp.npdf(a) / whole, mp.npdf(b) / whole
    row = {"mean": mean, "scale": scale, "expectation": float(m + s * (low - high))}
    row["variance"] = float(s * s * (1 + a * low - b * high - (low - high) ** 2))
    row["quantiles"] = []
    for u in [0.0, 1e-300, 1e-30, 1e-12, 1e-3, 0.1, 0.3, 0.5, 0.75, 0.999, 1.0 - 2.0**-30, 1.0 - 2.0**-53, 1.0]:
        exact = mp.mpf(u)
        row["quantiles"].append([u, float(quantile(m, s, exact, 1 - exact))])
    points = [(z, l) for z in [0.0, 0.3, 0.97, 1.0] for l in [1e-3, 0.05, 0.4, 3.0, 1e3]]
    row["factors"] = [[z, l, float(factor(m, s, mp.mpf(z), mp.mpf(l)))] for z, l in points]
    return row


def check_factor():
    m, s, z, l = map(mp.mpf, ["0.3", "0.2", "0.7", "0.25"])
    density = lambda x: mp.exp(-(((x - m) / s) ** 2) / 2)
    by_hand = mp.quad(lambda x: mp.exp(-(((x - z) / l) ** 2) / 2) * density(x), [0, 0.5, 1]) / mp.quad(density, [0, 0.5, 1])
    assert abs(by_hand / factor(m, s, z, l) - 1) < mp.mpf(10) ** -25


def uniform_factors():
    rows = []
    for z in [0.0, 0.3, 0.97, 1.0]:
        for l in [1e-3, 0.05, 0.4, 3.0, 1e3, 1e8]:
            exact, ell = mp.mpf(z), mp.mpf(l)
            rows.append([z, l, float(ell * mp.sqrt(2 * mp.pi) * mass(exact, ell, mp.mpf(0), mp.mpf(1)))])
    return rows


INPUTS = [[0, 0.25, 0.8], [2, 0.6, 0.3], [3, 0.2, 0.55], [1, 0.9, 0.1], [3, 0.75, 0.95], [0, 0.55, 0.45], [2, 0.1, 0.05]]
OUTCOMES = [0.3, -0.8, 1.1, 0.2, -0.4, 0.9, 0.5]
LENGTHSCALES, OUTPUTSCALE, NOISE, MEAN = [0.4, 0.5, 0.7], 1.7, 1e-3, 0.25
FAMILIES = {
    "matern12": lambda r: np.exp(-r),
    "matern32": lambda r: (1 + math.sqrt(3) * r) * np.exp(-math.sqrt(3) * r),
    "matern52": lambda r: (1 + math.sqrt(5) * r + 5 * r**2 / 3) * np.exp(-math.sqrt(5) * r),
    "rbf": lambda r: np.exp(-r * r / 2),
}


def advice(family, axes, weights):
    """For each value of the first variable, a whole number from 0 to 3.

    Returns the expected outcome, its deviation, and the deviation of single outcomes.
    """
    kernel = lambda a, b: OUTPUTSCALE * FAMILIES[family](np.sqrt((((a[:, None, :] - b[None, :, :]) / LENGTHSCALES) ** 2).sum(2)))
    x = np.array([[(a + 0.5) / 4, b, c] for a, b, c in INPUTS])
    inverse = np.linalg.inv(kernel(x, x) + NOISE * np.eye(len(x)))
    b, c = np.meshgrid(*axes, indexing="ij")
    share = np.outer(*weights).ravel()
    rows = []
    for a in range(4):
        p = np.stack([np.full(b.size, (a + 0.5) / 4), b.ravel(), c.ravel()], 1)
        k = kernel(p, x)
        mu = MEAN + k @ inverse @ (np.array(OUTCOMES) - MEAN)
        between = sum(share[i] * (kernel(p[i : i + 1], p)[0] @ share) for i in range(len(p)))
        mean_k = share @ k
        variance = between - mean_k @ inverse @ mean_k
        own = OUTPUTSCALE - np.einsum("ij,jk,ik->i", k, inverse, k)
        expected = share @ mu
        rows.append({"expected": expected, "error": math.sqrt(variance), "spread": math.sqrt(share @ (mu - expected) ** 2 + share @ own)})
    return rows


def normal_axis(mean, scale):
    nodes, weights = np.polynomial.legendre.leggauss(40)
    nodes = (nodes + 1) / 2
    weights = weights * np.exp(-(((nodes - mean) / scale) ** 2) / 2)
    return nodes, weights / weights.sum()


def main():
    check_factor()
    laws = [(0.5, 0.14182094135), (0.3, 0.1), (0.02, 0.05), (1.0, 0.3), (0.0, 1e-3), (0.9, 4.0), (0.4, 1e3), (0.7, 1e6), (0.2, 1e12)]
    samples = [[0.2, 0.9, 0.35, 0.6], [0.7, 0.3]]
    normals = [(0.4, 0.3), (0.6, 0.2)]
    axes, weights = zip(*[normal_axis(*n) for n in normals])
    even = [np.full(len(s), 1 / len(s)) for s in samples]
    table = {
        "laws": [law(*row) for row in laws],
        "uniform_factors": uniform_factors(),
        "process": {"inputs": INPUTS, "outcomes": OUTCOMES, "lengthscales": LENGTHSCALES, "outputscale": OUTPUTSCALE, "noise": NOISE, "mean": MEAN},
        "samples": samples,
        "by_samples": {family: advice(family, samples, even) for family in FAMILIES},
        "normals": normals,
        "by_normals": {family: advice(family, axes, weights) for family in ["rbf"]},
    }
    print(json.dumps(table, indent=1).replace("\n    ", " ").replace("\n   ]", " ]").replace("\n   }", " }"))


main()
