#!/usr/bin/env python3
"""Searches of scikit-learn at equal seconds: `GittinsSearchCV` beside what people use.

    OMP_NUM_THREADS=1 nice -n 19 searches.py run --seeds 0-9
    searches.py report

A search gets rows to search on, five folds of them and seconds of the processor, which count what it
thinks. `RandomizedSearchCV` and `HalvingRandomSearchCV` know no clock: they are repeated until these
are out, and the best of them counts. What a search chose is judged without its knowledge by the mean
score of the same folds and by that on rows that were held out. `price` is a search that ends by its
price, and `on` one that has three times the seconds that `price` took. `count` and `random-count` have
the same number of candidates, whatever they take. A run is kept as soon as it is there; what is kept is
not run again.
"""

import itertools
import pathlib
import statistics
import time
import warnings

import models
import numpy as np
import store
from arguments import run_or_report, whole
from scipy import stats
from space import Parameter

OUT = pathlib.Path(__file__).parent / "runs" / "searches.jsonl"
FOLDS = 5
# The score that a second must bring, for the search that ends by it.
PRICE = 1e-2
# The candidates of searches that have a number of them.
COUNT = 30
METHODS = ("gittins", "random", "halving", "optuna", "price", "on", "count", "random-count")
US = "gittins"


def svc():
    from sklearn.svm import SVC

    return models.scaled(SVC(random_state=0))


def forest():
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(random_state=0)


def logistic():
    from sklearn.linear_model import LogisticRegression

    return models.scaled(LogisticRegression(solver="saga", l1_ratio=0.5, max_iter=300))


def boosting():
    from sklearn.ensemble import GradientBoostingRegressor

    return GradientBoostingRegressor(random_state=0)


def network():
    from sklearn.neural_network import MLPClassifier

    return models.scaled(MLPClassifier(random_state=0))


def neighbors():
    from sklearn.decomposition import PCA
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import Pipeline

    return Pipeline([("pca", PCA(random_state=0)),
                     ("knn", KNeighborsClassifier(weights="distance"))])


#: An estimator, its data, how many rows of them at most, the seconds, what varies.
PROBLEMS = {
    "svc-digits": (svc, "digits", 1200, 5, models.floats(
        ("svc__C", "log_float", 1e-2, 1e4), ("svc__gamma", "log_float", 1e-6, 1.0))),
    "forest-cancer": (forest, "breast_cancer", 569, 5, models.floats(
        ("n_estimators", "log_int", 5, 150), ("max_depth", "int", 2, 20),
        ("max_features", "float", 0.02, 1.0), ("min_samples_leaf", "int", 1, 10))),
    "logistic-wine": (logistic, "wine", 178, 3, models.floats(
        ("logisticregression__C", "log_float", 1e-4, 1e3),
        ("logisticregression__l1_ratio", "float", 0.0, 1.0))),
    "boosting-diabetes": (boosting, "diabetes", 442, 5, models.floats(
        ("learning_rate", "log_float", 0.01, 1.0), ("n_estimators", "log_int", 5, 150),
        ("max_depth", "int", 1, 6), ("subsample", "float", 0.3, 1.0))),
    "network-digits": (network, "digits", 600, 10, models.floats(
        ("mlpclassifier__learning_rate_init", "log_float", 1e-4, 0.1),
        ("mlpclassifier__alpha", "log_float", 1e-6, 1.0),
        ("mlpclassifier__hidden_layer_sizes", "log_int", 8, 128),
        ("mlpclassifier__max_iter", "log_int", 5, 60))),
    "neighbors-digits": (neighbors, "digits", 1200, 5, models.floats(
        ("pca__n_components", "int", 2, 64), ("knn__n_neighbors", "int", 1, 30),
        ("knn__p", "float", 1.0, 4.0))),
}


class Task:
    """What a search is given, and what its choice is worth."""

    def __init__(self, name, seed):
        from sklearn.base import is_classifier
        from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

        make, dataset, most, self.seconds, self.parameters = PROBLEMS[name]
        self.estimator, self.seed = make(), seed
        x, y = models.data(dataset, most)
        kinds = is_classifier(self.estimator)
        self.x, self.held_x, self.y, self.held_y = train_test_split(
            x, y, test_size=1 / 3, random_state=seed, stratify=y if kinds else None)
        split = StratifiedKFold if kinds else KFold
        self.cv = split(FOLDS, shuffle=True, random_state=seed)
        # Loading modules costs none of the searches.
        self.judge({p.name: p.value(0.5) for p in self.parameters})

    def judge(self, params):
        """The mean score of the folds, and that of the rows that were held out."""
        from sklearn.base import clone
        from sklearn.model_selection import cross_val_score

        one = clone(self.estimator).set_params(**params)
        folds = cross_val_score(one, self.x, self.y, cv=self.cv)
        return float(np.mean(folds)), float(one.fit(self.x, self.y).score(self.held_x, self.held_y))

    def search(self, kind, *given, **settings):
        return kind(self.estimator, *given, cv=self.cv, refit=False, **settings).fit(self.x, self.y)


