"""Expectation propagation for labels, one site after the other, and exact numbers beside it.

Moments of the tilted distributions come from quadrature, not from closed forms. Of one label the approximation is exact in evidence and moments. Of two, the exact evidence comes from an
integral.

Needs numpy and scipy: python make_success.py > success.json
"""
import json
import random

import numpy as np
from scipy.special import ndtr

KERNELS = {
    "matern32": lambda r: (1 + np.sqrt(3) * r) * np.exp(-np.sqrt(3) * r),
    "matern52": lambda r: (1 + np.sqrt(5) * r + 5 * r**2 / 3) * np.exp(-np.sqrt(5) * r),
    "rbf": lambda r: np.exp(-r * r / 2),
}
NODES, WEIGHTS = np.polynomial.legendre.leggauss(64)


def integrate(function, mean, sd):
    """Over 26 standard deviations, in pieces of one."""
    total = 0.0
    for k in range(-13, 13):
        h = mean + sd * (k + (NODES + 1) / 2)
        total = total + np.sum(WEIGHTS * function(h)) * sd / 2
    return total


def normal(h, mean, sd):
    return np.exp(-0.5 * ((h - mean) / sd) ** 2) / (sd * np.sqrt(2 * np.pi))


def tilted(sign, mean, variance):
    """ln Z, mean and variance of Phi(sign h) N(h; mean, variance)."""
    sd = np.sqrt(variance)
    density = lambda h: ndtr(sign * h) * normal(h, mean, sd)
    z = integrate(density, mean, sd)
    m = integrate(lambda h: h * density(h), mean, sd) / z
    v = integrate(lambda h: (h - m) ** 2 * density(h), mean, sd) / z
    return np.log(z), m, v


def posterior(k, mean, tau, nu):
    sigma = np.linalg.solve(np.eye(len(tau)) + k * tau, k)
    return sigma, mean + sigma @ (nu - tau * mean)


def propagate(k, mean, signs):
    n = len(signs)
    tau, nu = np.zeros(n), np.zeros(n)
    for _ in range(300):
        for i in range(n):
            sigma, mu = posterior(k, mean, tau, nu)
            precision = 1 / sigma[i, i] - tau[i]
            center = (mu[i] / sigma[i, i] - nu[i]) / precision
            _, m, v = tilted(signs[i], center, 1 / precision)
            tau[i], nu[i] = 1 / v - precision, m / v - precision * center
    sigma, mu = posterior(k, mean, tau, nu)
    # The evidence: sites as normal densities of nu/tau in h, with their scales.
    total, residual = k + np.diag(1 / tau), nu / tau - mean
    evidence = -(residual @ np.linalg.solve(total, residual) + np.linalg.slogdet(total)[1] + n * np.log(2 * np.pi)) / 2
    for i in range(n):
        precision = 1 / sigma[i, i] - tau[i]
        center = (mu[i] / sigma[i, i] - nu[i]) / precision
        log_z, _, _ = tilted(signs[i], center, 1 / precision)
        spread = 1 / precision + 1 / tau[i]
        evidence += log_z + np.log(2 * np.pi * spread) / 2 + (center - nu[i] / tau[i]) ** 2 / (2 * spread)
    return tau, nu, evidence


def exact_pair(k, mean, signs):
    """The evidence of two labels: the probability of an orthant, by one integral."""
    a, b, c = k[0, 0], k[0, 1], k[1, 1]
    slope, rest = b / a, np.sqrt(c - b * b / a + 1)
    inner = lambda h: ndtr(signs[0] * h) * normal(h, mean, np.sqrt(a)) * ndtr(signs[1] * (mean + slope * (h - mean)) / rest)
    return np.log(integrate(inner, mean, np.sqrt(a)))


def main():
    rng = random.Random(11)
    rows = []
    for name, d, n, s2 in [("rbf", 1, 1, 2.0), ("matern52", 2, 1, 40.0), ("matern52", 1, 2, 3.0), ("rbf", 2, 2, 15.0), ("matern52", 2, 5, 4.0), ("matern32", 3, 6, 30.0), ("rbf", 1, 4, 200.0)]:
        x = [[rng.random() for _ in range(d)] for _ in range(n)]
        signs = [1 if r[0] < 0.6 else -1 for r in x]
        ell = [0.2 + 0.5 * rng.random() for _ in range(d)]
        mean = rng.gauss(0.5, 0.5)
        kernel = lambda p, q: s2 * KERNELS[name](np.sqrt(np.sum(((np.array(p) - np.array(q)) / ell) ** 2)))
        k = np.array([[kernel(p, q) for q in x] for p in x])
        tau, nu, evidence = propagate(k, mean, signs)
        points = [[rng.random() for _ in range(d)] for _ in range(3)]
        total, residual = k + np.diag(1 / tau), nu / tau - mean
        answers = []
        for p in points:
            column = np.array([kernel(p, q) for q in x])
            m = mean + column @ np.linalg.solve(total, residual)
            v = s2 - column @ np.linalg.solve(total, column)
            answers.append([float(m), float(v), float(ndtr(m / np.sqrt(1 + v)))])
        exact = None
        if n == 1:
            exact = float(np.log(ndtr(signs[0] * mean / np.sqrt(1 + s2))))
        if n == 2:
            exact = float(exact_pair(k, mean, signs))
        rows.append({"kernel": name, "inputs": x, "succeeded": [s > 0 for s in signs], "lengthscales": ell, "outputscale": s2, "mean": mean, "log_evidence": float(evidence), "exact": exact, "points": points, "mean_variance_probability": answers})
    print(json.dumps(rows, indent=None).replace('}, {', '},\n {'))


if __name__ == "__main__":
    main()
