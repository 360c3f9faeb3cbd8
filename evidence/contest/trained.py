"""Learning curves of scikit-learn's models on data sets that come with it.

Models learn epoch by epoch, or by rounds. A third of the rows is held out for the loss. A setting
is trained once, to its end. Its losses and the processor's seconds of its instalments are kept in a
file, so that all studies see the same curve and can be played again.
"""

import dataclasses
import functools
import json
import math
import time
import warnings

import numpy as np

import store
from models import data, floats
from staged import Curve, Staged, scale

#: Epochs, or rounds.
RUNGS = (3, 6, 10, 17, 29, 50)
#: Trials at random that say how good and how long they are.
DRAWS = 48


def descent(v, classes):
    """A linear model by stochastic gradient descent."""
    from sklearn.linear_model import SGDClassifier

    model = SGDClassifier(
        loss="log_loss", alpha=v["alpha"], learning_rate="invscaling", eta0=v["rate"],
        power_t=v["decay"], penalty="elasticnet", l1_ratio=v["ratio"], random_state=0,
    )
    return lambda x, y, steps: epochs(model, x, y, steps, classes)


def network(v, classes):
    """A network of one hidden layer, for classes or for numbers."""
    from sklearn.neural_network import MLPClassifier, MLPRegressor

    model = (MLPRegressor if classes is None else MLPClassifier)(
        hidden_layer_sizes=(int(v["width"]),), alpha=v["alpha"], learning_rate_init=v["rate"],
        batch_size=int(v["batch"]), random_state=0,
    )
    return lambda x, y, steps: epochs(model, x, y, steps, classes)


def epochs(model, x, y, steps, classes):
    for _ in range(steps):
        model.partial_fit(x, y, **({} if classes is None else {"classes": classes}))
    return model


def boosting(v, classes):
    """Trees by rounds, on top of those that are there."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    kind = HistGradientBoostingRegressor if classes is None else HistGradientBoostingClassifier
    model = kind(
        learning_rate=v["rate"], max_leaf_nodes=int(v["leaves"]), l2_regularization=v["l2"],
        min_samples_leaf=int(v["leaf"]), early_stopping=False, warm_start=True, max_iter=1,
        random_state=0,
    )
    done = 0

    def fit(x, y, steps):
        nonlocal done
        done += steps
        return model.set_params(max_iter=done).fit(x, y)

    return fit


@dataclasses.dataclass(frozen=True)
class Kind:
    """A model, what is tuned of it, and on how many rows of what."""

    make: object
    dataset: str
    most: int
    parameters: tuple


DESCENT = floats(("alpha", "log_float", 1e-6, 1.0), ("rate", "log_float", 1e-3, 10.0),
                 ("decay", "float", 0.0, 1.0), ("ratio", "float", 0.0, 1.0))
NETWORK = floats(("alpha", "log_float", 1e-6, 10.0), ("rate", "log_float", 1e-4, 0.3),
                 ("width", "log_int", 4, 256), ("batch", "log_int", 8, 128))
BOOSTING = floats(("rate", "log_float", 0.01, 1.0), ("leaves", "log_int", 2, 32),
                  ("l2", "log_float", 1e-6, 100.0), ("leaf", "log_int", 1, 50))
PROBLEMS = {
    "boosting-cancer": Kind(boosting, "breast_cancer", 569, BOOSTING),
    "boosting-diabetes": Kind(boosting, "diabetes", 442, BOOSTING),
    "boosting-digits": Kind(boosting, "digits", 450, BOOSTING),
    "network-diabetes": Kind(network, "diabetes", 442, NETWORK),
    "network-digits": Kind(network, "digits", 900, NETWORK),
    "network-wine": Kind(network, "wine", 178, NETWORK),
    "descent-cancer": Kind(descent, "breast_cancer", 569, DESCENT),
    "descent-digits": Kind(descent, "digits", 1797, DESCENT),
}


def loss(model, x, y, classes):
    """The mean log loss, or the squared error as a share of the variance."""
    from sklearn.metrics import log_loss

    if classes is None:
        return float(np.mean((model.predict(x) - y) ** 2) / np.var(y))
    shares = np.clip(model.predict_proba(x), 1e-6, 1)
    shares /= shares.sum(1, keepdims=True)
    # No guess at random is worse.
    return min(float(log_loss(y, shares, labels=classes)), 2 * math.log(len(classes)))


@functools.cache
def split(dataset, most):
    """Rows to train on and rows to test on, scaled by the first."""
    x, y = data(dataset, most)
    whole = dataset == "diabetes"
    cut = len(y) * 2 // 3
    mean, deviation = x[:cut].mean(0), x[:cut].std(0)
    x = (x - mean) / np.where(deviation > 0, deviation, 1.0)
    if whole:
        y = (y - y[:cut].mean()) / y[:cut].std()
    return x[:cut], y[:cut], x[cut:], y[cut:], None if whole else np.unique(y)


def train(kind, values):
    """The curve of one setting. A training that breaks has no loss from there on."""
    x, y, held, truth, classes = split(kind.dataset, kind.most)
    fit = kind.make(dict(zip([p.name for p in kind.parameters], values)), classes)
    losses, seconds, done = [], [], 0
    for rung in RUNGS:
        start = time.process_time()
        found = None
        # After a training broke its seconds do not count.
        if None not in losses:
            try:
                found = loss(fit(x, y, rung - done), held, truth, classes)
            except ValueError:
                pass
        losses.append(found if found is not None and math.isfinite(found) else None)
        seconds.append(time.process_time() - start)
        done = rung
    return Curve(tuple(losses), tuple(seconds))


class Kept:
    """Curves that were measured before, and a file for those that are measured now.

    Of two measurements of a setting by two processes the one that was kept first counts.
    """

    def __init__(self, kind, path):
        self.kind, self.path, self.known = kind, path, {}
        self.read()

    def read(self):
        for one in store.lines(self.path):
            curve = Curve(tuple(one["losses"]), tuple(one["seconds"]))
            self.known.setdefault(json.dumps(one["values"]), curve)

    def run(self, values):
        key = json.dumps(values)
        if key not in self.known:
            self.read()
        if key not in self.known:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                curve = train(self.kind, values)
            store.append(self.path, {"values": values, "losses": curve.losses,
                                     "seconds": curve.seconds})
            self.read()
        return self.known[key]


@functools.cache
def problem(id, cache):
    kind = PROBLEMS[id]
    kept = Kept(kind, cache / f"live-{id}.jsonl")
    one = Staged(id, "live", list(kind.parameters), RUNGS, lambda: kept.run, 0.0, 0.0, 0.0)
    if not kept.known:
        # Loading modules costs none of the trials.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            train(kind, [p.value(0.5) for p in kind.parameters])
    rng = np.random.default_rng(0)
    one.unit, one.median, one.best = scale([kept.run(one.draw(rng)) for _ in range(DRAWS)])
    return one
