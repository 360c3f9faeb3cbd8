#!/usr/bin/env python3
"""Samplers of Optuna beside its pruners, on learning curves of real trainings.

    pruned.py run --data FOLDER --seeds 0-19
    pruned.py report

FOLDER has what README.md of the folder above names: `lcbench.py` with its network, the LCBench
surrogate of YAHPO Gym, and `taskset_NAME.csv.gz`, trainings of TaskSet in the selection of DyHPO.
A problem whose file is missing is left out. A run is kept as soon as it is there; what is kept is
not run again.
"""

import csv
import gzip
import itertools
import math
import pathlib
import statistics
import sys
import time
import zlib

import numpy as np
import optuna
import store
from arguments import run_or_report
from scipy import stats

OUT = pathlib.Path(__file__).parent / "runs" / "pruned.jsonl"
PROBLEMS = ("lcbench Fashion-MNIST", "lcbench higgs", "lcbench segment",
            "taskset patch32_VRNN64_tanh_avg_bs128")
PRUNERS = ("none", "median", "hyperband", "halving")
SAMPLERS = ("gittins", "gittins-cost", "tpe", "gp")
#: The bounds of TaskSet. Those of the betas are of their distance from one.
RANGES = {"learning_rate": (1e-8, 10.0), "beta1": (1e-4, 1.0), "beta2": (1e-6, 1.0),
          "epsilon": (1e-10, 1e3), "l1": (1e-8, 10.0), "l2": (1e-8, 10.0),
          "linear_decay": (1e-7, 1e-4), "exponential_decay": (1e-6, 1e-3)}
#: What a training that broke down counts as.
BROKEN = 10.0


class Surrogate:
    """A data set of LCBench: 52 epochs, which have seconds. Cross-entropy is minimized."""

    def __init__(self, folder, name):
        sys.path.insert(0, str(folder))
        import lcbench

        self.bench = lcbench.Lcbench()
        self.name = next(one for one in self.bench.net.meta["data_sets"]
                         if str(one.get("name", one["id"])) == name)["id"]
        self.parameters = self.bench.net.meta["parameters"]

    def curve(self, trial):
        values = []
        for one in self.parameters:
            suggest = trial.suggest_int if one["integer"] else trial.suggest_float
            values.append(suggest(one["name"], one["lower"], one["upper"], log=one["log"]))
        found = self.bench.curve(self.name, np.array([values], float))
        return found["val_cross_entropy"][0], found["seconds"][0]


class Measured:
    """A task of TaskSet: the nearest of 1000 measured trainings. A step costs one."""

    def __init__(self, folder, name):
        with gzip.open(folder / f"taskset_{name}.csv.gz", "rt") as file:
            rows = list(csv.DictReader(file))
        # The betas were drawn by the logarithm of their distance from one.
        points = [[float(row[key]) for key in RANGES] for row in rows]
        points = np.array(points)
        points[:, 1:3] = 1.0 - points[:, 1:3]
        self.low = np.log([low for low, _ in RANGES.values()])
        self.high = np.log([high for _, high in RANGES.values()])
        for column in (1, 2):
            self.low[column] = np.log(points[:, column].min())
            self.high[column] = np.log(points[:, column].max())
        self.points = (np.log(points) - self.low) / (self.high - self.low)
        steps = [f"valid_{step:02}" for step in range(1, 51)]
        curves = [[min(float(row[step] or BROKEN), BROKEN) for step in steps] for row in rows]
        self.curves = np.array(curves)

    def curve(self, trial):
        point = [trial.suggest_float(name, math.exp(low), math.exp(high), log=True)
                 for name, low, high in zip(RANGES, self.low, self.high)]
        point = (np.log(point) - self.low) / (self.high - self.low)
        values = self.curves[np.argmin(((self.points - point) ** 2).sum(1))]
        return values, np.arange(1.0, len(values) + 1.0)


def problem(folder, name):
    """A problem by its name; `None` if its data are not there."""
    kind, _, which = name.partition(" ")
    try:
        return (Surrogate if kind == "lcbench" else Measured)(folder, which)
    except (FileNotFoundError, ImportError) as error:
        print(f"skipped {name}: {error}", file=sys.stderr)
        return None


def sampler(name, seed):
    if name == "tpe":
        return optuna.samplers.TPESampler(seed=seed)
    if name == "gp":
        return optuna.samplers.GPSampler(seed=seed)
    from gittins.optuna import GittinsSampler

    if name == "gittins":
        return GittinsSampler(seed=seed, use_cost=False)
    # The seconds of the training in place of those of the surrogate.
    return GittinsSampler(seed=seed, cost_func=lambda trial: trial.user_attrs["seconds"])


