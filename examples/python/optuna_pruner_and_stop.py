"""Optuna with our sampler, pruner and stop: three lines of a program that has Optuna already.

Needs Optuna and NumPy. A trial trains a linear model of 100 numbers, most of which do not matter.
"""

# %% A training that reports each epoch, as for any pruner
import numpy as np
import optuna

from gittins.optuna import GittinsPruner, GittinsSampler, GittinsStop

random = np.random.default_rng(0)
rows = random.normal(size=(300, 100))
truth = rows[:, :10] @ random.normal(size=10) + random.normal(0.0, 3.0, 300)


def objective(trial):
    """Return the mean squared error on rows that it was not trained on."""
    rate = trial.suggest_float("rate", 1e-4, 1e-1, log=True)
    decay = trial.suggest_float("decay", 1e-2, 1e4, log=True)
    batch = trial.suggest_categorical("batch", [10, 50, 200])
    weights = np.zeros(100)
    for epoch in range(1, 28):
        for start in range(0, 200, batch):
            part = slice(start, start + batch)
            error = rows[part] @ weights - truth[part]
            weights -= rate * (rows[part].T @ error / batch + decay * weights / 200)
        loss = float(np.mean((rows[200:] @ weights - truth[200:]) ** 2))
        trial.set_user_attr("cost", epoch)  # the unit of cost is an epoch; else seconds count
        trial.report(loss, epoch)
        if trial.should_prune():
            raise optuna.TrialPruned
    return loss


# %% The study: all its trials may take 300 epochs
# A price, `GittinsStop(0.001)`, says what an epoch must bring, and ends the study by itself. Give
# the pruner the same price then, in place of the budget.
optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(
    sampler=GittinsSampler(seed=1),
    pruner=GittinsPruner(cost="cost", budget=300.0),
)
stop = GittinsStop(budget=300.0)
study.optimize(objective, n_trials=100, callbacks=[stop])

# %% What came of it
states = [trial.state.name for trial in study.trials]
epochs = sum(trial.user_attrs["cost"] for trial in study.trials)
print(study.best_params, f"loss {study.best_value:.4f}")
print(f"{len(states)} trials, {states.count('PRUNED')} pruned, {epochs} epochs")
print(stop.verdict(study))

# %% The curves, if matplotlib is there
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("no picture without matplotlib")
else:
    figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
    for trial in study.trials:
        color = "C1" if trial.state == optuna.trial.TrialState.PRUNED else "0.7"
        axes.plot(*zip(*trial.intermediate_values.items()), color=color)
    best = study.best_trial.intermediate_values
    axes.plot(*zip(*best.items()), color="C0", linewidth=2.5)
    axes.set(xlabel="epoch", ylabel="loss")
    axes.set_title("gray: complete, orange: pruned, blue: the best one", fontsize="medium")
    figure.savefig("optuna_pruner_and_stop.svg")
    print("see optuna_pruner_and_stop.svg")
