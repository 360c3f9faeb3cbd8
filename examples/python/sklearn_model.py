"""Tune a model of scikit-learn until a second of fitting no longer pays.

Three kinds of models, each with parameters of its own, compete in one study. The seconds of each
trial are learned, so that a slow model is tried only if it promises more. Needs scikit-learn.
"""

# %% The data, and what a trial does
import time

from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import gittins

images, digits = load_digits(return_X_y=True)


def model_of(kind, **settings):
    """Return the model that a point stands for."""
    if kind == "svm":
        return make_pipeline(StandardScaler(), SVC(**settings))
    if kind == "logistic":
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=300, **settings))
    return ExtraTreesClassifier(random_state=0, **settings)


def error_of(**values):
    """Return the share of digits that are read wrongly, the mean of three folds."""
    return 1.0 - cross_val_score(model_of(**values), images, digits, cv=3).mean()


# %% What is searched, and what a second is worth
space = (
    gittins.Space()
    .choice("kind", ["svm", "logistic", "trees"])
    .log_float("C", 1e-3, 1e3, when={"kind": ["svm", "logistic"]})
    .log_float("gamma", 1e-5, 1.0, when={"kind": "svm"})
    .log_int("n_estimators", 8, 256, when={"kind": "trees"})
    .float("max_features", 0.05, 1.0, when={"kind": "trees"})
)
study = gittins.Study(
    space,
    "minimize",
    price=1e-3,  # a second must bring one digit more of a thousand
    cost="learned",
    cost_unit="s",
    seed=1,
)

# %% The study, until its verdict is to stop
while not study.verdict():
    ask = study.ask()
    since = time.perf_counter()
    error = error_of(**ask)
    seconds = time.perf_counter() - since
    study.tell(ask, error, cost=seconds)
    print(f"{ask.trial:3} {error:.4f} {seconds:6.2f} s  {dict(ask)}")

best = study.recommendation()
print(study.verdict())
print(best)

# %% A model with the best values, on all rows
there = {name: value for name, value in best.values.items() if value is not None}
model = model_of(**there).fit(images, digits)
print("read wrongly of all rows it was fitted on:", int((model.predict(images) != digits).sum()))

# %% Pictures, if matplotlib is there
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("no pictures without matplotlib")
else:
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
    gittins.plot.progress(study, left)
    left.set(xlabel="seconds spent", ylabel="error", yscale="log")
    gittins.plot.costs(study, right)
    right.set(xlabel="expected seconds", ylabel="seconds", xscale="log", yscale="log")
    figure.savefig("sklearn_model.svg")
    print("see sklearn_model.svg")