def bounds(p):
    """A parameter as `GittinsSearchCV` takes it."""
    return (p.low, p.high, "log-uniform" if p.kind.startswith("log") else "uniform")


def distribution(p):
    """A parameter as scikit-learn's searches draw it."""
    if p.kind == "int":
        return stats.randint(p.low, p.high + 1)
    if p.kind == "log_int":
        return Drawn(p)
    if p.kind == "log_float":
        return stats.loguniform(p.low, p.high)
    return stats.uniform(p.low, p.high - p.low)


class Drawn:
    """A whole number whose order of magnitude is uniform: SciPy has no such distribution."""

    def __init__(self, parameter: Parameter):
        self.parameter = parameter

    def rvs(self, random_state=None):
        return self.parameter.value(random_state.uniform())


def gittins_by(task, **end):
    from gittins.sklearn import GittinsSearchCV

    space = {p.name: bounds(p) for p in task.parameters}
    search = task.search(GittinsSearchCV, space, random_state=task.seed, **end)
    counts = search.cv_results_["n_folds"]
    return search.best_params_, {"candidates": len(counts), "fits": int(counts.sum()),
                                 "words": str(search.verdict_)}


def drawn(task):
    return {p.name: distribution(p) for p in task.parameters}


def repeated(task, kind, **settings):
    """The best of searches until the seconds are out, all with one stream of random numbers."""
    space = drawn(task)
    rng, start, found, count = np.random.RandomState(task.seed), time.process_time(), [], 0
    while time.process_time() - start < task.seconds:
        search = task.search(kind, space, random_state=rng, **settings)
        count += len(search.cv_results_["params"])
        found.append((search.best_score_, search.best_params_))
    return max(found, key=lambda one: one[0])[1], {"candidates": count}


def random(task):
    from sklearn.model_selection import RandomizedSearchCV

    return repeated(task, RandomizedSearchCV, n_iter=1)


def counted(task):
    from sklearn.model_selection import RandomizedSearchCV

    search = task.search(RandomizedSearchCV, drawn(task), random_state=task.seed, n_iter=COUNT)
    return search.best_params_, {"candidates": COUNT}


def halving(task):
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingRandomSearchCV

    return repeated(task, HalvingRandomSearchCV)


def tpe(task):
    import optuna
    from optuna_integration import OptunaSearchCV

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    space = {}
    for p in task.parameters:
        of = (optuna.distributions.IntDistribution if p.kind.endswith("int")
              else optuna.distributions.FloatDistribution)
        space[p.name] = of(p.low, p.high, log=p.kind.startswith("log"))
    study = optuna.create_study(direction="maximize",
                                sampler=optuna.samplers.TPESampler(seed=task.seed))
    start = time.process_time()

    def end(study, trial):
        if time.process_time() - start > task.seconds:
            study.stop()

    # Its own `timeout` goes by the clock on the wall.
    search = task.search(OptunaSearchCV, space, n_trials=None, study=study, callbacks=[end])
    return search.best_params_, {"candidates": len(study.trials)}


def play(spec, kept):
    task, method = Task(spec["problem"], spec["seed"]), spec["method"]
    start = time.process_time()
    if method == US:
        params, more = gittins_by(task, budget=task.seconds)
    elif method == "price":
        params, more = gittins_by(task, price=PRICE)
    elif method == "count":
        params, more = gittins_by(task, n_iter=COUNT)
    elif method == "on":
        before = kept[spec["problem"], spec["seed"], "price"]
        params, more = gittins_by(task, budget=3 * before["seconds"])
    else:
        params, more = {"random": random, "halving": halving, "optuna": tpe,
                        "random-count": counted}[method](task)
    seconds = time.process_time() - start
    folds, held = task.judge(params)
    return spec | {"seconds": round(seconds, 2), "folds": folds, "held": held, **more}


def key(record):
    return record["problem"], record["seed"], record["method"]


def run(arguments):
    # Our search reads this clock. A machine that others use is then slow for none.
    time.perf_counter = time.process_time
    kept = {key(record): record for record in store.lines(arguments.out)}
    every = itertools.product(arguments.seeds, arguments.problems.split(","),
                              arguments.methods.split(","))
    for seed, name, method in every:
        spec = {"problem": name, "seed": seed, "method": method}
        if key(spec) not in kept:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                record = play(spec, kept)
            kept[key(spec)] = record
            store.append(arguments.out, record)


