"""Spaces of flags, choices and numbers. Each seed has an instance of its own, the same for all.

In the published functions it relocates what would be easy to guess: an optimum at the first values
or in the middle. In the real models it draws the rows.
"""

import functools
import zlib

import numpy as np

import models
import space
from high import ackley
from problem import Problem
from space import Parameter, choice, flag, numbers

BUDGETS = {"labs-50": 200, "ackley-53": 200, "pest-25": 200, "svm-cond": 100, "net-digits": 100}
PROBLEMS = list(BUDGETS)


def budget(id):
    return BUDGETS[id]


def merit(signs):
    """Golay's merit factor of a sequence of -1 and 1, larger is better."""
    aside = np.correlate(signs, signs, "full")[len(signs):]
    return len(signs) ** 2 / (2 * float(aside @ aside))


def labs(rng):
    """A binary sequence of low autocorrelation: its negative merit factor.

    The best of 50 has 2500 / 306 = 8.170, proven by exhaustive search (Packebusch and Mertens,
    2016). Which flags are inverted is drawn.
    """
    mask = rng.random(50) < 0.5
    axes = [flag(f"x{k}") for k in range(50)]
    return axes, lambda values: -merit(np.where(mask ^ np.array(values), 1, -1)), -2500 / 306


def mixed_ackley(rng):
    """Ackley's function of 50 flags and 3 floats in [-1, 1] (Wan et al., ICML 2021).

    As published its optimum is where all are 0. Here the flags of the optimum and its floats are
    drawn, these from all of the box.
    """
    mask, place = rng.random(50) < 0.5, rng.uniform(-1, 1, 3)
    axes = [flag(f"x{k}") for k in range(50)]
    axes += [Parameter(f"x{k}", "float", -1.0, 1.0) for k in range(50, 53)]

    def value(values):
        flags, floats = np.array(values[:50], bool), np.array(values[50:])
        return ackley(np.concatenate([mask ^ flags, floats - place]))

    return axes, value, 0.0


# Price, largest discount, the control's second shape at first, and its growth by 25 uses.
PESTICIDES = [
    (1.0, 0.2, 2 / 7, 1 / 7), (0.8, 0.3, 3 / 7, 2.5 / 7), (0.7, 0.3, 3 / 7, 2 / 7),
    (0.5, 0.0, 5 / 7, 0.5 / 7),
]


@functools.cache
def draw(shape, rate):
    """100 simulations' draws from Beta(1, `rate`); the published code seeds anew before each."""
    return np.random.RandomState(1).beta(shape, rate, size=100)


def infested(policy):
    """The score of 25 actions: 0 for none, 1 to 4 for a pesticide."""
    share, rates, uses = draw(1.0, 30.0), [p[2] for p in PESTICIDES], [0] * 4
    score = 0.0
    for action in policy:
        score += np.mean(share > 0.1)
        if action == 0:
            share = share + draw(1.0, 17 / 3) * (1 - share)
            continue
        k = action - 1
        share = share * (1 - draw(1.0, rates[k]))
        # Added use by use, as published: the product would be rounded to other draws.
        rates[k] += PESTICIDES[k][3] / 25
        uses[k] += 1
    prices = ((p[0], p[1], n) for p, n in zip(PESTICIDES, uses))
    return score + sum(n * price * (1 - most * n / 25) for price, most, n in prices)


def pest(rng):
    """Pest control at 25 stages (Oh et al., NeurIPS 2019), without the noise of 1e-6.

    Names of the actions are drawn for each stage, so that no name means the same at two stages. The
    best known score is 11.9916.
    """
    names = "abcde"
    actions = [dict(zip(names, rng.permutation(5).tolist())) for _ in range(25)]
    axes = [choice(f"stage{k + 1}", *names) for k in range(25)]
    return axes, lambda values: infested([a[v] for a, v in zip(actions, values)]), 0.0


SVM, BOOSTING, FOREST = (("model", "is", [name]) for name in ("svm", "boosting", "forest"))
CLASSIFIERS = [
    flag("scale"),
    choice("model", "svm", "boosting", "forest"),
    choice("kernel", "linear", "rbf", "poly", when=(SVM,)),
    Parameter("c", "log_float", 1e-3, 1e3, when=(SVM,)),
    Parameter("gamma", "log_float", 1e-5, 10.0, when=(("kernel", "is", ["rbf", "poly"]),)),
    Parameter("degree", "int", 2, 5, when=(("kernel", "is", ["poly"]),)),
    Parameter("rate", "log_float", 0.01, 1.0, when=(BOOSTING,)),
    Parameter("boosting_depth", "int", 1, 6, when=(BOOSTING,)),
    Parameter("boosting_leaf", "log_int", 1, 32, when=(BOOSTING,)),
    Parameter("subsample", "float", 0.3, 1.0, when=(BOOSTING,)),
    Parameter("forest_depth", "int", 1, 12, when=(FOREST,)),
    Parameter("forest_leaf", "log_int", 1, 32, when=(FOREST,)),
    Parameter("features", "float", 0.05, 1.0, when=(FOREST,)),
]


