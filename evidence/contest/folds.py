#!/usr/bin/env python3
"""Cross-validation fold by fold: real models of scikit-learn at equal seconds.

    folds.py run --seeds 0-9
    folds.py report

A run spends the same seconds of the processor on fits, whoever chooses: `stages={"folds": 5}` of `gittins.Study`,
`gittins.Study` and TPE of Optuna with whole cross-validations, and both of Optuna's samplers beside its
`WilcoxonPruner`, which was made for this. What a run comes to is the mean loss over all folds of the best
setting of which it knows all folds, after a quarter, a half and all of its seconds. A run is kept as soon
as it is there; what is kept is not run again.
"""

import itertools
import pathlib
import statistics
import time

import gittins
import models
import optuna
import store
from arguments import run_or_report
from scipy import stats

OUT = pathlib.Path(__file__).parent / "runs" / "folds.jsonl"
FOLDS = 5
PROBLEMS = ("svc-cancer", "forest-digits", "svc-digits", "boosting-cancer", "boosting-digits",
            "network-digits", "neighbors-digits")
METHODS = ("folds", "whole", "tpe", "tpe-wilcoxon", "gittins-wilcoxon", "random")
PARTS = (0.25, 0.5, 1.0)


class Bill:
    """Fits one fold after another, until the money is out."""

    def __init__(self, name):
        from sklearn.model_selection import StratifiedKFold

        self.model = models.MODELS[name]
        self.x, self.y = models.data(self.model.dataset, self.model.most)
        split = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
        self.folds = list(split.split(self.x, self.y))
        self.spent, self.fits, self.best, self.known = 0.0, 0, None, []
        # Loading modules costs none of the fits.
        self.fit({p.name: p.value(0.5) for p in self.model.parameters}, 0)
        self.money = self.model.money * FOLDS / models.FOLDS
        self.spent, self.fits = 0.0, 0

    def fit(self, settings, fold):
        """The loss of one fold and its seconds."""
        start = time.process_time()
        loss = models.validated(lambda: self.model.make(settings), self.x, self.y,
                                [self.folds[fold]], self.model.error)
        seconds = time.process_time() - start
        self.spent += seconds
        self.fits += 1
        return loss, seconds

    def over(self):
        return self.spent >= self.money

    def knows(self, loss):
        """Takes the mean of all folds of a setting."""
        if self.best is None or loss < self.best:
            self.best = loss
            self.known.append([self.spent / self.money, loss])


def by_folds(bill, space, seed):
    stages = {"folds": FOLDS}
    study = gittins.Study(space, stages=stages, seed=seed, cost_unit="s", budget=bill.money)
    while not bill.over():
        ask = study.ask()
        until = ask.until
        while until is not None:
            loss, seconds = bill.fit(dict(ask), round(until) - 1)
            advice = study.report(ask, until, loss, cost=seconds)
            until = advice.until
            if advice.kind == "done":
                bill.knows(study.trials()[ask.trial].outcome)


def whole(bill, space, seed):
    study = gittins.Study(space, cost="learned", seed=seed, cost_unit="s")
    while not bill.over():
        ask = study.ask()
        told = [bill.fit(dict(ask), fold) for fold in range(FOLDS)]
        loss = statistics.mean(loss for loss, _ in told)
        bill.knows(loss)
        study.tell(ask, loss, cost=sum(seconds for _, seconds in told))


def with_optuna(bill, sampler, pruner):
    def objective(trial):
        settings = {}
        for p in bill.model.parameters:
            suggest = trial.suggest_int if p.kind == "int" else trial.suggest_float
            settings[p.name] = suggest(p.name, p.low, p.high, **(
                {} if p.kind == "int" else {"log": p.kind == "log_float"}))
        losses, paid = [], 0.0
        for fold in range(FOLDS):
            loss, seconds = bill.fit(settings, fold)
            losses.append(loss)
            paid += seconds
            trial.set_user_attr("cost", paid)
            trial.report(loss, fold)
            if fold + 1 < FOLDS and trial.should_prune():
                raise optuna.TrialPruned
        loss = statistics.mean(losses)
        bill.knows(loss)
        return loss

    study = optuna.create_study(sampler=sampler, pruner=pruner)
    while not bill.over():
        study.optimize(objective, n_trials=1)


