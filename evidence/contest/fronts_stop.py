#!/usr/bin/env python3
"""When a study of several objectives stops, and what running on would have brought.

    fronts_stop.py run --parts 1e-3,1e-4 --seeds 0-2 --data FOLDER
    fronts_stop.py report --data FOLDER

A trial costs a part of the largest known hypervolume. A study with the Gittins policy at this price
runs to its stop, then on with the same policy to three times the trials: to 100 at least and 300 at
most. With `H(n)` the hypervolume after `n` trials and `lambda` the price, all is counted in trials,
that is in units of `lambda`:

    net(n)    = H(n) / lambda - n
    saved     = net(stop) - net(end)                what running on cost beyond what it brought
    regret(n) = max of net over all trials - net(n)

A run is one line of JSON in `runs/fronts_stop`. README.md of the folder above says more.
"""

import argparse
import os
import pathlib
import statistics
import time

import front_problems
import fronts
import several
import several_engines
import store
from arguments import whole
from limits import cells, head

LEAST, MOST, BEYOND = 100, 300, 3
FIXED = (20, 50, 100)


def play(problem, seed, part):
    """One run: its hypervolumes, and the number of trials at the first verdict to stop, if any."""
    price = part * problem.optimum
    engine = several_engines.GittinsFrontStop(problem, several.seeded(problem.id, seed), price)
    trace, stop, seconds, words = fronts.Trace(problem), None, 0.0, None
    for outcomes, limits, thought in several.trials(problem, engine, MOST):
        seconds += thought
        trace.add(outcomes, all(limit <= 0 for limit in limits))
        if stop is None:
            began = time.perf_counter()
            verdict = engine.study.verdict()
            seconds += time.perf_counter() - began
            if verdict:
                stop, words = trace.count, verdict.words
        if stop is not None and trace.count >= max(LEAST, BEYOND * stop):
            break
    return {"problem": problem.id, "seed": seed, "part": part, "price": price, "stop": stop,
            "words": words, "evaluations": trace.count, **trace.kept(),
            "seconds": round(seconds, 3), "versions": several.versions(engine)}


def label(part):
    return f"{part:g}"