def classifier(v, trees):
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
    from sklearn.svm import SVC

    if v["model"] == "svm":
        settings = {k: v[k] for k in ("gamma", "degree") if v[k] is not None}
        # Without a limit a polynomial of unscaled inputs takes minutes.
        machine = SVC(C=v["c"], kernel=v["kernel"], max_iter=10_000, **settings)
        model = models.calibrated(machine)
    elif v["model"] == "boosting":
        model = GradientBoostingClassifier(
            learning_rate=v["rate"], n_estimators=trees, max_depth=v["boosting_depth"],
            min_samples_leaf=v["boosting_leaf"], subsample=v["subsample"], random_state=0,
        )
    else:
        model = RandomForestClassifier(
            trees, max_depth=v["forest_depth"], min_samples_leaf=v["forest_leaf"],
            max_features=v["features"], random_state=0,
        )
    return models.scaled(model) if v["scale"] else model


def rows(dataset, count, rng):
    """So many rows of a data set, drawn."""
    x, y = models.data(dataset, None)
    kept = rng.permutation(len(y))[:count]
    return x[kept], y[kept]


def conditional(rng):
    """A kind of classifier and its settings: the log loss of three folds.

    240 rows of the breast cancer data and their folds are drawn. Ensembles have 20 trees.
    """
    from sklearn.model_selection import StratifiedKFold

    x, y = rows("breast_cancer", 240, rng)
    shuffled = StratifiedKFold(models.FOLDS, shuffle=True, random_state=int(rng.integers(2**31)))
    folds = list(shuffled.split(x, y))
    names = [p.name for p in CLASSIFIERS]

    def value(values):
        settings = dict(zip(names, values))
        return models.validated(lambda: classifier(settings, 20), x, y, folds, False)

    return CLASSIFIERS, value, 0.0


WIDTHS, BATCHES = (8, 16, 32, 64, 128), (16, 32, 64, 128)
NETWORK = [
    Parameter("layers", "int", 1, 3),
    numbers("units_1", *WIDTHS),
    numbers("units_2", *WIDTHS, when=(("layers", "at_least", 2),)),
    numbers("units_3", *WIDTHS, when=(("layers", "at_least", 3),)),
    choice("activation", "logistic", "relu", "tanh"),
    choice("solver", "adam", "sgd"),
    Parameter("momentum", "float", 0.0, 0.99, when=(("solver", "is", ["sgd"]),)),
    Parameter("rate", "log_float", 1e-4, 1.0),
    Parameter("alpha", "log_float", 1e-6, 1.0),
    numbers("batch", *BATCHES),
]


def network(rng):
    """A network's layers and how it is trained: the log loss on as many rows as it is fit to.

    800 rows of the digits are drawn, and who begins with which weights. There are 12 epochs.
    """
    from sklearn.neural_network import MLPClassifier

    x, y = rows("digits", 800, rng)
    x, weights = x / 16, int(rng.integers(2**31))
    split = [(np.arange(400), np.arange(400, 800))]
    names, epochs = [p.name for p in NETWORK], 12

    def value(values):
        v = dict(zip(names, values))
        layers = [v[f"units_{k}"] for k in (1, 2, 3) if v[f"units_{k}"] is not None]
        settings = {} if v["momentum"] is None else {"momentum": v["momentum"]}
        return models.validated(lambda: MLPClassifier(
            layers, activation=v["activation"], solver=v["solver"], learning_rate_init=v["rate"],
            alpha=v["alpha"], batch_size=v["batch"], max_iter=epochs, n_iter_no_change=epochs,
            random_state=weights, **settings,
        ), x, y, split, False)

    return NETWORK, value, 0.0


MAKERS = {"labs-50": labs, "ackley-53": mixed_ackley, "pest-25": pest, "svm-cond": conditional,
          "net-digits": network}


def problem(id, seed):
    rng = np.random.default_rng([zlib.crc32(id.encode()), seed])
    parameters, value, optimum = MAKERS[id](rng)

    def evaluate(values):
        y = float(value(values))
        return y, y, None

    middle = evaluate(space.fill(parameters, lambda _, p: p.value(0.5)))[0] - optimum
    # For a run that says when it would stop, a trial must save a thousandth of the way to go.
    price = middle / 1000
    return Problem(id, parameters, evaluate, budget(id), optimum, price=price, probe=middle)
