"""The spherical linear kernel by dense algebra with 60 digits: kernel values, posterior moments and
their gradients, log marginal likelihoods, their derivatives, and profiled means.

Needs mpmath: python make_spherical.py > spherical.json
"""
import json
import random

import mpmath as mp

mp.mp.dps = 60
STEP = mp.mpf(10) ** -20
# Inputs, observations, noise, and the lengthscales in units of sqrt(d).
CASES = [
    (1, 1, 1e-4, 0.3),
    (1, 2, 1e-6, 0.5),
    (1, 9, 1e-2, 0.2),
    (3, 4, 1e-8, 0.4),
    (3, 5, 1e-8, 0.4),
    (3, 24, 1e-8, 0.3),
    (3, 24, 1e-1, 0.012),
    (3, 24, 1e-3, 1e3),
    (20, 12, 1e-3, 0.3),
    (20, 60, 1e-6, 0.3),
]


def embed(point, lengthscales):
    u = [(x - mp.mpf(1) / 2) / l for x, l in zip(point, lengthscales)]
    square = sum(v * v for v in u)
    return [2 * v / (1 + square) for v in u] + [(square - 1) / (1 + square)]


def product(a, b):
    return sum(x * y for x, y in zip(a, b))


class Process:
    def __init__(self, inputs, outcomes, lengthscales, outputscale, noise, mean):
        self.lengthscales, self.outputscale, self.mean = lengthscales, outputscale, mean
        self.features = [embed(row, lengthscales) for row in inputs]
        n = len(inputs)
        covariance = mp.matrix(n, n)
        for i in range(n):
            for j in range(n):
                covariance[i, j] = outputscale * product(self.features[i], self.features[j])
            covariance[i, i] += noise
        self.lower = mp.cholesky(covariance)
        residuals = [y - mean for y in outcomes]
        white = self.whiten(residuals)
        determinant = 2 * sum(mp.log(self.lower[i, i]) for i in range(n))
        self.likelihood = -(product(white, white) + determinant + n * mp.log(2 * mp.pi)) / 2
        self.white = white
        ones = self.whiten([mp.mpf(1)] * n)
        self.profiled = product(ones, self.whiten(outcomes)) / product(ones, ones)

    def whiten(self, values):
        solved = []
        for i, value in enumerate(values):
            solved.append((value - sum(self.lower[i, j] * solved[j] for j in range(i))) / self.lower[i, i])
        return solved

    def moments(self, point):
        at = embed(point, self.lengthscales)
        column = self.whiten([self.outputscale * product(row, at) for row in self.features])
        return self.mean + product(column, self.white), self.outputscale - product(column, column)


def central(function):
    up, down = function(STEP), function(-STEP)
    return [(a - b) / (2 * STEP) for a, b in zip(up, down)]


def number(value):
    return float(mp.nstr(value, 17))


def answer(process, point):
    mean, variance = process.moments(point)
    gradients = []
    for k in range(len(point)):
        moved = lambda step: process.moments(point[:k] + [point[k] + step] + point[k + 1:])
        gradients.append(central(moved))
    return {
        "mean": number(mean),
        "variance": number(variance),
        "mean_gradient": [number(g[0]) for g in gradients],
        "variance_gradient": [number(g[1]) for g in gradients],
    }


def main():
    rng = random.Random(8)
    rows = []
    for d, n, noise, scale in CASES:
        inputs = [[round(rng.random(), 4) for _ in range(d)] for _ in range(n)]
        outcomes = [round(rng.gauss(0, 1), 4) for _ in range(n)]
        lengthscales = [round(scale * d**0.5 * (0.5 + rng.random()), 4) for _ in range(d)]
        outputscale, mean = round(0.5 + rng.random(), 4), round(rng.gauss(0, 0.3), 4)
        exact = lambda values: [mp.mpf(v) for v in values]
        x, y, l = [exact(row) for row in inputs], exact(outcomes), exact(lengthscales)
        s, v, m = mp.mpf(outputscale), mp.mpf(noise), mp.mpf(mean)
        process = Process(x, y, l, s, v, m)
        points = [[round(rng.random(), 4) for _ in range(d)] for _ in range(2)] + [inputs[0]]
        slopes = []
        for k in range(min(d, 3)):
            grown = lambda step: [Process(x, y, l[:k] + [l[k] * mp.exp(step)] + l[k + 1:], s, v, m).likelihood]
            slopes.append(number(central(grown)[0]))
        rows.append({
            "inputs": inputs,
            "outcomes": outcomes,
            "lengthscales": lengthscales,
            "outputscale": outputscale,
            "noise": noise,
            "mean": mean,
            "kernel": [number(s * product(process.features[0], row)) for row in process.features[:4]],
            "log_marginal_likelihood": number(process.likelihood),
            "d_log_lengthscales": slopes,
            "d_log_outputscale": number(central(lambda step: [Process(x, y, l, s * mp.exp(step), v, m).likelihood])[0]),
            "d_log_noise": number(central(lambda step: [Process(x, y, l, s, v * mp.exp(step), m).likelihood])[0]),
            "profiled_mean": number(process.profiled),
            "points": points,
            "answers": [answer(process, exact(point)) for point in points],
        })
    print("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]")


main()