def run(args):
    for name in ("OMP_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    if why := several_engines.GittinsFrontStop.lacking():
        raise SystemExit(why)
    found = {id: front_problems.problem(id, args.data) for id in args.problems}
    for seed in args.seeds:
        for id, problem in found.items():
            for part in args.parts:
                path = args.runs / "fronts_stop" / f"{label(part)}.jsonl"
                if problem is None or (id, seed) in store.runs(path):
                    continue
                record = play(problem, seed, part)
                store.append(path, record)
                print(f"{label(part):>6} {id:<14} {seed:>3} {record['seconds']:8.1f} s, stop "
                      f"{record['stop']} of {record['evaluations']}", flush=True)


class Judged:
    """A run in units of its price; a run without a stop is one that stopped at its end."""

    def __init__(self, record):
        self.end = record["evaluations"]
        self.stopped = record["stop"] is not None
        self.stop = record["stop"] if self.stopped else self.end
        volumes, self.volumes = dict(record["volumes"]), [0.0]
        for count in range(1, self.end + 1):
            self.volumes.append(volumes.get(count, self.volumes[-1]))
        self.net = [volume / record["price"] - n for n, volume in enumerate(self.volumes)]
        self.best = max(range(1, self.end + 1), key=self.net.__getitem__)
        self.saved = self.net[self.stop] - self.net[self.end]

    def gain(self):
        """What the trials after the stop added, in trials."""
        return self.end - self.stop - self.saved

    def regret(self, count):
        return self.net[self.best] - self.net[count]

    def later(self):
        """The most that was to be had by running on from the stop, in trials."""
        return max(self.net[self.stop:]) - self.net[self.stop]


def steady(runs):
    """The one number of trials, of those that all have, that is best for all runs together."""
    return min(range(1, LEAST + 1), key=lambda n: sum(one.regret(n) for one in runs))


def totals(runs):
    """Rows of a rule's name and its regrets in all runs: of the stop, then of fixed numbers."""
    best = steady(runs)
    rows = [("the stop", [one.regret(one.stop) for one in runs])]
    rows += [(f"{n} trials", [one.regret(n) for one in runs]) for n in FIXED]
    return [*rows, (f"{best} trials, the best number for all",
                    [one.regret(best) for one in runs])]


def report(args):
    for part in args.parts:
        records = store.runs(args.runs / "fronts_stop" / f"{label(part)}.jsonl")
        largest = {id: problem.optimum for id in args.problems
                   if (problem := front_problems.problem(id, args.data)) is not None}
        judged = {key: Judged(record) for key, record in records.items() if key[0] in largest}
        if not judged:
            continue
        head(f"a trial costs {label(part)}: medians", "stopped", "stop", "best moment", "end",
             "volume at the stop", "at the end", "gain after the stop, trials",
             "saved, trials", *(f"regret of {name}" for name in ("the stop", *FIXED)))
        for id, most in largest.items():
            if runs := [one for key, one in judged.items() if key[0] == id]:
                def middle(number, runs=runs):
                    return statistics.median(number(one) for one in runs)

                cells(id, [
                    f"{sum(one.stopped for one in runs)} of {len(runs)}",
                    *(f"{middle(n):.0f}" for n in (lambda one: one.stop, lambda one: one.best,
                                                   lambda one: one.end)),
                    f"{middle(lambda one: one.volumes[one.stop]) / most:.2%}",
                    f"{middle(lambda one: one.volumes[one.end]) / most:.2%}",
                    *(f"{middle(number):.1f}" for number in (
                        Judged.gain, lambda one: one.saved, lambda one: one.regret(one.stop),
                        *(lambda one, n=n: one.regret(n) for n in FIXED))),
                ])
        runs = list(judged.values())
        head("regret in trials, all runs", "mean", "median", "largest", "the stop is better")
        rows = totals(runs)
        stops = rows[0][1]
        for name, regrets in rows:
            better = sum(a < b for a, b in zip(stops, regrets))
            same = sum(a == b for a, b in zip(stops, regrets))
            cells(name, [f"{statistics.fmean(regrets):.1f}", f"{statistics.median(regrets):.1f}",
                         f"{max(regrets):.1f}", f"{(better + 0.5 * same) / len(runs):.0%}"])
        stopped = [one for one in runs if one.stopped]
        print(f"\nstopped: {len(stopped)} of {len(runs)}. Running on to the end did not pay in "
              f"{sum(one.saved >= 0 for one in stopped)}, to no later moment in "
              f"{sum(one.later() == 0 for one in stopped)}. The best moment was before the stop "
              f"in {sum(one.best < one.stop for one in stopped)}, after it in "
              f"{sum(one.best > one.stop for one in stopped)}.")


def parts(text):
    found = [float(part) for part in text.split(",")]
    if not all(0.0 < part < 1.0 for part in found):
        raise argparse.ArgumentTypeError(f"parts are between 0 and 1, not {text}")
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb, about in (("run", "play what is not yet kept"), ("report", "print the tables")):
        p = verbs.add_parser(verb, help=about)
        p.add_argument("--parts", type=parts, default="1e-3,1e-4",
                       help="what a trial costs, in parts of the largest known hypervolume")
        p.add_argument("--problems", nargs="*", default=front_problems.PROBLEMS,
                       choices=front_problems.PROBLEMS, help="all unless given")
        p.add_argument("--data", type=pathlib.Path, help="folder of the measured tables",
                       default=pathlib.Path(__file__).parent / "data")
        p.add_argument("--runs", type=pathlib.Path, default=several.RUNS,
                       help="where runs are kept")
        if verb == "run":
            p.add_argument("--seeds", type=whole, default="0-2")
    args = parser.parse_args()
    run(args) if args.verb == "run" else report(args)


if __name__ == "__main__":
    main()