def space_of(model):
    space = gittins.Space()
    for p in model.parameters:
        space = getattr(space, p.kind)(p.name, p.low, p.high)
    return space


def play(spec):
    bill = Bill(spec["problem"])
    seed, method = spec["seed"], spec["method"]
    started = time.perf_counter()
    if method == "folds":
        by_folds(bill, space_of(bill.model), seed)
    elif method == "whole":
        whole(bill, space_of(bill.model), seed)
    else:
        from gittins.optuna import GittinsSampler

        sampler = {"tpe": optuna.samplers.TPESampler, "random": optuna.samplers.RandomSampler,
                   "gittins": GittinsSampler}[method.partition("-")[0]](seed=seed)
        pruner = optuna.pruners.NopPruner()
        if method.endswith("wilcoxon"):
            pruner = optuna.pruners.WilcoxonPruner()
        with_optuna(bill, sampler, pruner)
    wall = time.perf_counter() - started
    return spec | {"known": bill.known, "fits": bill.fits, "spent": round(bill.spent, 2),
                   "thought": round(wall - bill.spent, 2)}


def at(record, part):
    """What a run knew after a share of its money."""
    return min((loss for share, loss in record["known"] if share <= part + 1e-9), default=None)


def key(record):
    return record["problem"], record["seed"], record["method"]


def run(arguments):
    first, _, last = arguments.seeds.partition("-")
    kept = {key(record) for record in store.lines(arguments.out)}
    every = itertools.product(range(int(first), int(last or first) + 1),
                              arguments.problems.split(","), arguments.methods.split(","))
    for seed, name, method in every:
        spec = {"problem": name, "seed": seed, "method": method}
        if key(spec) not in kept:
            store.append(arguments.out, play(spec))


def report(arguments):
    """Folds against each other method, run by run."""
    runs = {key(record): record for record in store.lines(arguments.out)}
    names = arguments.problems.split(",")
    methods = sorted({method for _, _, method in runs} - {arguments.of})
    head = [f"ahead at {part:.0%}" for part in PARTS]
    print("| against | runs | " + " | ".join(head) + " | p at the end | seconds for its end |")
    print("| --- " * (len(PARTS) + 4) + "|")
    for method in methods:
        pairs = [(own, runs[name, seed, method]) for (name, seed, other), own in runs.items()
                 if other == arguments.of and name in names and (name, seed, method) in runs]
        if not pairs:
            continue
        cells, p = [], 1.0
        for part in PARTS:
            ends = [tuple(at(record, part) for record in pair) for pair in pairs]
            ends = [tuple(float("inf") if end is None else end for end in pair) for pair in ends]
            ahead, behind = (sum(sign * a < sign * b for a, b in ends) for sign in (1, -1))
            cells.append(f"{ahead}:{behind}")
            p = stats.binomtest(ahead, ahead + behind).pvalue if ahead + behind else 1.0
        shares = []
        for own, other in pairs:
            goal = at(other, 1.0)
            reached = [share for share, loss in own["known"] if goal is None or loss <= goal]
            shares.append(min(reached, default=float("inf")))
        print(f"| {method} | {len(pairs)} | {' | '.join(cells)} | {p:.1g} | "
              f"{statistics.median(shares):.2f} |")


def main():
    parser = run_or_report(__doc__, OUT, problems=PROBLEMS, methods=METHODS)
    parser.add_argument("--of", default="folds", help="the method that is compared")
    parser.add_argument("--seeds", default="0-9")
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    (run if arguments.command == "run" else report)(arguments)


if __name__ == "__main__":
    main()
