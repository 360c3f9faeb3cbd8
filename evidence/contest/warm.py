#!/usr/bin/env python3
"""What earlier studies of like tasks are worth: a surrogate of XGBoost on many data sets.

    warm.py run --data FOLDER --seeds 1-2 --half reported
    warm.py report --half reported

A run of 50 trials on a data set begins with what did best in studies of other data sets, drawn by
the seed, or with nothing (`cold`). The earlier studies are runs of 60 trials. `misled` begins with
what did worst in them, and `again` is `cold` with another seed: what a share of runs that end
worse is by luck alone. It needs the package: `pip install ./python`. Data sets without a setting
of log loss 0 are played, each second one of them `tuned`, the others `reported`.
"""

import argparse
import csv
import functools
import math
import pathlib
import statistics
import zlib

import engines
import gittins
import measured
import numpy as np
import store
from arguments import whole
from problem import Problem

HERE = pathlib.Path(__file__).parent
TRIALS, EARLIER, STUDIES, COUNT = 50, 60, 5, 5
MARKS = (1, 5, 10, 20, 30, 50)
KINDS = ("warm", "cold", "misled", "again", "tpe", "random")


def tasks(folder, half):
    with open(pathlib.Path(folder, "rbv2_xgboost_facts.csv")) as file:
        rows = list(csv.DictReader(file))
    clear = {row["task_id"] for row in rows if float(row["logloss_saturated"]) == 0}
    known = [task for task in measured.surrogate(folder).tasks if task in clear]
    return known, {"tuned": known[::2], "reported": known[1::2], "all": known}[half]


@functools.cache
def studied(folder, task, trials, seed, first=(), direction="minimize"):
    """A study of the task, and its outcomes."""
    parameters = measured.boosting(folder)[0]
    space = gittins.Space.from_data({"parameters": [p.description() for p in parameters]})
    first = [dict(setting) for setting in first]
    study, outcomes = gittins.Study(space, direction, seed=seed, first=first), []
    while len(outcomes) < trials:
        ask = study.ask()
        values = [ask.point.get(p.name) for p in parameters]
        outcomes.append(measured.boosted(folder, task, values)[0])
        study.tell(ask, outcomes[-1])
    return study, outcomes


def play(spec):
    kind, task, seed, folder = spec
    own = zlib.crc32(f"{task} {seed}".encode())
    if kind in ("warm", "cold", "misled", "again"):
        first = []
        if kind in ("warm", "misled"):
            direction = "minimize" if kind == "warm" else "maximize"
            others = [other for other in tasks(folder, "all")[0] if other != task]
            drawn = np.random.default_rng(own).choice(others, STUDIES, replace=False)
            earlier = [studied(folder, str(other), EARLIER, 7, (), direction)[0] for other in drawn]
            first = gittins.warm_start(earlier[0].space, earlier, COUNT)
        first = tuple(tuple(setting.items()) for setting in first)
        outcomes = studied(folder, task, TRIALS, own + (kind == "again"), first)[1]
    else:
        problem = Problem(task, measured.boosting(folder)[0], None, TRIALS)
        engine, outcomes = {"tpe": engines.Tpe, "random": engines.Random}[kind](problem, own), []
        while len(outcomes) < TRIALS:
            outcomes.append(measured.boosted(folder, task, engine.ask())[0])
            engine.tell(outcomes[-1], None)
    return {"problem": task, "seed": seed, "label": kind, "outcomes": outcomes}


def run(args):
    for kind in args.kinds:
        specs = [(kind, task, seed, str(args.data)) for seed in args.seeds
                 for task in tasks(args.data, args.half)[1]]
        store.fill(args.runs / f"{kind}.jsonl", specs, play, args.jobs)


def compared(ours, theirs, cold):
    """A line of what `ours` is against `theirs`, over the runs of both."""
    keys = sorted(ours.keys() & theirs.keys() & cold.keys())
    a, b = (np.array([found[key] for key in keys]) for found in (ours, theirs))
    share = [100 * np.mean((a < b)[:, m - 1] + 0.5 * (a == b)[:, m - 1]) for m in MARKS]
    # In units of what `cold` gained after ten trials.
    way = np.array([np.median(np.array(cold[key])[:10]) - cold[key][-1] for key in keys])
    worse = (a - b)[:, -1] > 0.1 * way
    line = f"{len(keys):>5}" + "".join(f"{value:>6.0f} %" for value in share)
    return line + f"{100 * worse.mean():>8.0f} %", (keys, a, b, way)


def report(args):
    half = tasks(args.data, args.half)[1]
    found = {}
    for kind in KINDS:
        rows = store.runs(args.runs / f"{kind}.jsonl").items()
        found[kind] = {key: np.minimum.accumulate(row["outcomes"]) for key, row in rows
                       if key[0] in half and key[1] in args.seeds}
    cold = found["cold"]
    print("ahead, ties half, after so many trials; worse at the end by a tenth of what cold gained")
    print(f"{'':<16}{'runs':>5}" + "".join(f"{mark:>8}" for mark in MARKS) + f"{'worse':>10}")
    for ours, theirs in [("warm", "cold"), ("warm", "tpe"), ("warm", "random"),
                         ("misled", "cold"), ("misled", "tpe"), ("again", "cold")]:
        line, played = compared(found[ours], found[theirs], cold)
        print(f"{ours + ' : ' + theirs:<16}" + line)
        if theirs == "cold":
            by_means(*played)
    keys = sorted(found["warm"].keys() & cold.keys())
    warm, base = (np.array([found[kind][key] for key in keys]) for kind in ("warm", "cold"))
    for mark in MARKS[1:]:
        reached = warm <= base[:, [mark - 1]]
        need = [int(np.argmax(row)) + 1 if row.any() else TRIALS + 1 for row in reached]
        print(f"what cold has after {mark:>2} trials warm has after {statistics.median(need):g} "
              f"(median; {sum(n > TRIALS for n in need)} never)")


def by_means(keys, a, b, way):
    """Data sets on which the mean of the ends is worse, or better, by a tenth of the mean gain."""
    worse = better = clear = 0
    names = sorted({task for task, _ in keys})
    for name in names:
        own = [at for at, (task, _) in enumerate(keys) if task == name]
        lost, gain = (a - b)[own, -1], way[own].mean()
        error = lost.std(ddof=1) / math.sqrt(len(own)) if len(own) > 1 else math.inf
        worse += lost.mean() > 0.1 * gain
        clear += lost.mean() > max(0.1 * gain, 2 * error)
        better += lost.mean() < -0.1 * gain
    print(f"    in the mean of a data set's runs: worse by a tenth on {worse} of {len(names)}, "
          f"by two standard errors on {clear}; better by a tenth on {better}")


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("verb", choices=("run", "report"))
    p.add_argument("--data", type=pathlib.Path, default=HERE / "data")
    p.add_argument("--seeds", type=whole, default="1-2")
    p.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    p.add_argument("--half", choices=("tuned", "reported", "all"), default="reported")
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--runs", type=pathlib.Path, default=HERE / "runs" / "warm")
    args = p.parse_args()
    run(args) if args.verb == "run" else report(args)


if __name__ == "__main__":
    main()
