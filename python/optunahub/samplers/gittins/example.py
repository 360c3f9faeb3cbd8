"""Trials of one branch cost three times as much as those of the other."""

from __future__ import annotations

import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    solver = trial.suggest_categorical("solver", ["adam", "sgd"])
    rate = trial.suggest_float("rate", 1e-5, 1e-1, log=True)
    loss = abs(rate - 1e-3) ** 0.5
    if solver == "sgd":
        loss += (trial.suggest_float("momentum", 0.0, 1.0) - 0.9) ** 2 + 0.01
    trial.set_user_attr("cost", 1.0 if solver == "adam" else 3.0)
    return loss


# In the registry: optunahub.load_module("samplers/gittins").
module = optunahub.load_local_module("samplers/gittins", registry_root="../../")
study = optuna.create_study(sampler=module.GittinsSampler(seed=1))
study.optimize(objective, n_trials=40)
print(study.best_value, study.best_params)
