"""The page of the suite `high`: tables of what the runs say after so many evaluations."""

import statistics

import comparison
import high
import pictures
from report import Detail, number, origins, publish, table
from sections import (
    MEDIANS, RANKS, SECONDS, STOPS, contestants, medians, opening, pick, present, ranking, seconds,
    stops, tested,
)

MARKS = (200, 300, 1000)
# What all have played to; the other medians are details.
SHOWN = 300
# The peer that our first trials are held against, and after how many.
FIRST, EARLY = "cma-es", (5, 10, 25, 50, 100, 200)

INTRODUCTION = """# Many parameters

This library and others minimize the same functions of 60 to 1000 parameters. `evidence/contest` runs
it; [how](../evidence/contest/README.md) says what to install and what to type. Smaller is
better. A seed stands for an instance of each problem, the same for all who play it: where an
optimum is known, it lies at a place drawn from the seed, else data or obstacles are drawn.

- `rover-60`: the way of a rover through a forest (Wang et al. 2018), its cost, which is 5 less the
  published reward; the forest of each seed is another
- `lasso`: LassoBench's synthetic data (Sehic et al. 2022) with 3, 15 and 50 true features; the loss
  of a cross-validation over that of the true coefficients; data are drawn, and each penalty's range
- `hartmann6`, `branin`: 6 and 2 of the parameters count; which ones and their directions are drawn
- `ackley`, `levy`, `rosenbrock`: the optimum is uniform in the box

Lasso and rover have no known optimum and are judged by the value itself, all others by the distance
from the optimum. *Middle* is the value in the middle of the box, which is our first trial, and
around which `cma-es` begins. On `ackley`, `levy`, `rosenbrock` and the larger `lasso` it is better
than nearly all random points: the middle is nearer to a random optimum than a random point is. What
is gained over it is what was learned.

Everyone has the defaults of its documentation. `cma-es` is the package `cmaes` with a sixth of the
box as first deviation. `turbo` is TuRBO-1 as in BoTorch's tutorial, in batches of four; its design
of 2 d points is at most half of the budget. `tpe` is Optuna's. Budgets are 1000 evaluations, and 300
with 1000 parameters; some have fewer, because a run of theirs would take hours: [who played
what](../evidence/contest/results/high.md), with the seconds that they took."""

EARLIER = """Our median over that of `{peer}` after so many evaluations, over the seeds that both
have; below 1 ours is better. *Ahead* and *behind* as above."""

BATCHES = """`turbo` and `cma-es` think once for several trials, so that the median of theirs is
that of taking one that waits."""


def early(found, us, ids):
    """Our first trials against those of the peer that is quick to improve."""
    pairs, words = {}, {}
    for n in EARLY:
        for id in ids:
            ours, theirs = (comparison.reached(pick(found[label], id), n) for label in (us, FIRST))
            common = ours.keys() & theirs.keys()
            if common:
                pairs[id, n] = [{key: v[key] for key in common} for v in (ours, theirs)]
        words |= tested({key: pair for key, pair in pairs.items() if key[1] == n})
    lines = []
    for id in ids:
        line = [id]
        for n in EARLY:
            if (id, n) in pairs:
                ours, theirs = (statistics.median(v.values()) for v in pairs[id, n])
                line.append(number(ours / theirs) + words[id, n])
            else:
                line.append("-")
        lines.append(line)
    return table([f"ours / {FIRST}", *(f"after {n}" for n in EARLY)], lines)


def write(args):
    runs, failed = comparison.load(args.runs)
    found = contestants(runs["high"], args.us)
    if not found[args.us]:
        return
    ids = present(found, high.PROBLEMS)
    folder = args.out.parent / "pictures"
    small = [id for id in ids if high.parts(id)[1] <= 100]
    large = [id for id in ids if id not in small]
    parts = [INTRODUCTION, *opening(found, args.us, ids)]
    parts += map(Detail, ["## Medians", MEDIANS])
    for n in MARKS:
        middle = medians(found, args.us, n, ids)
        parts.append(Detail(middle))
        if n == SHOWN:
            ours = [id for id in ids if pick(found[args.us], id)]
            parts.append(medians(found, args.us, n, ours))
    if FIRST in found:
        parts += map(Detail, ["## The first evaluations", EARLIER.format(peer=FIRST),
                              early(found, args.us, ids)])
    parts += ["## Ranks", RANKS]
    groups = {f"after {n}": (ids, n) for n in MARKS}
    parts += ranking(found, folder / "contest-high-ranks.svg", args.us, groups)
    parts.append("## Curves")
    for part, title, name in ((small, "60 and 100 parameters", "small"),
                              (large, "300 and 1000 parameters", "large")):
        path = folder / f"contest-high-{name}.svg"
        pictures.progress(found, part, args.us, path)
        parts.append(f"![Best value against evaluations, {title}](pictures/{path.name})")
    if records := runs["high"].get(f"{args.us}-stop"):
        parts += ["## Stops, judged by running on", STOPS, stops(records, ids)]
    dims = sorted({high.parts(id)[1] for id in ids})
    groups = {f"d = {dim}": [id for id in ids if high.parts(id)[1] == dim] for dim in dims}
    parts += map(Detail, ["## Seconds", SECONDS, BATCHES, seconds(found, groups)])
    failed = [record for record in failed if record["suite"] == "high"]
    parts += origins({"high": found}, list(found), failed)
    publish(args, "high.md", parts)