def pruner(name, steps):
    if name == "median":
        return optuna.pruners.MedianPruner()
    if name == "hyperband":
        return optuna.pruners.HyperbandPruner(max_resource=steps)
    return optuna.pruners.SuccessiveHalvingPruner() if name == "halving" else (
        optuna.pruners.NopPruner())


def play(task, spec, trials):
    """One run: the record that is kept of it."""
    seed = zlib.crc32(f"{spec['problem']} {spec['seed']}".encode()) % 1_000_000
    best, epochs, seconds, curve_ends = [], 0, 0.0, []

    def objective(trial):
        nonlocal epochs, seconds
        values, spent = task.curve(trial)
        curve_ends.append(float(values[-1]))
        for step, value in enumerate(values):
            trial.report(float(value), step + 1)
            epochs += 1
            if trial.should_prune():
                break
        seconds += spent[step]
        trial.set_user_attr("seconds", float(spent[step]))
        if step + 1 < len(values):
            raise optuna.TrialPruned
        best.append(min(best[-1], curve_ends[-1]) if best else curve_ends[-1])
        return curve_ends[-1]

    steps = 52 if spec["problem"].startswith("lcbench") else 50
    # Hyperband draws the bracket of a trial by the name of the study.
    study = optuna.create_study(study_name=f"{spec['problem']} {spec['seed']}",
                                sampler=sampler(spec["sampler"], seed),
                                pruner=pruner(spec["pruner"], steps))
    started = time.perf_counter()
    study.optimize(objective, n_trials=trials)
    return spec | {"trials": trials, "best": best[-1] if best else None, "complete": len(best),
                   "epochs": epochs, "seconds": round(seconds, 1), "met": min(curve_ends),
                   "thought": round(time.perf_counter() - started, 2)}


def run(arguments):
    first, _, last = arguments.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    kept = {key(record) for record in store.lines(arguments.out)}
    tasks = {name: problem(arguments.data, name) for name in arguments.problems.split(",")}
    names = [name for name, task in tasks.items() if task is not None]
    for seed, name, prune, sample in itertools.product(
            seeds, names, arguments.pruners.split(","), arguments.samplers.split(",")):
        label = arguments.label or sample
        spec = {"problem": name, "pruner": prune, "sampler": sample, "label": label, "seed": seed}
        if key(spec) not in kept:
            store.append(arguments.out, play(tasks[name], spec, arguments.trials))


def key(record):
    return tuple(record[part] for part in ("problem", "pruner", "label", "seed"))


def report(arguments):
    """Each sampler against TPE beside the same pruner, run by run."""
    runs = {key(record): record for record in store.lines(arguments.out)}
    problems = sorted({name for name, *_ in runs})
    labels = sorted({label for _, _, label, _ in runs})
    print("| sampler | pruner | runs | better than TPE | median ratio of losses | p | "
          "epochs | TPE's | seconds, of TPE's |\n" + "| --- " * 9 + "|")
    for chosen in [[name] for name in problems if len(problems) > 1] + [problems]:
        if arguments.each or len(chosen) == len(problems):
            print(f"| {', '.join(chosen) if len(chosen) < len(problems) else 'all'} "
                  + "| " * 8 + "|")
            for label, prune in itertools.product(labels, PRUNERS):
                row(runs, chosen, label, prune)


def row(runs, chosen, label, prune):
    pairs = [(one, runs[at[0], prune, "tpe", at[3]]) for at, one in runs.items()
             if at[0] in chosen and at[1] == prune and at[2] == label != "tpe"
             and (at[0], prune, "tpe", at[3]) in runs]
    if not pairs:
        return
    logs = []
    for one, other in pairs:
        ends = [BROKEN if run["best"] is None else run["best"] for run in (one, other)]
        logs.append(math.log(ends[0]) - math.log(ends[1]))
    better = sum((log < 0.0) + 0.5 * (log == 0.0) for log in logs) / len(logs)
    p = stats.wilcoxon(logs).pvalue if any(logs) else 1.0
    epochs = [round(statistics.mean(run["epochs"] for run in side)) for side in zip(*pairs)]
    seconds = statistics.median(one["seconds"] / other["seconds"] for one, other in pairs)
    print(f"| {label} | {prune} | {len(logs)} | {100 * better:.0f} % | "
          f"{math.exp(statistics.median(logs)):.3f} | {p:.1g} | {epochs[0]} | {epochs[1]} | "
          f"{seconds:.2f} |")


def main():
    parser = run_or_report(__doc__, OUT, problems=PROBLEMS, pruners=PRUNERS, samplers=SAMPLERS)
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("curves"))
    parser.add_argument("--seeds", default="0-19")
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--label", help="a name for the runs of this version")
    parser.add_argument("--each", action="store_true", help="also each problem by itself")
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    (run if arguments.command == "run" else report)(arguments)


if __name__ == "__main__":
    main()
