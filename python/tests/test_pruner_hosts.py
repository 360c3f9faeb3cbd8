"""Programs that report to a pruner of Optuna: they take ours unchanged."""

from __future__ import annotations

import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.trial import TrialState

from gittins.optuna import GittinsPruner
from test_pruner import objective


@pytest.mark.filterwarnings("ignore:.*optuna.terminator:FutureWarning")
@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_the_search_of_scikit_learn_prunes():
    hosts = pytest.importorskip("optuna_integration.sklearn")
    datasets = pytest.importorskip("sklearn.datasets")
    models = pytest.importorskip("sklearn.linear_model")
    images, digits = datasets.load_digits(return_X_y=True)
    sampler = optuna.samplers.RandomSampler(seed=1)
    study = optuna.create_study(
        direction="maximize", sampler=sampler, pruner=GittinsPruner(cost=lambda t: t.last_step + 1)
    )
    # Beyond 1 the weights are next to nothing, and the score is that of a guess.
    space = {"alpha": FloatDistribution(1e-6, 1e3, log=True)}
    search = hosts.OptunaSearchCV(
        models.SGDClassifier(random_state=0),
        space,
        study=study,
        n_trials=25,
        cv=3,
        max_iter=20,
        enable_pruning=True,
    )
    search.fit(images, digits)
    assert search.best_score_ > 0.9
    pruned = [trial for trial in study.trials if trial.state == TrialState.PRUNED]
    assert len(pruned) >= 3
    assert all("gittins:pruned" in trial.system_attrs for trial in pruned)
    assert study.best_trial.last_step == 19


def test_the_callback_of_lightgbm_prunes():
    lightgbm = pytest.importorskip("lightgbm")
    hosts = pytest.importorskip("optuna_integration.lightgbm")
    datasets = pytest.importorskip("sklearn.datasets")
    features, targets = datasets.load_breast_cancer(return_X_y=True)

    def boosted(trial):
        rate = trial.suggest_float("learning_rate", 1e-4, 0.5, log=True)
        train = lightgbm.Dataset(features[::2], targets[::2])
        valid = lightgbm.Dataset(features[1::2], targets[1::2], reference=train)
        settings = {"objective": "binary", "metric": "binary_logloss", "verbosity": -1}
        settings.update(learning_rate=rate, num_threads=1, seed=0)
        found = {}
        lightgbm.train(
            settings,
            train,
            num_boost_round=40,
            valid_sets=[valid],
            callbacks=[
                lightgbm.record_evaluation(found),
                hosts.LightGBMPruningCallback(trial, "binary_logloss"),
            ],
        )
        return found["valid_0"]["binary_logloss"][-1]

    study = optuna.create_study(
        sampler=optuna.samplers.RandomSampler(seed=1),
        pruner=GittinsPruner(cost=lambda trial: trial.last_step + 1),
    )
    study.optimize(boosted, n_trials=25)
    states = [trial.state for trial in study.trials]
    assert states.count(TrialState.PRUNED) >= 3
    assert states.count(TrialState.COMPLETE) >= 3
    assert study.best_value < 0.2


def test_intermediate_values_are_drawn():
    pytest.importorskip("plotly")
    study = optuna.create_study(
        sampler=optuna.samplers.RandomSampler(seed=1), pruner=GittinsPruner(cost="paid")
    )
    study.optimize(objective, n_trials=12)
    figure = optuna.visualization.plot_intermediate_values(study)
    drawn = {len(line.x) for line in figure.data}
    assert len(figure.data) == 12
    assert len(drawn) > 1
