"""The page of the suite `workers`: what several workers lose, and who loses less."""

import math
import statistics

import comparison
import workers
from report import Detail, number, origins, percent, publish, table
from sections import (
    MEDIANS, SECONDS, VERDICTS, counts, medians, pick, present, seconds, stops, verdicts,
)

# The runs with the pending trials at their posterior means, as it was before.
MEANS = "means"
PEERS = ("gp", "botorch", "tpe", "random")

INTRODUCTION = """# Several workers

This library and others minimize the same functions with one, four and eight pending trials.
`evidence/contest` runs it; [how](../evidence/contest/README.md) says what to install and what to
type. Smaller is better. A seed stands for an instance of each problem, the same for all who play
it. Each trial takes a time drawn from its number, from a half to one and a half, and as soon as one
is told the next is asked for. All have the same number of trials, so more workers decide with less
known: `-w8` has seven outcomes fewer at each decision than one worker.

- `f...`: functions of each group of BBOB in 5 and 10 dimensions, with 10 d trials
- `hartmann6`: Hartmann's function, its axes turned around and shifted by the seed, with 60 trials
- `svc-cancer`, `boosting-cancer`: the log loss of scikit-learn's models over three folds, with 50

Everyone has the defaults of its documentation. `gp` is Optuna's `GPSampler`, which knows of running
trials. `botorch` is `SingleTaskGP` with `qLogExpectedImprovement` and `X_pending`. `means` is this
library with pending trials taken as observed at their posterior means, as it was before it had
fantasies of them (commit `7e422fb`). What is unlike a default is nothing but the number of
workers. [Problem by problem](../evidence/contest/results/workers.md) has who played what, wins,
medians and seconds."""

LOSSES = """The median of the best value of one worker, and how many times larger that of several is.
Then how many trials one worker needs to come as far as several do with all of theirs: the median
over seeds."""

OVERALL = """The ratio is that of our value to the other's at the end of a run, over problems and
seeds that both have; the p-value is that of Wilcoxon's signed rank test of its logarithm."""

STOPS = """A trial must save a thousandth of the spread of the outcomes over the space. Asked is
[whether another trial](guide.md#parallel-trials) is worth its price beside eight pending ones. The
run goes on after its stop, to the end of its budget. The stop was right if what the best gained
after it is not more than the price of the trials that were made for it. Medians of the runs that
stopped."""


def needed(record, value):
    """After how many trials a run is at a value, or infinity."""
    reached = (n for n, best in record["best"] if max(best, comparison.SMALLEST) <= value * (1 + 1e-12))
    return next(reached, math.inf)


def after(trials, budget):
    return f"more than {budget}" if math.isinf(trials) else f"{trials:.0f} of {budget}"


def overall(part, ours):
    """All problems together: the share of runs that ours wins, the median ratio, and the p-value."""
    mine = comparison.finals(part[ours])
    lines = []
    for label, records in part.items():
        if label == ours:
            continue
        theirs = comparison.finals(records)
        share, count = comparison.wins(mine, theirs)
        p, gap = comparison.signed_rank(mine, theirs)
        lines.append([label, percent(share), count, number(10**gap), f"{p:.1g}"])
    return table(["all problems", "ours better", "of runs", "median ratio", "p"], lines)


def losses(found, us, ids, names):
    """What runs with several workers lose against those with one."""
    several = [label for label in found if label.rpartition("-w")[0] in names]
    lines = []
    for id in ids:
        alone = pick(found[us], id)
        before = comparison.finals(alone)
        line = [id, number(statistics.median(before.values()))]
        for label in several:
            values = comparison.finals(pick(found[label], id))
            common = values.keys() & before.keys()
            if not common:
                line += ["-", "-"]
                continue
            of = [statistics.median(part[key] for key in common) for part in (values, before)]
            trials = statistics.median(needed(alone[key], values[key]) for key in common)
            budget = max(alone[key]["evaluations"] for key in common)
            line += [number(of[0] / of[1]), after(trials, budget)]
        lines.append(line)
    heads = [part for label in several for part in (f"{label}, times", "trials of one")]
    return table(["", us, *heads], lines)


def write(args):
    runs, failed = comparison.load(args.runs)
    found = runs["workers"]
    if not found.get(args.us):
        return
    ids = present({args.us: found[args.us]}, workers.PROBLEMS)
    named = [f"{name}-w{count}" for name in (args.us, MEANS, *PEERS) for count in (4, 8)]
    found = {label: found[label] for label in [args.us, *named] if label in found}
    parts = [INTRODUCTION, Detail("## Runs"), Detail(counts(found, ids)),
             "## What several workers lose", LOSSES, losses(found, args.us, ids, [args.us]),
             Detail("## What several workers lose"),
             Detail(losses(found, args.us, ids, [args.us, MEANS]))]
    for count in (4, 8):
        ours = f"{args.us}-w{count}"
        part = {label: found[label] for label in found if label.endswith(f"-w{count}")}
        if ours not in part:
            continue
        part = {ours: part.pop(ours)} | part
        parts += [f"## {count} workers", OVERALL, overall(part, ours)]
        parts += map(Detail, [f"## {count} workers", VERDICTS, verdicts(part, ours, ids), MEDIANS])
        budgets = sorted({workers.budget(id) for id in ids})
        parts += [Detail(medians(part, ours, n, [id for id in ids if workers.budget(id) == n],
                                 middle=False)) for n in budgets]
    stopped = f"{args.us}-stop-w8"
    if records := runs["workers"].get(stopped):
        parts += ["## Stops of eight workers, judged by running on", STOPS, stops(records, ids)]
    dims = {"5 dimensions": [id for id in ids if "d05" in id],
            "10 dimensions": [id for id in ids if "d10" in id]}
    parts += map(Detail, ["## Seconds", SECONDS, seconds(found, dims)])
    failed = [record for record in failed if record["suite"] == "workers"]
    parts += origins({"workers": found}, list(found), failed)
    publish(args, "workers.md", parts)
