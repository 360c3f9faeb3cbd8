#!/usr/bin/env python3
"""Two and three objectives: whose front dominates the larger hypervolume?

    fronts.py run --engines gp,botorch,tpe,nsga2,random --seeds 0-2
    fronts.py report --us gittins

A run has 50 trials for up to four parameters, 100 for more. After each trial the hypervolume of the
trials so far is counted from the problem's reference point; of problems with limits, of the trials
that held them. A run is one line of JSON in `runs/fronts`, kept as soon as it is there; what is
kept is not run again. README.md of the folder above says more.
"""

import math
import statistics

import comparison
import front_problems
import several
from limits import cells, head
from scipy import stats

PARTS = (0.25, 0.5, 1.0)


class Trace:
    """The hypervolume after each trial that changed it."""

    def __init__(self, problem):
        self.reference, self.count, self.front, self.volumes = problem.reference, 0, [], []

    def add(self, outcomes, holds):
        self.count += 1
        dominated = any(all(a <= b for a, b in zip(one, outcomes)) for one in self.front)
        if not holds or dominated or any(a >= r for a, r in zip(outcomes, self.reference)):
            return
        self.front = [one for one in self.front
                      if not all(a <= b for a, b in zip(outcomes, one))] + [outcomes]
        volume = front_problems.hypervolume(self.front, self.reference)
        self.volumes.append([self.count, float(f"{volume:.12g}")])

    def kept(self):
        return {"volumes": self.volumes}

    @staticmethod
    def words(record):
        return f"{at(record, 1.0):12.6g}"


def at(record, part):
    """The hypervolume after a part of the trials."""
    count = part * record["evaluations"]
    return max((volume for n, volume in record["volumes"] if n <= count), default=0.0)


def shortfall(record, best):
    """The decades of the part that is missing to the largest hypervolume, a millionth at least."""
    return math.log10(max(1.0 - at(record, 1.0) / best, 1e-6))


def largest(found, problems):
    """The largest hypervolume that is known: the published one, or that of a run."""
    best = {id: one.optimum or 0.0 for id, one in problems.items()}
    for runs in found.values():
        for (id, _), record in runs.items():
            if id in best:
                best[id] = max(best[id], at(record, 1.0))
    return best


def report(args):
    found = several.load(args.runs / "fronts", args.labels)
    ids = [id for id in args.problems or front_problems.PROBLEMS
           if any(key[0] == id for runs in found.values() for key in runs)]
    problems = {id: one for id in ids
                if (one := front_problems.problem(id, args.data)) is not None}
    best = largest(found, problems)
    if ours := found.get(args.us):
        head(f"{args.us} against", "runs", *(f"larger at {part:.0%}" for part in PARTS),
             "p, sign", "p, Wilcoxon", "decades of shortfall, median difference")
        for label, theirs in found.items():
            keys = [key for key in ours.keys() & theirs.keys() if key[0] in problems]
            if label == args.us or not keys:
                continue
            shares, wins, losses = [], 0, 0
            for part in PARTS:
                ends = [(at(ours[key], part), at(theirs[key], part)) for key in keys]
                wins, losses = (sum(sign * a > sign * b for a, b in ends) for sign in (1, -1))
                shares.append(f"{(wins + 0.5 * (len(keys) - wins - losses)) / len(keys):.0%}")
            apart = [shortfall(ours[key], best[key[0]]) - shortfall(theirs[key], best[key[0]])
                     for key in keys]
            rank = float(stats.wilcoxon(apart).pvalue) if any(apart) else 1.0
            cells(label, [str(len(keys)), *shares, f"{comparison.sign_test(wins, losses):.2g}",
                          f"{rank:.2g}", f"{statistics.median(apart):+.3f}"])
    for title, number in (
        ("median decades of shortfall (runs)", lambda record, id: shortfall(record, best[id])),
        ("median seconds of thought (runs)", lambda record, id: record["seconds"]),
    ):
        head(title, *found)
        for id in problems:
            values = [[number(r, id) for key, r in runs.items() if key[0] == id]
                      for runs in found.values()]
            cells(id, [f"{statistics.median(v):.3g} ({len(v)})" if v else "-" for v in values])


def main():
    args = several.parser(__doc__, "fronts", front_problems.PROBLEMS).parse_args()
    if args.verb == "run":
        several.run("fronts", args, front_problems.problem, front_problems.PROBLEMS, Trace)
    else:
        report(args)


if __name__ == "__main__":
    main()
