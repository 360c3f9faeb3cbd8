"""Posterior moments, their gradients and log marginal likelihoods with 50 digits.

Needs mpmath: python make_posterior.py > posterior.json
"""
import json
import random

import mpmath as mp

mp.mp.dps = 50
KERNELS = {
    "matern12": lambda r: mp.exp(-r),
    "matern32": lambda r: (1 + mp.sqrt(3) * r) * mp.exp(-mp.sqrt(3) * r),
    "matern52": lambda r: (1 + mp.sqrt(5) * r + 5 * r**2 / 3) * mp.exp(-mp.sqrt(5) * r),
    "rbf": lambda r: mp.exp(-r * r / 2),
}


def solve(name, x, y, ell, s2, noise, mean):
    k = lambda a, b: s2 * KERNELS[name](mp.sqrt(sum(((p - q) / l) ** 2 for p, q, l in zip(a, b, ell))))
    n = len(x)
    big = mp.matrix(n, n)
    for i in range(n):
        for j in range(n):
            big[i, j] = k(x[i], x[j]) + (noise if i == j else 0)
    inverse = big**-1
    residual = mp.matrix([v - mean for v in y])
    alpha = inverse * residual
    likelihood = -(sum(residual[i] * alpha[i] for i in range(n)) + mp.log(mp.det(big)) + n * mp.log(2 * mp.pi)) / 2
    ones = mp.matrix([1] * n)
    weights = inverse * ones
    profiled = sum(weights[i] * y[i] for i in range(n)) / sum(weights)

    def moments(p):
        column = mp.matrix([k(p, q) for q in x])
        w = inverse * column
        return mean + sum(column[i] * alpha[i] for i in range(n)), s2 - sum(column[i] * w[i] for i in range(n))

    return likelihood, profiled, moments


def main():
    rng = random.Random(5)
    rows = []
    for name in KERNELS:
        for d, n, noise in [(1, 1, 1e-4), (1, 7, 1e-6), (3, 9, 1e-4), (5, 12, 1e-2)]:
            x = [[rng.random() for _ in range(d)] for _ in range(n)]
            y = [rng.gauss(0, 1) for _ in range(n)]
            ell = [0.2 + rng.random() for _ in range(d)]
            s2, mean = 0.5 + rng.random(), rng.gauss(0, 0.3)
            exact = lambda v: [mp.mpf(u) for u in v]
            likelihood, profiled, moments = solve(name, [exact(r) for r in x], exact(y), exact(ell), mp.mpf(s2), mp.mpf(noise), mp.mpf(mean))
            points = [[rng.random() for _ in range(d)] for _ in range(3)] + [[min(1.0, v + 1e-3) for v in x[0]]]
            answers = []
            for p in points:
                p, h = exact(p), mp.mpf(10) ** -15
                m, v = moments(p)
                gradients = []
                for c in range(d):
                    up, down = [list(p), list(p)]
                    up[c] += h
                    down[c] -= h
                    (mu, vu), (md, vd) = moments(up), moments(down)
                    gradients.append((float((mu - md) / (2 * h)), float((vu - vd) / (2 * h))))
                answers.append({"mean": float(m), "variance": float(v), "mean_gradient": [g[0] for g in gradients], "variance_gradient": [g[1] for g in gradients]})
            rows.append({"kernel": name, "inputs": x, "outcomes": y, "lengthscales": ell, "outputscale": s2, "noise": noise, "mean": mean,
                         "log_marginal_likelihood": float(likelihood), "profiled_mean": float(profiled), "points": points, "answers": answers})
    print(json.dumps(rows))


main()
