#!/usr/bin/env python3
"""One objective with limits on measured numbers: who finds the best setting that holds them?

    limits.py run --engines gp,botorch,tpe,random --seeds 0-4
    limits.py run --engines gittins --label variant --data FOLDER
    limits.py report --us variant --data FOLDER

A run has 50 trials for up to four parameters, 100 for more. Judged is the best outcome of the
trials that held all limits as they were measured. A run is one line of JSON in `runs/limits`, kept
as soon as it is there; what is kept is not run again. README.md of the folder above says more.
"""

import math
import statistics

import comparison
import limit_problems
import several
from scipy import stats


class Trace:
    """The best outcome among trials that held all limits, and the first of these."""

    def __init__(self, problem):
        self.count, self.best = 0, []

    def add(self, outcomes, holds):
        self.count += 1
        if holds and (not self.best or outcomes[0] < self.best[-1][1]):
            self.best.append([self.count, float(f"{outcomes[0]:.12g}")])

    def kept(self):
        return {"best": self.best, "first": self.best[0][0] if self.best else None}

    @staticmethod
    def words(record):
        return f"{record['best'][-1][1]:12.6g}" if record["best"] else "no trial held"


def end(record):
    """The best value at the end, infinite if no trial held all limits."""
    return record["best"][-1][1] if record["best"] else math.inf


def gap(record, optimum):
    """How much more than the optimum it is; below rounding all are equal."""
    return max(end(record) - optimum, 1e-8 * max(1.0, abs(optimum)))


def compared(ours, theirs, optima):
    """Wins, losses and ties of the runs of both, and the two p-values."""
    keys = sorted(key for key in ours.keys() & theirs.keys() if key[0] in optima)
    pairs = [[gap(runs[key], optima[key[0]]) for runs in (ours, theirs)] for key in keys]
    wins, losses = (sum(sign * a < sign * b for a, b in pairs) for sign in (1, -1))
    # What held no limit is worse than all that did: ten decades of the gap.
    logs = [[math.log10(value) if math.isfinite(value) else 10.0 for value in pair]
            for pair in pairs]
    apart = [a - b for a, b in logs]
    rank = float(stats.wilcoxon(apart).pvalue) if any(apart) else 1.0
    return wins, losses, len(pairs), comparison.sign_test(wins, losses), rank


def cells(title, values):
    print(f"| {title} | " + " | ".join(values) + " |")


def head(*titles):
    print("\n| " + " | ".join(titles) + " |\n" + "| --- " * len(titles) + "|")


def report(args):
    found = several.load(args.runs / "limits", args.labels)
    ids = [id for id in args.problems or limit_problems.PROBLEMS
           if any(key[0] == id for runs in found.values() for key in runs)]
    optima = {id: one.optimum for id in ids
              if (one := limit_problems.problem(id, args.data)) is not None}
    if ours := found.get(args.us):
        head(f"{args.us} against", "runs", "better", "worse", "share", "p, sign", "p, Wilcoxon")
        for label, theirs in found.items():
            if label == args.us:
                continue
            wins, losses, n, sign, rank = compared(ours, theirs, optima)
            if n:
                share = (wins + 0.5 * (n - wins - losses)) / n
                cells(label, [str(n), str(wins), str(losses), f"{share:.0%}", f"{sign:.2g}",
                              f"{rank:.2g}"])
        head(f"share of {args.us}", *(label for label in found if label != args.us))
        for id, optimum in optima.items():
            row = []
            for label, theirs in found.items():
                if label != args.us:
                    wins, losses, n, *_ = compared(ours, theirs, {id: optimum})
                    row.append(f"{(wins + 0.5 * (n - wins - losses)) / n:.0%}" if n else "-")
            cells(id, row)
    for title, number in (
        ("median gap to the optimum (runs)", lambda record, id: gap(record, optima[id])),
        ("median of the first trial that held (runs)",
         lambda record, id: record["first"] or math.inf),
        ("median seconds of thought (runs)", lambda record, id: record["seconds"]),
    ):
        head(title, *found)
        for id in optima:
            at = {label: [number(r, id) for key, r in runs.items() if key[0] == id]
                  for label, runs in found.items()}
            cells(id, [f"{statistics.median(v):.3g} ({len(v)})" if v else "-"
                       for v in at.values()])
    head("label", "runs in which no trial held", "recommended trials that held")
    for label, runs in found.items():
        none = sum(not record["best"] for record in runs.values())
        said = [record["holds"] for record in runs.values() if record.get("holds") is not None]
        cells(label, [f"{none} of {len(runs)}", f"{sum(said)} of {len(said)}" if said else "-"])


def main():
    parser = several.parser(__doc__, "limits", limit_problems.PROBLEMS)
    args = parser.parse_args()
    if args.verb == "run":
        several.run("limits", args, limit_problems.problem, limit_problems.PROBLEMS, Trace)
    else:
        report(args)


if __name__ == "__main__":
    main()
