"""A study that ends once a unit of cost does not buy an improvement of 0.001 any more."""

from __future__ import annotations

import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x", -5, 5)
    y = trial.suggest_float("y", -5, 5)
    trial.set_user_attr("cost", 1.0 + abs(x))
    return (x - 1) ** 2 + y**2


# In the registry: optunahub.load_module("callbacks/gittins_stop").
module = optunahub.load_local_module("callbacks/gittins_stop", registry_root="../../")
sampler = optunahub.load_local_module("samplers/gittins", registry_root="../../").GittinsSampler(
    seed=1
)
study = optuna.create_study(sampler=sampler)
stop = module.GittinsStop(1e-3)
study.optimize(objective, n_trials=100, callbacks=[stop])
print(study.best_value, len(study.trials), stop.verdict(study))
