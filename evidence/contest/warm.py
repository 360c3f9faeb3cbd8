#!/usr/bin/env python3
"""What earlier studies of like tasks are worth: a surrogate of XGBoost on many data sets.

    warm.py run --data FOLDER --seeds 1-2 --half reported
    warm.py report --half reported

A run of 50 trials on a data set begins with what did best in studies of other data sets, drawn by
the seed, or with nothing. The earlier studies are runs of 60 trials. It needs the package:
`pip install ./python`. Data sets without a setting of log loss 0 are played, each second one of
them `tuned`, the others `reported`.
"""

import argparse
import csv
import functools
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
KINDS = ("warm", "cold", "tpe", "random")


def tasks(folder, half):
    with open(pathlib.Path(folder, "rbv2_xgboost_facts.csv")) as file:
        rows = list(csv.DictReader(file))
    clear = {row["task_id"] for row in rows if float(row["logloss_saturated"]) == 0}
    known = [task for task in measured.surrogate(folder).tasks if task in clear]
    return known, {"tuned": known[::2], "reported": known[1::2], "all": known}[half]


@functools.cache
def studied(folder, task, trials, seed, first=()):
    """A study of the task, and its outcomes."""
    parameters = measured.boosting(folder)[0]
    space = gittins.Space.from_data({"parameters": [p.description() for p in parameters]})
    first = [dict(setting) for setting in first]
    study, outcomes = gittins.Study(space, seed=seed, first=first), []
    while len(outcomes) < trials:
        ask = study.ask()
        values = [ask.point.get(p.name) for p in parameters]
        outcomes.append(measured.boosted(folder, task, values)[0])
        study.tell(ask, outcomes[-1])
    return study, outcomes


def play(spec):
    kind, task, seed, folder = spec
    own = zlib.crc32(f"{task} {seed}".encode())
    if kind in ("warm", "cold"):
        first = []
        if kind == "warm":
            others = [other for other in tasks(folder, "all")[0] if other != task]
            drawn = np.random.default_rng(own).choice(others, STUDIES, replace=False)
            earlier = [studied(folder, str(other), EARLIER, 7)[0] for other in drawn]
            first = gittins.warm_start(earlier[0].space, earlier, COUNT)
        outcomes = studied(folder, task, TRIALS, own, tuple(tuple(s.items()) for s in first))[1]
    else:
        problem = Problem(task, measured.boosting(folder)[0], None, TRIALS)
        engine, outcomes = {"tpe": engines.Tpe, "random": engines.Random}[kind](problem, own), []
        while len(outcomes) < TRIALS:
            outcomes.append(measured.boosted(folder, task, engine.ask())[0])
            engine.tell(outcomes[-1], None)
    return {"problem": task, "seed": seed, "label": kind, "outcomes": outcomes}


def run(args):
    for kind in KINDS:
        specs = [(kind, task, seed, str(args.data)) for seed in args.seeds
                 for task in tasks(args.data, args.half)[1]]
        store.fill(args.runs / f"{kind}.jsonl", specs, play, args.jobs)


def report(args):
    half = tasks(args.data, args.half)[1]
    runs = {kind: store.runs(args.runs / f"{kind}.jsonl") for kind in KINDS}
    keys = sorted(key for key in set.intersection(*(set(found) for found in runs.values()))
                  if key[0] in half and key[1] in args.seeds)
    best = {kind: np.minimum.accumulate([found[key]["outcomes"] for key in keys], axis=1)
            for kind, found in runs.items()}
    print(f"{len(keys)} runs; wins of warm, ties half, after so many trials")
    print(f"{'':<8}" + "".join(f"{mark:>8}" for mark in MARKS))
    for kind in KINDS[1:]:
        a, b = best["warm"], best[kind]
        share = [100 * np.mean((a < b)[:, m - 1] + 0.5 * (a == b)[:, m - 1]) for m in MARKS]
        print(f"{kind:<8}" + "".join(f"{value:>6.0f} %" for value in share))
    for mark in MARKS[1:]:
        reached = best["warm"] <= best["cold"][:, [mark - 1]]
        need = [int(np.argmax(row)) + 1 if row.any() else TRIALS + 1 for row in reached]
        print(f"what cold has after {mark:>2} trials warm has after {statistics.median(need):g} "
              f"(median; {sum(n > TRIALS for n in need)} never)")
    way = np.median([runs["cold"][key]["outcomes"][:10] for key in keys], axis=1)
    harm = (best["warm"] - best["cold"])[:, -1] > 0.1 * (way - best["cold"][:, -1])
    print(f"worse at the end by a tenth of what cold gained: {harm.sum()} of {len(keys)}")


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("verb", choices=("run", "report"))
    p.add_argument("--data", type=pathlib.Path, default=HERE / "data")
    p.add_argument("--seeds", type=whole, default="1-2")
    p.add_argument("--half", choices=("tuned", "reported", "all"), default="reported")
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--runs", type=pathlib.Path, default=HERE / "runs" / "warm")
    args = p.parse_args()
    run(args) if args.verb == "run" else report(args)


if __name__ == "__main__":
    main()