def test_of(differences):
    """Wilcoxon's signed ranks; 1 if nothing differs."""
    return stats.wilcoxon(differences).pvalue if any(differences) else 1.0


def report(arguments):
    runs = {key(record): record for record in store.lines(arguments.out)}
    rivals = [method for method in ("random", "halving", "optuna")
              if any(name[2] == method for name in runs)]
    cases = sorted({name[:2] for name in runs if name[2] == US})
    cases = [case for case in cases if all((*case, rival) in runs for rival in rivals)]
    print(f"{len(cases)} searches of each\n")
    print("| against | folds: ahead, behind | p | held out: ahead, behind | p | seconds, its, ours |")
    print("| --- | --- | --- | --- | --- | --- |")
    for rival in rivals:
        cells = []
        for score in ("folds", "held"):
            by = [runs[(*case, US)][score] - runs[(*case, rival)][score] for case in cases]
            by = [0.0 if abs(one) < 1e-9 else one for one in by]
            cells.append(f"{sum(one > 0 for one in by)}, {sum(one < 0 for one in by)} | "
                         f"{test_of(by):.2g}")
        took = [statistics.median(runs[(*case, one)]["seconds"] for case in cases)
                for one in (rival, US)]
        print(f"| {rival} | {' | '.join(cells)} | {took[0]:.1f}, {took[1]:.1f} |")
    methods = [US, *rivals]
    for score, words in (("folds", "the folds"), ("held", "rows held out")):
        print(f"\n| mean score of {words} | " + " | ".join(methods) + " |")
        print("| --- " * (len(methods) + 1) + "|")
        for name in dict.fromkeys(name for name, _ in cases):
            means = [statistics.mean(runs[name, seed, method][score]
                                     for other, seed in cases if other == name)
                     for method in methods]
            print(f"| {name} | " + " | ".join(f"{mean:.4f}" for mean in means) + " |")
        ranks = [stats.rankdata([-round(runs[(*case, method)][score], 9) for method in methods])
                 for case in cases]
        print("| mean rank | " + " | ".join(f"{rank:.2f}" for rank in np.mean(ranks, axis=0)) + " |")
    report_stop(runs)
    report_count(runs)


def report_stop(runs):
    """What came of three times the seconds at which the price ended a search."""
    pairs = [(record, runs[name, seed, "on"]) for (name, seed, method), record in runs.items()
             if method == "price" and (name, seed, "on") in runs]
    print("\n| stop by price | searches | seconds, median | gain of going on, median | most | "
          "worth its seconds |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in sorted({one["problem"] for one, _ in pairs}):
        own = [(one, on) for one, on in pairs if one["problem"] == name]
        gains = [on["folds"] - one["folds"] for one, on in own]
        paid = [PRICE * (on["seconds"] - one["seconds"]) for one, on in own]
        print(f"| {name} | {len(own)} | {statistics.median(one['seconds'] for one, _ in own):.1f} | "
              f"{statistics.median(gains):.4f} | {max(gains):.4f} | "
              f"{sum(gain > cost for gain, cost in zip(gains, paid))} |")


def report_count(runs):
    """Both with the same number of candidates."""
    pairs = [(record, runs[(name, seed, "random-count")])
             for (name, seed, method), record in runs.items()
             if method == "count" and (name, seed, "random-count") in runs]
    print(f"\n| {COUNT} candidates | searches | seconds: theirs, ours | folds: ahead, behind | "
          "mean of the folds: theirs, ours | held out: theirs, ours |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in sorted({one["problem"] for one, _ in pairs}):
        own = [(one, other) for one, other in pairs if one["problem"] == name]
        by = [one["folds"] - other["folds"] for one, other in own]
        cells = []
        for what, digits in (("seconds", 1), ("folds", 4), ("held", 4)):
            ours, theirs = (statistics.mean(pair[k][what] for pair in own) for k in (0, 1))
            cells.append(f"{theirs:.{digits}f}, {ours:.{digits}f}")
        cells.insert(1, f"{sum(d > 1e-9 for d in by)}, {sum(d < -1e-9 for d in by)}")
        print(f"| {name} | {len(own)} | {' | '.join(cells)} |")


def main():
    parser = run_or_report(__doc__, OUT, problems=PROBLEMS, methods=METHODS)
    parser.add_argument("--seeds", type=whole, default=whole("0-9"))
    arguments = parser.parse_args()
    (run if arguments.command == "run" else report)(arguments)


if __name__ == "__main__":
    main()
