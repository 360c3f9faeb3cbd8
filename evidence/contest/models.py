"""Real models of scikit-learn, tuned by cross-validation; money is the processor's seconds.

Losses are errors, or mean log losses where the model gives probabilities. The folds are the same
in all runs, so a setting has one loss. Its seconds are measured each time: who tunes pays them.
"""

import dataclasses
import functools
import math
import time
import warnings

import numpy as np

from problem import Problem
from space import Parameter

FOLDS = 3
# The loss that a second must save, for runs that say when they would stop.
PRICE = 1e-2


@functools.cache
def data(name, most):
    """Inputs and classes, shuffled, at most so many."""
    from sklearn import datasets

    x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))[:most]
    return x[order], y[order]


def scaled(model):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), model)


def svc(v):
    from sklearn.svm import SVC

    return scaled(SVC(C=v["c"], gamma=v["gamma"], random_state=0))


def calibrated(machine):
    """With probabilities, as the library advises to get them."""
    from sklearn.calibration import CalibratedClassifierCV

    return CalibratedClassifierCV(machine, cv=3, ensemble=False)


def boosting(v):
    from sklearn.ensemble import GradientBoostingClassifier

    return GradientBoostingClassifier(
        learning_rate=v["rate"], n_estimators=int(v["trees"]), max_depth=int(v["depth"]),
        subsample=v["subsample"], random_state=0,
    )


def histogram(v):
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(
        learning_rate=v["rate"], max_iter=int(v["rounds"]), max_leaf_nodes=int(v["leaves"]),
        l2_regularization=v["l2"], early_stopping=False, random_state=0,
    )


def network(v):
    from sklearn.neural_network import MLPClassifier

    return scaled(MLPClassifier(
        (int(v["width"]),), alpha=v["alpha"], learning_rate_init=v["rate"],
        max_iter=int(v["epochs"]), batch_size=int(v["batch"]), random_state=0,
    ))


def forest(v):
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(
        int(v["trees"]), max_depth=int(v["depth"]), max_features=v["features"],
        min_samples_leaf=int(v["leaf"]), random_state=0,
    )


def neighbors(v):
    from sklearn.decomposition import PCA
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline

    return make_pipeline(
        PCA(int(v["components"]), random_state=0),
        KNeighborsClassifier(int(v["neighbors"]), p=v["power"], weights="distance"),
    )


@dataclasses.dataclass(frozen=True)
class Model:
    """What is tuned on what, and the money that a run may spend."""

    make: object
    dataset: str
    most: int
    error: bool
    money: float
    parameters: tuple


def floats(*axes):
    return tuple(Parameter(*axis) for axis in axes)


SVC = floats(("c", "log_float", 1e-2, 1e4), ("gamma", "log_float", 1e-6, 1.0))
MODELS = {
    "svc-digits": Model(svc, "digits", 1200, True, 8, SVC),
    "svc-cancer": Model(lambda v: calibrated(svc(v)), "breast_cancer", 569, False, 4, SVC),
    "boosting-digits": Model(histogram, "digits", 500, False, 15, floats(
        ("rate", "log_float", 0.01, 1.0), ("rounds", "int", 5, 60),
        ("leaves", "int", 2, 16), ("l2", "log_float", 1e-6, 100.0),
    )),
    "boosting-cancer": Model(boosting, "breast_cancer", 569, False, 12, floats(
        ("rate", "log_float", 0.01, 1.0), ("trees", "int", 10, 150),
        ("depth", "int", 1, 6), ("subsample", "float", 0.3, 1.0),
    )),
    "network-digits": Model(network, "digits", 900, False, 15, floats(
        ("rate", "log_float", 1e-4, 0.1), ("alpha", "log_float", 1e-6, 1.0),
        ("width", "int", 8, 128), ("epochs", "int", 5, 60), ("batch", "int", 16, 128),
    )),
    "forest-digits": Model(forest, "digits", 900, False, 10, floats(
        ("trees", "int", 5, 150), ("depth", "int", 2, 20),
        ("features", "float", 0.02, 1.0), ("leaf", "int", 1, 10),
    )),
    "neighbors-digits": Model(neighbors, "digits", 1200, True, 6, floats(
        ("neighbors", "int", 1, 30), ("power", "float", 1.0, 4.0), ("components", "int", 2, 64),
    )),
}


def validated(make, x, y, folds, error):
    """The loss of the models that `make` gives over pairs of rows to fit and to test."""
    from sklearn.metrics import log_loss

    classes = np.unique(y)
    # A network that diverged is as bad as this; no guess at random is worse.
    worst = 1.0 if error else 2 * math.log(len(classes))
    count = sum(len(test) for _, test in folds)
    loss = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for train, test in folds:
            try:
                fitted = make().fit(x[train], y[train])
                if error:
                    part = np.mean(fitted.predict(x[test]) != y[test])
                else:
                    shares = np.clip(fitted.predict_proba(x[test]), 1e-6, 1)
                    shares /= shares.sum(1, keepdims=True)
                    part = log_loss(y[test], shares, labels=classes)
            except ValueError:
                part = worst
            loss += min(float(part), worst) * len(test) / count
    return loss


def problem(id):
    from sklearn.model_selection import StratifiedKFold

    model = MODELS[id]
    x, y = data(model.dataset, model.most)
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(x, y))
    names = [p.name for p in model.parameters]

    def evaluate(values):
        start = time.process_time()
        settings = dict(zip(names, values))
        loss = validated(lambda: model.make(settings), x, y, folds, model.error)
        return loss, loss, time.process_time() - start

    # Loading modules costs none of the trials.
    evaluate([p.value(0.5) for p in model.parameters])
    return Problem(id, list(model.parameters), evaluate, 200, 0.0, model.money, PRICE)
