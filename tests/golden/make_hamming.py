"""Kernel values of Optuna's Gaussian process for parameters with categories: hamming.json.

Optuna 5.0.0, `optuna._gp.gp.GPRegressor.kernel`: a category adds 1 / l^2 to the squared distance if
it differs. Columns are two numbers, a category of four, a flag and a category of three.
"""

import json
import pathlib

import numpy as np
import optuna
import torch
from optuna._gp.gp import GPRegressor

rng = np.random.default_rng(19)
kinds = [0, 0, 4, 2, 3]
points = np.array([[rng.random() if k == 0 else rng.integers(k) for k in kinds] for _ in range(12)])
lengthscales = np.array([0.31, 1.7, 0.9, 2.3, 0.45])
scale = 1.9
regressor = GPRegressor(
    is_categorical=torch.tensor([k > 0 for k in kinds]),
    X_train=torch.tensor(points),
    y_train=torch.zeros(len(points), dtype=torch.float64),
    inverse_squared_lengthscales=torch.tensor(1 / lengthscales**2),
    kernel_scale=torch.tensor(scale, dtype=torch.float64),
    noise_var=torch.tensor(1e-6, dtype=torch.float64),
)
table = {
    "optuna": optuna.__version__, "points": points.tolist(), "lengthscales": lengthscales.tolist(),
    "outputscale": scale, "kernel": regressor.kernel().tolist(),
}
path = pathlib.Path(__file__).with_name("hamming.json")
path.write_text(json.dumps(table) + "\n")
