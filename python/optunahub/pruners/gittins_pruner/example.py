"""Trials that are pruned if their rest brings less for its cost than others would."""

from __future__ import annotations

import math

import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    rate = trial.suggest_float("rate", 1e-5, 1e-1, log=True)
    loss = math.inf
    for epoch in range(30):
        loss = 0.1 * abs(math.log10(rate) + 3) + 0.8 ** (epoch + 1)
        trial.report(loss, epoch)
        if trial.should_prune():
            raise optuna.TrialPruned
    return loss


# In the registry: optunahub.load_module("pruners/gittins_pruner").
module = optunahub.load_local_module("pruners/gittins_pruner", registry_root="../../")
sampler = optuna.samplers.TPESampler(seed=1)
study = optuna.create_study(sampler=sampler, pruner=module.GittinsPruner())
study.optimize(objective, n_trials=60)
pruned = [trial for trial in study.trials if "gittins:pruned" in trial.system_attrs]
print(study.best_value, len(pruned), pruned[0].system_attrs["gittins:pruned"])
