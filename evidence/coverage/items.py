"""Items of 0 and 1: configurations on questions, of known probabilities to be right.

A study by items with a price looks at 12 arms on 200 to 400 items, and stops when it wants to.
Every answer is known, so that all that was said can be judged: of the arm that is taken, of each
arm after its first stage, and in the end. Measured answers are those of tables of evidence/items.
"""

import csv
import functools
import gzip
import pathlib

import gittins
import numpy as np

RANGES = {"0.5-0.9": (0.5, 0.9), "0.8-0.97": (0.8, 0.97), "0.9-0.995": (0.9, 0.995)}
ARMS = 12
# What a look at all items of all arms is worth, as a share of right answers.
WORTH = 0.1
KINDS = {"alike": 0.0, "shared": 0.6}
# Tables of evidence/items, of which each study has other arms and items.
MEASURED = ("zero_gsm", "zero_crux", "wild_turbo")
MADE = tuple(f"{kind} {name}" for kind in KINDS for name in RANGES)
PROBLEMS = MADE + tuple(f"measured {name}" for name in MEASURED)
SEEDS = 10


def available(problem, data):
    return problem in MADE or bool(data) and path(problem, data).exists()


def path(problem, data):
    return pathlib.Path(data, f"scores_{problem.split()[1]}.csv.gz")


@functools.cache
def scores(file):
    with gzip.open(file, "rt") as text:
        rows = [line[1:] for line in csv.reader(text)][1:]
    found = np.array([[float(cell) if cell else np.nan for cell in row] for row in rows])
    return found[:, ~np.isnan(found).any(axis=0)]


def answers(problem, seed, data):
    """Right and wrong, a row for each arm.

    Of shared difficulty: this share of the items asks the same of all arms, so that an arm with the
    larger accuracy gets right whatever the other one does.
    """
    kind, name = problem.split()
    rng = np.random.default_rng([PROBLEMS.index(problem), seed])
    if kind == "measured":
        found = scores(path(problem, data))
        arms = rng.choice(len(found), min(ARMS, len(found)), replace=False)
        items = rng.choice(found.shape[1], int(rng.integers(200, 401)), replace=False)
        return found[np.ix_(arms, items)]
    low, high = RANGES[name]
    accuracy = rng.uniform(low, high, ARMS)
    items = int(rng.integers(200, 401))
    hard = rng.random(items)
    own = rng.random((ARMS, items))
    asked = np.where(rng.random(items) < KINDS[kind], hard, own)
    return asked < accuracy[:, None]


def play(problem, seed, data):
    """What one study came to.

    `rows` has a line for each thing that was said: the group, the error in deviations (positive if
    too good was expected), the deviation and the mean.
    """
    right = answers(problem, seed, data)
    truth = right.mean(axis=1)
    price = WORTH / right.size
    space = gittins.Space().choice("arm", [f"a{arm}" for arm in range(ARMS)])
    study = gittins.Study(
        space, "maximize", stages={"items": right.shape[1]}, price=price, seed=seed
    )
    rows, arms, bought = [], {}, 0

    def said(group, arm, mean, sd):
        off = (mean - truth[arm]) / sd if sd > 0 else np.inf * np.sign(mean - truth[arm])
        rows.append([group, clipped(off), clipped(sd), clipped(mean)])

    def look(group):
        for trial, arm in arms.items():
            found = study.forecast_end(trial)
            if found is not None:
                said(group, arm, found.mean, found.sd)

    first = False
    while not study.verdict():
        try:
            run = study.run()
        except gittins.ExhaustedError:
            break
        with run:
            arm = int(run["arm"][1:])
            if not first and arm in arms.values():
                first = True
                look("first round")
            arms[run.number] = arm
            for batch in run.items:
                run.report([float(right[arm, item]) for item in batch], cost=len(batch))
                bought += len(batch)
                last = study.forecast_end(run.number)
                if last is not None:
                    said("each report", arm, last.mean, last.sd)
        if not first and len(arms) == ARMS:
            first = True
            look("first round")
    look("end")
    best = study.recommendation()
    taken = arms[best.trial]
    said("winner", taken, best.mean, best.sd)
    regret = float(truth.max() - truth[taken])
    return {"rows": rows, "regret": regret, "spent": price * bought, "share": bought / right.size}


def clipped(value):
    """A number that JSON has, of few digits."""
    return float(f"{np.clip(value, -1e6, 1e6):.5g}")
