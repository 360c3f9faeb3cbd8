#!/usr/bin/env python3
"""Which distance between mixtures predicts best: of amounts, of their square roots, of log ratios.

    simplex_kernels.py --splits 40

The tables of `mixtures.py`, of measured mixtures of five and of three parts. A Gaussian process
with a Matern 5/2 kernel and a lengthscale for each coordinate is fit to a random part of the
mixtures, and predicts the others. Printed: the mean log density of what was predicted (larger is
better), and in how many splits it is larger than that of amounts as they are.
"""

import argparse
import warnings

import mixtures
import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

# What stands for an absent part in a logarithm: half of what is usually the least amount measured.
LEAST = 0.005


def log_ratios(parts):
    logs = np.log(np.maximum(parts, LEAST))
    return logs - logs.mean(axis=1, keepdims=True)


COORDINATES = {"amounts": lambda parts: parts, "square roots": np.sqrt, "log ratios": log_ratios}


def density(x, y, known):
    """Mean log density of the outcomes that are not known, in deviations of those that are."""
    center, scale = y[known].mean(), y[known].std() or 1.0
    spread = x[known].std(axis=0)
    x, y = x / np.where(spread > 0.0, spread, 1.0), (y - center) / scale
    kernel = ConstantKernel(1.0, (1e-2, 1e2)) * Matern(
        np.full(x.shape[1], np.sqrt(x.shape[1])), (1e-1, 1e3), nu=2.5
    ) + WhiteKernel(1e-2, (1e-6, 1.0))
    model = GaussianProcessRegressor(kernel, n_restarts_optimizer=0).fit(x[known], y[known])
    mean, deviation = model.predict(x[~known], return_std=True)
    return float(np.mean(-0.5 * ((y[~known] - mean) / deviation) ** 2 - np.log(deviation)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=40)
    splits = parser.parse_args().splits
    warnings.filterwarnings("ignore")  # lengthscales at their bounds
    print(f"{'mixtures':12}{'known':>6}  " + "".join(f"{name:>22}" for name in COORDINATES))
    for name in ("perovskite", "p3ht"):
        for count in (15, 30, 60):
            found = {coordinates: [] for coordinates in COORDINATES}
            for split in range(splits):
                rng = np.random.default_rng(split)
                parts, y = mixtures.table(name)
                known = np.zeros(len(y), bool)
                known[rng.permutation(len(y))[:count]] = True
                for coordinates, of in COORDINATES.items():
                    found[coordinates].append(density(of(parts), y, known))
            base = np.array(found["amounts"])
            found = [np.array(one) for one in found.values()]
            cells = [f"{one.mean():.2f} ({np.sum(one > base)}:{np.sum(one < base)})" for one in found]
            print(f"{name:12}{count:>6}  " + "".join(f"{cell:>22}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
